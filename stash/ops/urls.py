from django.urls import path

from stash.ops import install, views

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", views.metrics, name="metrics"),
    path("install", install.shell_script, name="install"),
    path("install.ps1", install.powershell_script, name="install-powershell"),
    path("client/", install.index, name="client-index"),
    path("client/stash-client/", install.package, name="client-package"),
    path("client/<str:digest>/<str:name>", install.wheel_file, name="client-wheel"),
]
