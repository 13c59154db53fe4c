"""``stash status``: who, where to, who sees it, what waits; from this machine's disk alone."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

from stash_client import accounts, standing, waking, wiring
from stash_client.cli.consenting import sees, server_of
from stash_client.cli.moments import clock, counted
from stash_client.cli.output import Output, plain
from stash_client.standing import Spool, Standing

_NO_ACCOUNT = "no; nothing is captured. To begin: stash signin URL"

EXAMPLES = ("stash status", "stash status --json")


def arguments(parser: ArgumentParser) -> None:
    pass


def run(chosen: Namespace, out: Output) -> None:
    now = standing.here()
    agents = {agent.label: wiring.state(agent.harness).wiring for agent in wiring.detected()}
    rows = [*_servers(now), *_repository(now), *_agents(agents), *_spool(now), *_trouble(now)]
    table = out.table([(f"{title}:" if title else "", plain(words)) for title, words in rows])
    out.result(_facts(now, agents), *([out.styled(_paused(now), "yellow")] if now.paused else []), *table)


def _paused(now: Standing) -> str:
    end = f"until {clock(now.until)}" if now.until else "until you say: stash resume"
    return f"Paused {end}. No session is captured."


def _servers(now: Standing) -> Iterator[tuple[str, str]]:
    if not now.known.all:
        yield "Signed in", _NO_ACCOUNT
    for i, account in enumerate(now.known.all):
        title = "Signed in" if i == 0 else ""
        if accounts.is_of_environment(account.label):
            yield title, f"{account.url}, by STASH_URL and STASH_KEY: everything here is captured"
            continue
        mark = " (default)" if len(now.known.all) > 1 and account == now.known.main else ""
        yield title, f"{server_of(account)} as {account.user}, team {account.team}{mark}"


def _repository(now: Standing) -> Iterator[tuple[str, str]]:
    title = "Repository" if now.checkout.is_git else "Folder"
    name = now.checkout.name or now.checkout.place
    connection, account = now.connection, now.account
    if connection is None:
        why = "you said no; to change that: stash connect" if now.refused else "not connected. To begin: stash connect"
        yield title, f"{name}: nothing is captured; {why}" if now.refused else f"{name}: {why}"
        return
    if account is None:
        yield (
            title,
            f"{name}: connected to {connection.server}, where this machine is not signed in; nothing is captured",
        )
        return
    by = " (all repositories are connected)" if connection.is_everything else ""
    yield title, f"{name}: captured for {server_of(account)}{by}"
    yield "", sees(connection)
    if now.marker.fault:
        yield "", now.marker.fault
    elif now.marker.policy.to_mapping():
        yield "", f"Left out by .stash.toml: {_left_out(now)}"


def _left_out(now: Standing) -> str:
    policy = now.marker.policy
    if policy.metadata_only:
        return "all texts"
    parts = [*(["prompts"] if not policy.prompts else []), *(["output of tools"] if not policy.output else [])]
    return ", ".join([*parts, *policy.ignore])


def _agents(agents: dict[str, str]) -> Iterator[tuple[str, str]]:
    by_state: dict[str, list[str]] = {}
    for label, wired in agents.items():
        by_state.setdefault(wired, []).append(label)
    for i, (wired, labels) in enumerate(by_state.items()):
        yield "" if i else "Agents", f"{wired}: {', '.join(labels)}"
    if not agents:
        yield "Agents", "none found on this machine"


def _spool(now: Standing) -> Iterator[tuple[str, str]]:
    words = f"{counted(now.waiting, 'event waits', 'events wait')} to be sent" if now.waiting else "nothing"
    yield "Waiting", words
    for spool in now.spools:
        yield from (("", line) for line in _of_one(spool))
    if now.dropped:
        lost = ", ".join(f"{count} {what}" for what, count in sorted(now.dropped.items()))
        yield "", f"Left out because the spool was full: {lost}"


def _of_one(spool: Spool) -> Iterator[str]:
    if spool.state.paused:
        yield f"{spool.server}: takes nothing with this key ({spool.state.detail or spool.state.paused}). stash signin"
    elif spool.state.error and spool.waiting:
        at = clock(datetime.fromtimestamp(spool.state.error_at, timezone.utc))
        when = "" if waking.alive() else " with the next call of an agent, or now by: stash flush"
        yield f"{spool.server}: {spool.state.error} ({at}); it is tried again{when}"
    if spool.parked:
        yield f"{spool.server}: {counted(spool.parked, 'event')} set aside until the project is connected there"
    if spool.refused:
        yield f"{spool.server}: {counted(spool.refused, 'event')} it will not take"
    if spool.state.message:
        yield f"{spool.server} says: {spool.state.message}"


def _trouble(now: Standing) -> Iterator[tuple[str, str]]:
    if now.fault:
        at = clock(datetime.fromtimestamp(now.fault[0], timezone.utc))
        yield "Last fault", f"{now.fault[1]} ({at}). stash doctor looks into it"


def _facts(now: Standing, agents: dict[str, str]) -> dict[str, Any]:
    connection = now.connection
    return {
        "servers": [
            {"label": a.label, "url": a.url, "user": a.user, "team": a.team, "machine": a.machine_name,
             "default": a == now.known.main}
            for a in now.known.all
        ],
        "repository": {
            "name": now.checkout.name,
            "place": now.checkout.place,
            "connected": connection is not None and now.account is not None,
            "refused": now.refused,
            "server": connection.server if connection else None,
            "project": connection.slug or None if connection else None,
            "everything": connection.is_everything if connection else False,
            "visibility": connection.visibility if connection else None,
            "policy": now.marker.policy.to_mapping(),
            "marker_fault": now.marker.fault or None,
        },
        "agents": agents,
        "waiting": {
            "records": now.records,
            "servers": [
                {"label": s.server, "waiting": s.waiting, "parked": s.parked, "refused": s.refused,
                 "paused": s.state.paused or None, "error": s.state.error or None}
                for s in now.spools
            ],
            "dropped": now.dropped,
        },
        "paused": now.paused,
        "paused_until": now.until.isoformat() if now.paused and now.until else None,
        "fault": now.fault[1] if now.fault else None,
    }  # fmt: skip
