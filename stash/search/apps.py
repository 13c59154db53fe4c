from django.apps import AppConfig


class SearchConfig(AppConfig):
    name = "stash.search"
    label = "search"
