"""A small tree: what Dana and Ravi did in the project ``shop``, shared and private."""

from __future__ import annotations

import pytest

from tests.conftest import connect
from tests.sessions_app.wire import edit, prompt, reply, shell
from tests.vfs.tree import tell


@pytest.fixture
def told(dana, ravi, shop) -> dict[str, str]:
    """Sessions by what they are about."""
    connect(ravi, shop)
    return {
        "totals": tell(
            dana,
            "s-1",
            prompt("Fix the totals of receipts"),
            shell("pytest fares -q", "F...\n1 failed, 32 passed\nAssertionError: 12.005 != 12.01", 1, at=9),
            edit("shop/totals.py", "@@ -1 +1 @@\n-round(x)\n+round(x, 2)\n", at=20),
            reply("Rounded once per ticket.\nA|B stays literal.\n\n  café, naïve, 締め処理", at=40),
            branch="fix/rounding",
        ),
        "deploy": tell(
            ravi,
            "s-2",
            prompt("Deploy the shop to staging", at=90_000),
            shell("make deploy", "uploading...\nTimeoutError: no answer after 30 s\nretry 1\nretry 2\n", 2, at=90_010),
            reply("Deployed; the lid gasket: see drawing.", at=90_030),
            harness="codex",
        ),
        "private": tell(
            ravi, "s-3", prompt("My own secret plan zebra", at=300), reply("zebra done", at=310), visibility="private"
        ),
    }
