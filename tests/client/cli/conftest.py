from __future__ import annotations

import pytest

from tests.client.laptop import Laptop


@pytest.fixture
def laptop(tmp_path) -> Laptop:
    return Laptop(tmp_path)


@pytest.fixture
def at_work(laptop, live_server, dana) -> Laptop:
    """Signed in as dana at a server of her own team."""
    laptop.signed_in({"label": "lab", "url": live_server.url, "key": dana.secret})
    return laptop
