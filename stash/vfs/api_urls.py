from django.urls import path

from stash.vfs import api

urlpatterns = [path("vfs", api.FilesView.as_view(), name="api-vfs")]
