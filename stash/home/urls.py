"""The address without a team."""

from django.urls import path

from stash.home import views

urlpatterns = [path("", views.front, name="front")]
