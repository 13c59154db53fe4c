"""Pages of search, under /t/<team>/."""

from django.urls import path

from stash.recall import views

urlpatterns = [
    path("search/", views.page, name="search"),
    path("search/palette/", views.palette, name="search-palette"),
    path("search/<uuid:session_id>/", views.more, name="search-more"),
    path("sessions/<uuid:session_id>/related/", views.related_sessions, name="related"),
]
