from django.apps import AppConfig


class RecallConfig(AppConfig):
    name = "stash.recall"
    label = "recall"
