from django.apps import AppConfig


class UiConfig(AppConfig):
    name = "stash.ui"
    label = "ui"
