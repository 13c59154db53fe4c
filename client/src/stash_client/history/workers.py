"""Reading and sending in parallel processes; each takes the next file when it is done with one.

Nothing is kept that the server has not answered for: a file counts as done when its last request was accepted.
"""

from __future__ import annotations

import multiprocessing
import random
import sqlite3
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from queue import Empty
from typing import Any, Optional, Union

from stash_client import api
from stash_client.accounts import Account
from stash_client.history.plan import Job, Places
from stash_client.history.reading import File, Request, Tally, Wishes


@dataclass(frozen=True)
class Read:
    """Progress: so many bytes of a file more."""

    size: int


@dataclass(frozen=True)
class Done:
    """A file is through. ``complete``: the server has all of it."""

    job: Job
    tally: Tally
    complete: bool


Message = Union[Read, Done]
_TOLD_OTHERWISE = "uid_conflict"
"""The server has the event as it was read before: by an older client, or before the team had a pattern of today."""


def send(request: Request, accounts: dict[str, Account], *, patience: float) -> dict[str, Any]:
    """The server's receipt. Waits out a server that is away. Raises Unreachable in the end, and Refused."""
    account = accounts[request.server]
    wait, until = 0.5, time.monotonic() + patience
    while True:
        try:
            receipt = api.post(f"{account.url}/api/v1/events", request.body, key=account.key, seconds=60)
            if not isinstance(receipt.get("accepted"), int):
                raise api.Unreachable("what answered there is not Stash")
            return receipt
        except api.Unreachable:
            if time.monotonic() + wait > until:
                raise
            time.sleep(wait * random.uniform(0.7, 1.3))  # noqa: S311 (spreads retries, guards nothing)
            wait = min(wait * 2, 30)


def one_file(job: Job, accounts: dict[str, Account], wishes: Wishes, places: Places) -> Iterator[Message]:
    """Send it; progress on the way, ``Done`` at the end. Raises Unreachable when the server stays away."""
    file, seen = File(job, accounts, wishes, places), 0
    complete = False
    try:
        for request in file.requests():
            if request.body["events"] or request.body["session"].get("title"):
                _absorb(file.tally, request, send(request, accounts, patience=wishes.patience))
            seen += request.bytes_read
            yield Read(request.bytes_read)
        complete = not file.tally.rejected
    except (OSError, sqlite3.Error, api.Refused) as fault:
        file.tally.fault = str(fault)
    yield Read(max(0, job.found.size - seen))
    yield Done(job, file.tally, complete)


def _absorb(tally: Tally, request: Request, receipt: dict[str, Any]) -> None:
    tally.accepted += int(receipt.get("accepted", 0))
    tally.completed += int(receipt.get("completed", 0))
    tally.links[request.body["session"]["native_id"]] = str(receipt.get("url", ""))
    for rejection in receipt.get("rejected", ()):
        code = str(rejection.get("problem", {}).get("code", "rejected"))
        if code == _TOLD_OTHERWISE:
            tally.otherwise += 1
        else:
            tally.rejected[code] += 1


def guarded(job: Job, accounts: dict[str, Account], wishes: Wishes, places: Places) -> Iterator[Message]:
    """One file that breaks a reader does not stop the others. Raises Unreachable."""
    try:
        yield from one_file(job, accounts, wishes, places)
    except api.Unreachable:
        raise
    except Exception:
        yield Done(job, Tally(job.found.path, fault=traceback.format_exc()), complete=False)


def run(jobs: Sequence[Job], accounts: dict[str, Account], wishes: Wishes, *, workers: int) -> Iterator[Message]:
    """All messages of all files. Raises Unreachable; stopping the iteration stops the workers."""
    if workers > 1 and len(jobs) > 1:
        yield from _in_processes(jobs, accounts, wishes, min(workers, len(jobs)))
        return
    places = Places(machine_of(accounts))
    for job in jobs:
        yield from guarded(job, accounts, wishes, places)


def machine_of(accounts: dict[str, Account]) -> str:
    return next(iter(accounts.values())).machine


def _in_processes(jobs: Sequence[Job], accounts: dict[str, Account], wishes: Wishes, workers: int) -> Iterator[Message]:
    context = multiprocessing.get_context("spawn")
    todo: Any = context.Queue()
    said: Any = context.Queue(maxsize=1000)
    for job in (*jobs, *[None] * workers):
        todo.put(job)
    crew = [context.Process(target=_work, args=(todo, said, accounts, wishes), daemon=True) for _ in range(workers)]
    for process in crew:
        process.start()
    try:
        yield from _listen(said, crew)
    finally:
        for process in crew:
            process.terminate()


def _listen(said: Any, crew: Sequence[Any]) -> Iterator[Message]:
    working = len(crew)
    while working:
        try:
            message = said.get(timeout=1)
        except Empty:
            if not any(process.is_alive() for process in crew):
                raise api.Unreachable("the processes that read the files were stopped") from None
            continue
        if message is None:
            working -= 1
        elif isinstance(message, str):
            raise api.Unreachable(message)
        else:
            yield message


def _work(todo: Any, said: Any, accounts: dict[str, Account], wishes: Wishes) -> None:
    places = Places(machine_of(accounts))
    job: Optional[Job]
    try:
        while (job := todo.get()) is not None:
            for message in guarded(job, accounts, wishes, places):
                said.put(message)
    except api.Unreachable as fault:
        said.put(str(fault))
    except KeyboardInterrupt:
        return
    else:
        said.put(None)
