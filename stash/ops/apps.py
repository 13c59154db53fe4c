from django.apps import AppConfig


class OpsConfig(AppConfig):
    name = "stash.ops"
    label = "ops"
