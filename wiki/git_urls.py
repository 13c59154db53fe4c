from django.urls import path

from wiki import git_http

urlpatterns = [
    path("<slug:team>/<slug:slug>.git/info/refs", git_http.refs, name="git-refs"),
    path("<slug:team>/<slug:slug>.git/git-upload-pack", git_http.upload_pack, name="git-upload-pack"),
    path("<slug:team>/<slug:slug>.git/git-receive-pack", git_http.receive_pack, name="git-receive-pack"),
]
