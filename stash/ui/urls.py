"""Pages for those who work on the look; mounted only while DEBUG is on."""

from django.urls import path

from stash.ui import gallery

urlpatterns = [
    path("", gallery.components, name="gallery"),
    path("session/", gallery.session, name="gallery-session"),
    path("lists/", gallery.lists, name="gallery-lists"),
    path("entry/", gallery.entry, name="gallery-entry"),
    path("error/<slug:code>/", gallery.error, name="gallery-error"),
]
