from django.apps import AppConfig
from django.contrib.staticfiles.apps import StaticFilesConfig


class OpsConfig(AppConfig):
    default = True
    name = "stash.ops"
    label = "ops"

    def ready(self) -> None:
        from stash import checks  # noqa: F401  (registers them)


class StaticFiles(StaticFilesConfig):
    """Leaves out what no page links to: compressing it would double the time of the first start."""

    ignore_patterns = (*StaticFilesConfig.ignore_patterns, "redoc", "rest_framework", "swagger-ui-es-bundle*")
