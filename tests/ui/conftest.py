from pathlib import Path

import pytest
from django.conf import settings


@pytest.fixture(scope="session", autouse=True)
def _static_root() -> None:
    """WhiteNoise warns about a missing folder, and warnings are errors here."""
    Path(settings.STATIC_ROOT).mkdir(parents=True, exist_ok=True)
