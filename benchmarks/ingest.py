#!/usr/bin/env python3
"""Ingest over HTTP beside its floor: eight clients, single events and batches, both engines, both kinds of server.

The floor is a bare view of the same server process, behind the same middleware and the same key check, that decodes
the same body and bulk-inserts its events into a table with the same columns and no index but the primary key.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator

import msgspec
from rig.client import Timing, request, together
from rig.cpu import cpu_ms
from rig.engines import Engine, engine
from rig.servers import KINDS, Server, ask
from rig.table import show, verdict
from workload import sessions

CLIENTS = 8
PATHS = {"floor": "/floor/events", "stash": "/api/v1/events"}


def main() -> None:
    options = _options()
    for name in options.engine:
        for kind in options.server:
            with engine(name, with_redis=name == "postgres" and options.redis) as database:
                secrets = [person["secret"] for person in ask(database, "prepare", people=CLIENTS)["people"]]
                with Server(kind, database) as server:
                    _measure(options, database, server, secrets)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", action="append", choices=("sqlite", "postgres"))
    parser.add_argument("--server", action="append", choices=KINDS)
    parser.add_argument("--batch", action="append", type=int, help="events in a request (1 and 50)")
    parser.add_argument("--requests", type=int, default=40, help="requests of each client in each round")
    parser.add_argument("--rounds", type=int, default=4, help="floor and Stash take turns this often")
    parser.add_argument("--no-redis", dest="redis", action="store_false", help="PostgreSQL without Redis")
    options = parser.parse_args()
    options.engine = options.engine or ["sqlite", "postgres"]
    options.server = options.server or list(KINDS)
    options.batch = options.batch or [1, 50]
    return options


def _measure(options: argparse.Namespace, database: Engine, server: Server, secrets: list[str]) -> None:
    rows: list[list[object]] = []
    for batch in options.batch:
        seed = iter(range(1, 1000))
        for what in PATHS:
            _round(what, batch, 5, next(seed), database, server, secrets)
        sums = {what: Timing() for what in PATHS}
        for turn in range(options.rounds):
            for what in list(PATHS)[:: 1 if turn % 2 else -1]:
                sums[what] += _round(what, batch, options.requests, 100 + turn, database, server, secrets)
        rows += [_row(batch, what, timing, sums["floor"]) for what, timing in sums.items()]
    head = [
        "batch",
        "what",
        "p50 ms",
        "p99 ms",
        "events/s",
        "CPU ms/event",
        "server",
        "database",
        "events/s ÷ floor",
        "CPU ÷ floor",
    ]
    show(f"ingest: {database.name}, {server.kind}, {CLIENTS} clients", head, rows)


def _round(
    what: str, batch: int, count: int, seed: int, database: Engine, server: Server, secrets: list[str]
) -> Timing:
    work = [list(_requests(PATHS[what], secret, batch, count, seed * 100 + i)) for i, secret in enumerate(secrets)]
    before = cpu_ms([server.pid]), cpu_ms(database.pids)
    timing = asyncio.run(together(server.port, work))
    timing.cpu_server = cpu_ms([server.pid]) - before[0]
    timing.cpu_database = cpu_ms(database.pids) - before[1]
    timing.events = batch * count * len(secrets)
    return timing


def _requests(path: str, secret: str, batch: int, count: int, seed: int) -> Iterator[bytes]:
    """``count`` requests: sessions of 60 single events, or of four batches each."""
    length = 60 if batch == 1 else 4 * batch
    for session in sessions(-(-count * batch // length), length, seed=seed):
        events = list(session)
        for at in range(0, length, batch):
            if count == 0:
                return
            count -= 1
            body = {"session": session.block(), "events": events[at : at + batch]}
            yield request("POST", path, secret=secret, body=msgspec.json.encode(body))


def _row(batch: int, what: str, timing: Timing, floor: Timing) -> list[object]:
    per = [timing.cpu, timing.cpu_server / timing.events, timing.cpu_database / timing.events]
    row: list[object] = [str(batch), what, timing.ms(0.5), timing.ms(0.99), f"{timing.rate:,.0f}", *per]
    if what == "floor":
        return [*row, "", ""]
    speed, cost = timing.rate / floor.rate, timing.cpu / floor.cpu
    if batch == 1:
        return [*row, f"{speed:.2f}", verdict(cost, 2)]
    return [*row, verdict(speed, 0.4, at_least=True), f"{cost:.2f}"]


if __name__ == "__main__":
    main()
