"""All of Stash's addresses, then the floor's."""

from django.urls import include, path

from floor import views

urlpatterns = [
    path("", include("stash.urls")),
    path("floor/events", views.insert),
    path("floor/shout", views.shout),
]
