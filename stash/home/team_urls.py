"""What a team sees first."""

from django.urls import path

from stash.home import views

urlpatterns = [path("", views.home, name="home")]
