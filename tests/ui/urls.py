"""Two areas of the rail, for the test that the others stay out."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def page(request: HttpRequest, team: str) -> HttpResponse:
    return HttpResponse(team)


urlpatterns = [
    path("t/<slug:team>/", page, name="home"),
    path("t/<slug:team>/sessions/", include(([path("", page, name="list")], "sessions"))),
    path("_gallery/", include("stash.ui.urls")),
]
