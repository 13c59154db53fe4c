#!/usr/bin/env python3
"""From the POST of an event to the sockets of everybody who watches its session, beside the bare fan-out.

The floor is the smallest Channels consumer in the same server process: a POST whose body goes to a group of as many
sockets as it is. Its text is as long as the update that a browser gets from Stash for the same event. With ``--lossy``
nothing is timed: thousands of events, watchers that break the line at random, and what each of them saw.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
from rig.client import Connection, Refused, quantile, request
from rig.cpu import cpu_ms
from rig.engines import Engine, engine
from rig.servers import Server, ask
from rig.table import show, verdict
from rig.watch import Watcher, until
from websockets.asyncio.client import ClientConnection, connect
from workload import Session

PAUSE = 0.4
"""Seconds between two posts: longer than the time in which bursts are put together, which is not what is measured."""


@dataclass
class Audience:
    """Sockets that note when a text arrives. ``number``: of the post that a text shows, or None."""

    number: Callable[[str], int | None]
    arrived: dict[int, list[float]] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)

    async def join(self, url: str, secret: str) -> asyncio.Task[None]:
        headers = {"Authorization": f"Bearer {secret}"}
        socket = await connect(url, additional_headers=headers, max_size=None, compression=None, open_timeout=60)
        return asyncio.create_task(self._listen(socket))

    async def _listen(self, socket: ClientConnection) -> None:
        async for text in socket:
            now = time.perf_counter()
            number = self.number(str(text))
            if number is not None:
                self.arrived.setdefault(number, []).append(now)
                self.sizes.append(len(text))


def main() -> None:
    options = _options()
    for name in options.engine:
        with engine(name, with_redis=name == "postgres" and options.redis) as database:
            secret = ask(database, "prepare", people=1)["people"][0]["secret"]
            with Server("daphne", database) as server:
                if options.lossy:
                    asyncio.run(_lossy(options, database, server, secret))
                else:
                    asyncio.run(_timed(options, database, server, secret))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", action="append", choices=("sqlite", "postgres"))
    parser.add_argument("--watchers", type=int, default=100)
    parser.add_argument("--posts", type=int, default=40)
    parser.add_argument("--lossy", action="store_true")
    parser.add_argument("--events", type=int, default=10_000, help="with --lossy")
    parser.add_argument("--no-redis", dest="redis", action="store_false", help="PostgreSQL without Redis")
    options = parser.parse_args()
    options.engine = options.engine or ["sqlite", "postgres"]
    return options


# ---- how long it takes ----------------------------------------------------------------------------------------


async def _timed(options: argparse.Namespace, database: Engine, server: Server, secret: str) -> None:
    poster, session = Connection(server.port), Session(1, 10**9)
    events = iter(session)

    def post() -> bytes:
        body = {"session": session.block(), "events": [next(events)]}
        return request("POST", "/api/v1/events", secret=secret, body=msgspec.json.encode(body))

    found = json.loads(await _send(poster, post()))
    stash, floor = Audience(_seq_of), Audience(_number_of)
    base = f"ws://127.0.0.1:{server.port}"
    url = f"{base}/ws/sessions/{found['session']}/?after={found['last_seq']}&format=html"
    listening = [await stash.join(url, secret) for _ in range(options.watchers)]
    listening += [await floor.join(f"{base}/floor/ws/", secret) for _ in range(options.watchers)]
    sent: dict[str, dict[int, float]] = {"stash": {}, "floor": {}}
    cpu = {"stash": 0.0, "floor": 0.0}
    answered: dict[str, list[float]] = {"stash": [], "floor": []}
    for turn in range(-2, options.posts):  # the first two warm up
        seq = found["last_seq"] + turn + 3
        for what in ("stash", "floor") if turn % 2 else ("floor", "stash"):
            size = int(quantile(stash.sizes, 0.5)) if stash.sizes else 2000
            raw = post() if what == "stash" else request("POST", "/floor/shout", body=f"{seq} {'x' * size}".encode())
            audience = stash if what == "stash" else floor
            before, start = cpu_ms([server.pid, *database.pids]), time.perf_counter()
            await _send(poster, raw)
            answered[what].append(time.perf_counter() - start)
            await until(lambda a=audience, s=seq: len(a.arrived.get(s, ())) >= options.watchers, seconds=20)
            if turn >= 0:
                sent[what][seq] = start
                cpu[what] += cpu_ms([server.pid, *database.pids]) - before
            await asyncio.sleep(PAUSE)
    for task in listening:
        task.cancel()
    _report(options, database, {"stash": stash, "floor": floor}, sent, cpu, answered)


async def _send(poster: Connection, raw: bytes) -> bytes:
    status, body = await poster.send(raw)
    if status != 200:
        raise Refused(f"{status}: {body[:300]!r}")
    return body


def _seq_of(text: str) -> int | None:
    return int(text[7 : text.index(",")]) if text.startswith('{"seq":') else None


def _number_of(text: str) -> int | None:
    return int(text.split(" ", 1)[0])


def _report(
    options: argparse.Namespace,
    database: Engine,
    audiences: dict[str, Audience],
    sent: dict[str, dict[int, float]],
    cpu: dict[str, float],
    answered: dict[str, list[float]],
) -> None:
    waits = {
        what: [at - start for number, start in starts.items() for at in audiences[what].arrived.get(number, ())]
        for what, starts in sent.items()
    }
    p50 = {what: quantile(values, 0.5) * 1000 for what, values in waits.items()}
    p99 = {what: quantile(values, 0.99) * 1000 for what, values in waits.items()}
    wanted = options.posts * options.watchers
    rows = [
        [
            what,
            p50[what],
            p99[what],
            quantile(answered[what], 0.5) * 1000,
            int(quantile(audiences[what].sizes, 0.5)),
            cpu[what] / options.posts,
            wanted - len(waits[what]),
            verdict(p50[what] / p50["floor"], 2) if what == "stash" else "",
            verdict(p99[what] / p99["floor"], 3) if what == "stash" else "",
        ]
        for what in ("floor", "stash")
    ]
    head = ["what", "p50 ms", "p99 ms", "answer ms", "bytes", "CPU ms/post", "lost", "p50 ÷ floor", "p99 ÷ floor"]
    show(f"fan-out: {database.name}, daphne, {options.watchers} watchers, {options.posts} posts", head, rows)


# ---- that nothing is lost -------------------------------------------------------------------------------------


async def _lossy(options: argparse.Namespace, database: Engine, server: Server, secret: str) -> None:
    rng, session = random.Random(1), Session(2, 10**9)
    events, poster = iter(session), Connection(server.port)
    sent = 0

    async def send(count: int) -> str:
        nonlocal sent
        body = {"session": session.block(), "events": [next(events) for _ in range(count)]}
        raw = request("POST", "/api/v1/events", secret=secret, body=msgspec.json.encode(body))
        sent += count
        return str(json.loads(await _send(poster, raw))["session"])

    identity = await send(1)
    count = min(options.watchers, 20)
    watchers = [Watcher(server.port, identity, secret, form=("json", "html")[i % 2]) for i in range(count)]
    watching = [asyncio.create_task(w.run(lifetime=lambda: rng.expovariate(1 / 2.0))) for w in watchers]
    while sent < options.events:
        await send(min(rng.choice((1, 1, 2, 5, 20, 50)), options.events - sent))
    await until(lambda: all(len(w.seen) == sent for w in watchers), seconds=120)
    for task in watching:
        task.cancel()
    total = [sum(w.resumed for w in watchers), sum(w.missing(sent) for w in watchers), sum(w.doubled for w in watchers)]
    head = ["engine", "events", "watchers", "broken lines", "lost", "doubled"]
    show("fan-out with watchers that break the line at random", head, [[database.name, sent, count, *total]])


if __name__ == "__main__":
    main()
