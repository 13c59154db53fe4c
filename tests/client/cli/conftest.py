from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.client.laptop import Laptop
from tests.client.machine import machine, signed_in

__all__ = ["machine", "signed_in"]


@pytest.fixture
def laptop(tmp_path) -> Iterator[Laptop]:
    made = Laptop(tmp_path)
    yield made
    made.close()


@pytest.fixture
def at_work(laptop, live_server, dana) -> Laptop:
    """Signed in as dana at a server of her own team."""
    laptop.signed_in({"label": "lab", "url": live_server.url, "key": dana.secret})
    return laptop
