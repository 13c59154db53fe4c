"""Plays the scripts: every event enters through the same decoding and the same service as one from a hook."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from accounts.selectors import patterns_of
from sessions_app.api.decoding import capture_of
from sessions_app.models import Session
from sessions_app.services.ingest import append_events
from stash.actors import Actor
from stash.home.demo import events
from stash.home.demo.cast import PLAYERS, identity_of
from stash.home.demo.script import Block, Script, scripts
from stash.home.demo.stage import Stage, agree
from stash_client.events import AnyEvent, Batch, ProjectRef, Prompt, Reply, SessionEnd, SessionInfo

_MACHINES = {player.username: next(iter(player.machines)) for player in PLAYERS}


def native_id_of(script: Script, team: object, day: object) -> str:
    """One per team and day: a run on the same day finds its sessions, one on another day looks live again."""
    return str(uuid5(NAMESPACE_URL, f"stash-demo:{team}:{day}:{script.name}"))


def play_all(stage: Stage, now: datetime) -> int:
    """Every session that is not there yet; returns how many events came in."""
    return sum(_play(stage, script, now) for script in scripts())


def _play(stage: Stage, script: Script, now: datetime) -> int:
    actor, info = _who(stage, script, now)
    if Session.objects.filter(team=stage.team, native_id=info.native_id, events__gt=0).exists():
        return 0
    private = script.head.get("visibility") == "private"
    if private:
        agree(actor, script.head["project"], "private")
    stored = sum(_append(actor, batch) for batch in _batches(script, info, now))
    if private:
        agree(actor, script.head["project"], "project")
    return stored


def _who(stage: Stage, script: Script, now: datetime) -> tuple[Actor, SessionInfo]:
    head = script.head
    machine = head.get("machine") or _MACHINES[head["person"]]
    project = head["project"]
    info = SessionInfo(
        harness=head["harness"],
        native_id=native_id_of(script, stage.team.pk, now.date()),
        project=ProjectRef((identity_of(project),), project),
        cwd=f"~/src/{project}",
        branch=head["branch"],
        model=head["model"],
        machine=machine,
        title=head["title"],
        interactive=True,
    )
    return stage.actors[machine], info


def _batches(script: Script, info: SessionInfo, now: datetime) -> Iterator[Batch]:
    """The session itself, then its subagents."""
    found: list[AnyEvent] = [events.start(info.native_id, info.model or "", now - script.ended - script.lasted)]
    children: list[Batch] = []
    for position, (block, ago) in enumerate(script.moments(), start=1):
        event = _event(block, info, position, now - ago)
        found.append(event)
        if block.word == "agent":
            children.append(_child(block, info, event.uid, now - ago))
    yield Batch(info, tuple(found))
    yield from children


def _event(block: Block, info: SessionInfo, position: int, at: datetime) -> AnyEvent:
    return events.event_of(
        block, harness=info.harness, session=info.native_id, position=position, at=at, model=info.model or ""
    )


def _child(block: Block, parent: SessionInfo, uid: str, reported: datetime) -> Batch:
    """The subagent's own session: its task, its calls, its report."""
    info = replace(
        parent,
        native_id=f"{parent.native_id}/{events.agent_id_of(uid)}",
        parent_native_id=parent.native_id,
        agent_type=block.options.get("kind", "explore"),
        title=block.argument,
    )
    times = [reported - timedelta(seconds=4 * left) for left in range(len(block.calls) + 2, -1, -1)]
    told: list[AnyEvent] = [
        Prompt(uid=events.uid_of(info.native_id, 0), occurred_at=times[0].isoformat(), text=block.argument)
    ]
    told += [_event(call, info, number, times[number]) for number, call in enumerate(block.calls, start=1)]
    told.append(Reply(uid=events.uid_of(info.native_id, "report"), occurred_at=times[-2].isoformat(), text=block.text))
    told.append(SessionEnd(uid=events.uid_of(info.native_id, "end"), occurred_at=times[-1].isoformat()))
    return Batch(info, tuple(told))


def _append(actor: Actor, batch: Batch) -> int:
    return append_events(
        actor=actor, capture=capture_of(batch, datetime.now(UTC), patterns=patterns_of(actor))
    ).accepted


def keep_moving(stage: Stage, now: datetime, lasting: timedelta, pause: Callable[[float], None] = time.sleep) -> int:
    """Post further events to the running sessions, one every 1 to 3 s; returns how many.

    Watchers of a server without Redis are in another process and see each within two seconds.
    """
    moving = [script for script in scripts() if script.live]
    run = now.isoformat()
    posted = 0
    for turn, script in zip(itertools.count(), itertools.cycle(moving)):
        if datetime.now(UTC) - now >= lasting:
            break
        actor, info = _who(stage, script, now)
        block = script.live[turn // len(moving) % len(script.live)]
        _step(actor, info, block, position=f"{run}-{turn}", pause=pause)
        posted += 1
    return posted


def _step(actor: Actor, info: SessionInfo, block: Block, *, position: str, pause: Callable[[float], None]) -> None:
    """A call is seen running before it is done, like a real one."""
    at = datetime.now(UTC)
    if block.word in ("bash", "edit", "write", "read", "grep"):
        running = events.activity_of(block, session=info.native_id, position=position, at=at)
        _append(actor, Batch(info, (running,)))
    pause(random.uniform(1, 3))  # noqa: S311 (nothing depends on it)
    done = _event(block, info, 0, datetime.now(UTC))
    renewed: dict[str, Any] = {"uid": events.uid_of(info.native_id, position), "n": time.time_ns()}
    if hasattr(done, "call_id"):
        renewed["call_id"] = renewed["uid"]
    _append(actor, Batch(info, (replace(done, **renewed),)))
