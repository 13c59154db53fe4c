from django.urls import path

from stash.ops import views

urlpatterns = [path("healthz", views.healthz, name="healthz")]
