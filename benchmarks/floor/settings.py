"""Stash's own settings with one more app and one more address each for what is measured beside it."""

from stash.settings import *  # noqa: F403
from stash.settings import INSTALLED_APPS, STORAGES

INSTALLED_APPS = [*INSTALLED_APPS, "floor"]
ROOT_URLCONF = "floor.urls"
SILENCED_SYSTEM_CHECKS = ["models.W042"]
# Nothing here serves static files, and gathering and packing them for each run takes longer than most measurements.
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
