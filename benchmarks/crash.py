#!/usr/bin/env python3
"""Kill the server at random moments under load, restart it at once, and count: acknowledged events are there, once.

Four clients send batches and repeat each with the same delivery ids until it is acknowledged, as the client's outbox
does; a watcher of each session resumes from the last seq it saw. In the end the database itself is asked.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
from rig.client import request, until_done
from rig.engines import engine
from rig.servers import KINDS, Server, ask
from rig.table import show
from rig.watch import Watcher, until
from workload import Session

CLIENTS = 4


@dataclass
class Sender:
    """One client with one endless session."""

    secret: str
    session: Session
    acknowledged: list[str] = field(default_factory=list)
    repeats: int = 0
    stored_as: str = ""

    async def run(self, port: int, rng: random.Random, stop: asyncio.Event) -> None:
        events = iter(self.session)
        while not stop.is_set():
            batch = list(itertools.islice(events, rng.randint(1, 10)))
            body = msgspec.json.encode({"session": self.session.block(), "events": batch})
            raw = request("POST", "/api/v1/events", secret=self.secret, body=body)
            answer = msgspec.json.decode(await until_done(port, raw))
            self.acknowledged += [event["uid"] for event in batch]
            self.repeats += answer["duplicates"]
            self.stored_as = answer["session"]


def main() -> None:
    options = _options()
    rows = [_crash(name, options) for name in options.engine]
    head = [
        "engine",
        "kills",
        "acknowledged",
        "stored",
        "lost",
        "twice",
        "gaps",
        "repeats refused",
        "watchers resumed",
        "unseen",
        "seen twice",
    ]
    show(f"crash: {options.server}, {CLIENTS} clients, kill -9", head, rows)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", action="append", choices=("sqlite", "postgres"))
    parser.add_argument("--server", choices=KINDS, default="daphne", help="granian serves no sockets: no watchers then")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.engine = options.engine or ["sqlite", "postgres"]
    return options


def _crash(name: str, options: argparse.Namespace) -> list[object]:
    with engine(name) as database:
        secrets = [person["secret"] for person in ask(database, "prepare", people=CLIENTS)["people"]]
        senders = [Sender(secret, Session(i, 10**9, seed=options.seed)) for i, secret in enumerate(secrets)]
        with Server(options.server, database) as server:
            watchers = asyncio.run(_load(server, senders, options))
        stored: dict[str, list[Any]] = ask(database, "stored")
    sent = [uid for sender in senders for uid in sender.acknowledged]
    found = [uid for rows in stored.values() for uid, _ in rows]
    gaps = sum(sorted(number for _, number in rows) != list(range(1, len(rows) + 1)) for rows in stored.values())
    seen = [len(set(sent) - set(found)), len(found) - len(set(found)), gaps, sum(s.repeats for s in senders)]
    lasts = [len(stored[sender.stored_as]) for sender in senders]
    live: list[object] = ["-", "-", "-"]
    if watchers:
        unseen = sum(w.missing(last) for w, last in zip(watchers, lasts, strict=True))
        live = [sum(w.resumed for w in watchers), unseen, sum(w.doubled for w in watchers)]
    return [name, options.kills, len(sent), len(found), *seen, *live]


async def _load(server: Server, senders: list[Sender], options: argparse.Namespace) -> list[Watcher]:
    stop, rng = asyncio.Event(), random.Random(options.seed)
    sending = [asyncio.create_task(s.run(server.port, random.Random(i), stop)) for i, s in enumerate(senders)]
    await until(lambda: all(s.stored_as for s in senders), seconds=120)
    watchers = [Watcher(server.port, s.stored_as, s.secret) for s in senders] if server.kind == "daphne" else []
    watching = [asyncio.create_task(watcher.run()) for watcher in watchers]
    for _ in _kills(options.kills):
        # Sooner or later after it came up: in the middle of a request, of a commit, or before the first one.
        await asyncio.sleep(rng.uniform(0.0, 1.5))
        server.kill()
        server.start(wait=False)
        had = sum(len(s.acknowledged) for s in senders)
        if rng.random() < 0.9:
            await until(lambda had=had: sum(len(s.acknowledged) for s in senders) > had, seconds=120)
    stop.set()
    await asyncio.gather(*sending)
    await until(
        lambda: all(len(w.seen) == len(s.acknowledged) for w, s in zip(watchers, senders, strict=False)), seconds=60
    )
    for task in watching:
        task.cancel()
    return watchers


def _kills(count: int) -> Iterator[int]:
    start = time.monotonic()
    for number in range(count):
        yield number
        print(f"\r  killed {number + 1} of {count} in {time.monotonic() - start:.0f} s", end="", flush=True)
    print()


if __name__ == "__main__":
    main()
