from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "People"

    def ready(self) -> None:
        from accounts import schema  # noqa: F401  (drf-spectacular finds extensions by their import)
