"""What a team sees first."""

from django.urls import path

from stash.home import onboarding, views

urlpatterns = [
    path("", views.home, name="home"),
    path("connect/", onboarding.connect, name="connect"),
    path("connect/listening/", onboarding.listening, name="connect-listening"),
]
