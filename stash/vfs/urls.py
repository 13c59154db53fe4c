"""Pages of the tree, under /t/<team>/files/."""

from django.urls import path

from stash.vfs import views

app_name = "files"

urlpatterns = [
    path("", views.place, name="root"),
    path("<path:path>", views.place, name="place"),
]
