from django.apps import AppConfig


class HomeConfig(AppConfig):
    name = "stash.home"
    label = "home"
