"""What would be sent for the last session of a checkout, made by the same steps as what is sent.

From what waits; where nothing does, from the file the agent itself keeps, so that it can be seen before anybody agrees.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from stash_client import client_config, home, lately, marker
from stash_client.checkout import Checkout, checkout_of
from stash_client.client_config import ClientConfig
from stash_client.consent import Connection
from stash_client.events import Thinking, to_wire
from stash_client.harnesses.sources import Source
from stash_client.history import finding
from stash_client.history.finding import Found
from stash_client.outbox import Frame, Outbox
from stash_client.privacy import Policy, scrub, stricter

REDACTED = re.compile(r"\[redacted:([a-z0-9_.-]+)\]")
WAITING, TRANSCRIPT = "what waits", "the agent's own file"
_MOST_FILES = 100


@dataclass(frozen=True)
class Preview:
    """``source``: what it was made from, ``path``: that file. ``session``, ``events``: the wire form, oldest first."""

    source: str
    path: str
    session: Mapping[str, Any]
    events: tuple[Mapping[str, Any], ...]
    policy: Policy

    @property
    def redactions(self) -> Counter[str]:
        """By type, as they are marked in the texts."""
        return Counter(REDACTED.findall(json.dumps([self.session, *self.events], ensure_ascii=False)))


def last(checkout: Checkout, connection: Connection | None) -> Preview | None:
    """None where nothing ran here that anybody could send."""
    lately.collect()
    config = client_config.stored(connection.server) if connection else ClientConfig()
    wanted = marker.read(checkout.root or checkout.place).policy
    confirmed = (f"marker:{connection.project}",) if connection and connection.project else ()
    policy = stricter(wanted, config.policy_for((*confirmed, *checkout.identities)))
    return _waiting(checkout, policy) or _transcript(checkout, policy, config)


def _waiting(checkout: Checkout, policy: Policy) -> Preview | None:
    frames: dict[tuple[str, str], list[Frame]] = {}
    for box in Outbox().boxes.values():
        for frame in box.queue.look():
            if frame.place == checkout.place:
                frames.setdefault(frame.key, []).append(frame)
    if not frames:
        return None
    newest = max(frames.values(), key=lambda of_one: max(frame.at for frame in of_one))
    session: dict[str, Any] = {}
    for frame in newest:
        session.update(frame.session)
    return Preview(WAITING, "", session, tuple(frame.event for frame in newest), policy)


def _transcript(checkout: Checkout, policy: Policy, config: ClientConfig) -> Preview | None:
    newest = sorted(finding.files(), key=lambda pair: pair[1].mtime_ns, reverse=True)[:_MOST_FILES]
    places: dict[str, str] = {}
    for source, found in newest:
        native_id = _session_here(source, found, checkout, places)
        if native_id:
            return _read(source, found, native_id, policy, config)
    return None


def _session_here(source: Source, found: Found, checkout: Checkout, places: dict[str, str]) -> str:
    """The last of the file's sessions that ran in the checkout; "" where none did or the file cannot be read."""
    try:
        sessions = finding.sessions_in(source, found.path)
    except (OSError, sqlite3.Error):
        return ""
    here = ""
    for session in sessions:
        folder = session.cwd or ""
        if "/" in session.native_id or not os.path.isdir(folder):
            continue
        if folder not in places:
            places[folder] = checkout_of(folder, "").place
        here = session.native_id if places[folder] == checkout.place else here
    return here


def _read(source: Source, found: Found, native_id: str, policy: Policy, config: ClientConfig) -> Preview:
    def clean(value: Any) -> Mapping[str, Any]:
        return to_wire(scrub(value, patterns=config.patterns, policy=policy, home=home.of_person()).value)

    events: list[Mapping[str, Any]] = []
    session: Mapping[str, Any] = {}
    for transcript in source.read(found.path):
        for batch in transcript:
            if batch.session.native_id != native_id:
                continue
            info = replace(batch.session, policy=policy.to_mapping())
            session = clean(info)
            said = [event for event in batch.events if not isinstance(event, Thinking)]
            events += [clean(event) for event in said]
    return Preview(TRANSCRIPT, found.path, session, tuple(events), policy)
