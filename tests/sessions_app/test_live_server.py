"""The stream over real sockets: two server processes on one database, restarts in between."""

from __future__ import annotations

import asyncio
import json
import random
import urllib.request
from contextlib import ExitStack
from datetime import UTC, datetime
from uuid import uuid4

import pytest
import websockets

from tests.servers import Server, running

pytestmark = pytest.mark.one_engine
TOTAL = 120
PATIENCE = 60

SETUP = """
import django; django.setup()
from tests.conftest import connect, make_person, make_project
from accounts.models import Team
team = Team.objects.create(slug="harbour", name="Harbour")
dana = make_person(team, "dana")
connect(dana, make_project(team, "shop"))
print(dana.secret)
"""


def post(server: Server, key: str, numbers: list[int]) -> dict:
    now = datetime.now(UTC).isoformat()
    body = {
        "sent_at": now,
        "session": {
            "harness": "claude-code",
            "native_id": "one",
            "project": {"identities": ["git.example.test/acme/shop"]},
        },
        "events": [
            {"uid": str(uuid4()), "n": n, "kind": "reply", "occurred_at": now, "text": f"reply {n}"} for n in numbers
        ],
    }
    request = urllib.request.Request(
        f"{server.url}/api/v1/events",
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as response:
        return json.load(response)


async def follow(address: str, key: str, got: list[int], until: int, leave_after: int) -> None:
    """Read from the last seen seq; leave after so many events or with the server.

    Who leaves in the middle does not wait for the server's farewell behind what is still unread.
    """
    after = got[-1] if got else 0
    url = f"{address.replace('http', 'ws')}&after={after}"
    try:
        async with websockets.connect(
            url, additional_headers={"Authorization": f"Bearer {key}"}, close_timeout=0.2
        ) as socket:
            for _ in range(leave_after):
                got.append(json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))["seq"])
                if got[-1] == until:
                    return
    except (OSError, websockets.WebSocketException):
        await asyncio.sleep(0.2)


def test_two_processes_and_a_restart_lose_nothing(tmp_path):
    """What one process stores the other streams: its own tick finds what no hint could tell it."""
    chance = random.Random(3)
    with ExitStack() as stack:
        writer = stack.enter_context(running(tmp_path))
        key = writer.python("-c", SETUP).strip().splitlines()[-1]
        session = post(writer, key, [1])["session"]
        path = f"/ws/sessions/{session}/?format=json"
        got: dict[str, list[int]] = {"same": [], "other": []}

        async def read(name: str, server: Server) -> None:
            while not got[name] or got[name][-1] < TOTAL:
                await follow(server.url + path, key, got[name], TOTAL, chance.randint(1, 50))

        stored = 1

        async def write(until: int) -> None:
            nonlocal stored
            while stored < until:
                numbers = list(range(stored + 1, min(stored + chance.randint(1, 8), until) + 1))
                await asyncio.to_thread(post, writer, key, numbers)
                stored = numbers[-1]

        async def story() -> None:
            with running(tmp_path) as reader:
                await asyncio.gather(write(TOTAL // 2), follow(reader.url + path, key, got["other"], TOTAL, 30))
            with running(tmp_path) as reader:
                await asyncio.gather(write(TOTAL), read("same", writer), read("other", reader))

        asyncio.run(story())
    for name, seen in got.items():
        assert seen == list(range(1, TOTAL + 1)), name
