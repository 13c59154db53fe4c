"""Pages of search, under /t/<team>/search/."""

from django.urls import path

from stash.recall import views

urlpatterns = [
    path("", views.page, name="search"),
    path("palette/", views.palette, name="search-palette"),
    path("<uuid:session_id>/", views.more, name="search-more"),
]
