from django.apps import AppConfig


class OpsConfig(AppConfig):
    name = "stash.ops"
    label = "ops"

    def ready(self) -> None:
        from stash import checks  # noqa: F401  (registers them)
