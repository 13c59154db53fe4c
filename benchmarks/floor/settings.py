"""Stash's own settings with one more app and one more address each for what is measured beside it."""

from stash.settings import *  # noqa: F403
from stash.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "floor"]
ROOT_URLCONF = "floor.urls"
SILENCED_SYSTEM_CHECKS = ["models.W042"]
