from django.apps import AppConfig


class VectorsConfig(AppConfig):
    name = "stash.vectors"
    label = "vectors"
