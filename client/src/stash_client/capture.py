"""One inbox record as clean frames: where it happened, whether its person agreed, what is left out, what it says.

Nothing here waits for a network: this works the same whether a server can be reached or not.
"""

from __future__ import annotations

import hashlib
import os
import time
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Optional, TypeVar

from stash_client import __version__, accounts, client_config, consent, home, inbox, marker, pausing, recent
from stash_client.accounts import Accounts
from stash_client.checkout import Checkout
from stash_client.checkouts import Checkouts
from stash_client.client_config import ClientConfig
from stash_client.commits import Head, Heads, commit_at, commits_between
from stash_client.consent import Connection, Consents
from stash_client.events import Batch, Event, Note, ProjectRef, SessionEnd, SessionInfo, TurnEnd
from stash_client.harnesses import UNREADABLE, parse_hook
from stash_client.ids import canonical_harness, hook_uid
from stash_client.inbox import Record
from stash_client.outbox import Frame
from stash_client.outbox.frames import CleanSession, clean_session, frame_of
from stash_client.privacy import OPEN, Clean, Policy, scrub, stricter
from stash_client.recent import Recent
from stash_client.remembered import Remembered

T = TypeVar("T")
_MOST_KNOWN_SESSIONS = 512
_LATE_SECONDS = 10


@dataclass(frozen=True)
class Captured:
    """What one record became; no frames where nobody agreed to it. ``recent``: the sessions it told of."""

    frames: tuple[Frame, ...] = ()
    recent: tuple[Recent, ...] = ()


@dataclass(frozen=True)
class _Where:
    """Where a batch happened and what its person agreed to there."""

    checkout: Checkout
    connection: Connection
    machine: str
    machine_name: str
    policy: Policy
    config: ClientConfig

    def cleaned(self, value: T) -> Clean[T]:
        return scrub(value, patterns=self.config.patterns, policy=self.policy, home=home.of_person())


@dataclass
class Capture:
    """Turns records into frames; what it looks up on the machine it keeps for some seconds. For one thread."""

    checkouts: Checkouts = field(default_factory=Checkouts)
    heads: Heads = field(default_factory=Heads)
    _sessions: dict[object, CleanSession] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._consents: Remembered[Consents] = Remembered(consent.path(), consent.stored)
        self._accounts: Remembered[Accounts] = Remembered(accounts.path(), accounts.load)
        self._private: Remembered[frozenset[str]] = Remembered(recent.private_folder(), recent.private_keys)
        self._paused_path = str(pausing.path())
        self._markers: dict[str, Remembered[Policy]] = {}
        self._configs: dict[str, Remembered[ClientConfig]] = {}

    def captured(self, record: Record) -> Captured:
        """Never raises on what is in a record: where we fail ourselves, a note without its content says so."""
        if self._is_paused(record.mtime_ns):
            return Captured()
        batches = self._parsed(record)
        if _is_told_twice(record, batches):
            return Captured()
        try:
            return self._told(record, batches)
        except Exception as fault:
            inbox.note_fault(_without_words(fault))
            said = f"{len(record.payload)} bytes could not be read: {type(fault).__name__}"
            return self._told(record, _unreadable(record, said, batches[0].session.cwd))

    def _told(self, record: Record, batches: tuple[Batch, ...]) -> Captured:
        frames: list[Frame] = []
        seen: list[Recent] = []
        index = 0
        for batch in batches:
            where = self._where(record, batch.session)
            if where is None:
                continue
            events = []
            for event in batch.events:
                named = replace(event, uid=hook_uid(where.machine, record.key, index))
                events.append(self._with_commits(named, batch.session, where, record))
                index += 1
            frames += self._clean(where, batch.session, events, record)
            seen.append(_seen(batch, where))
        return Captured(tuple(frames), tuple(seen))

    def _is_paused(self, at_ns: int) -> bool:
        """Whether capture was paused at that moment (ns since 1970); what happened before the pause is captured."""
        try:
            begun = os.stat(self._paused_path).st_mtime_ns
        except OSError:
            return False
        return at_ns >= begun and pausing.is_paused(datetime.fromtimestamp(at_ns / 1e9, timezone.utc))

    def _parsed(self, record: Record) -> tuple[Batch, ...]:
        """What cannot be read, for whatever reason, is kept as text."""
        at = _rfc3339(record.mtime_ns)
        try:
            return parse_hook(
                record.harness,
                record.payload,
                event=record.event or None,
                occurred_at=at,
                n=record.mtime_ns,
                on_its_machine=True,
            )
        except Exception:
            return _unreadable(record, record.payload.decode("utf-8", "replace"))

    def _where(self, record: Record, info: SessionInfo) -> Optional[_Where]:
        """None where nobody agreed to capture."""
        known = self._accounts.now()
        consents = consent.with_environment(self._consents.now(), record.headers.get("environment", ""))
        main = known.main
        folder = _folder(info, record)
        if not folder:
            checkout = Checkout(())
        else:
            checkout = self.checkouts.of(folder, main.machine if main else "", record.mtime_ns)
        connection = consents.for_checkout(checkout)
        if connection is None:
            return None
        account = known.named(connection.server)
        machine = account.machine if account else connection.server
        if folder and account is not None and account is not main:
            checkout = self.checkouts.of(folder, machine, record.mtime_ns)
        config = self._config(connection.server)
        policy = stricter(self._wanted(checkout.root), config.policy_for(_identities(checkout, connection)))
        return _Where(checkout, connection, machine, account.machine_name if account else "", policy, config)

    def _wanted(self, root: str) -> Policy:
        """What the repository itself wants left out."""
        if not root:
            return OPEN
        if root not in self._markers:
            self._markers[root] = Remembered(marker.path(root), lambda: marker.read(root).policy)
        return self._markers[root].now()

    def _config(self, label: str) -> ClientConfig:
        if label not in self._configs:
            self._configs[label] = Remembered(client_config.path(label), lambda: client_config.stored(label))
        return self._configs[label].now()

    def _with_commits(self, event: Event, info: SessionInfo, where: _Where, record: Record) -> Event:
        """At the end of a turn, what was committed since the last one; see ``commits``."""
        if info.parent_native_id or not where.checkout.root:
            return event
        key = recent.key_of(info.harness, info.native_id)
        before = self.heads.get(key)
        if before is not None and not isinstance(event, (TurnEnd, SessionEnd)):
            return event
        checkout = where.checkout
        if before is not None:
            checkout = self.checkouts.fresh(checkout, where.machine, record.mtime_ns)
        now = _head(checkout, record.mtime_ns)
        if not now.commit:
            return event
        self.heads.put(key, now)
        made = commits_between(checkout.root, before, now) if before else []
        return replace(event, extra={**event.extra, "commits": made}) if made else event

    def _clean(self, where: _Where, info: SessionInfo, events: list[Event], record: Record) -> Iterator[Frame]:
        session = self._session(info, where, record)
        for event in events:
            clean = where.cleaned(event)
            yield frame_of(where.connection.server, where.checkout.place, session, clean)

    def _session(self, info: SessionInfo, where: _Where, record: Record) -> CleanSession:
        """The same block comes with every event of a session."""
        private = where.connection.visibility == "private" or recent.is_one_of(
            self._private.now(), info.harness, info.native_id
        )
        interactive = _interactive(record.headers)
        told = tuple(value for value in vars(info).values() if value is None or isinstance(value, (str, bool)))
        facts = (told, where.checkout, where.connection, where.machine_name, where.policy, id(where.config))
        known = self._sessions.get((facts, private, interactive))
        if known is None:
            if len(self._sessions) >= _MOST_KNOWN_SESSIONS:
                self._sessions.clear()
            block = _block(info, where, private=private, interactive=interactive)
            known = clean_session(where.cleaned(block))
            self._sessions[facts, private, interactive] = known
        return known


def _without_words(fault: Exception) -> str:
    """Where it happened and of what kind it is: its words may quote what nobody has looked through yet."""
    return "".join([*traceback.format_tb(fault.__traceback__), type(fault).__name__])


def _is_told_twice(record: Record, batches: tuple[Batch, ...]) -> bool:
    """Whether an agent ran another one's hook, and is wired itself: its own hook tells the same."""
    others = {batch.session.harness for batch in batches} - {canonical_harness(record.harness)}
    if not others:
        return False
    from stash_client.wiring.records import calls_since  # hooks of agents that keep to themselves do not wait for it

    since = (calls_since(harness) for harness in others)
    return any(at is not None and at * 1e9 <= record.mtime_ns for at in since)


def _unreadable(record: Record, text: str, cwd: Optional[str] = None) -> tuple[Batch, ...]:
    note = Note(name=UNREADABLE, text=text, occurred_at=_rfc3339(record.mtime_ns), n=record.mtime_ns)
    return (Batch(SessionInfo(canonical_harness(record.harness), UNREADABLE, cwd=cwd), (note,)),)


def _block(info: SessionInfo, where: _Where, *, private: bool, interactive: Optional[bool]) -> SessionInfo:
    checkout = where.checkout
    return replace(
        info,
        project=ProjectRef(_identities(checkout, where.connection), checkout.name),
        checkout=_checkout_hash(where),
        branch=info.branch or checkout.branch,
        commit=info.commit or checkout.commit,
        machine=where.machine_name or None,
        client_version=__version__,
        interactive=interactive,
        visibility="private" if private else None,
        policy=where.policy.to_mapping(),
    )


def _head(checkout: Checkout, at_ns: int) -> Head:
    """Where the checkout stood at that moment. Git is asked about the past only when the record lay for a while."""
    commit, at = checkout.commit or "", at_ns // 1_000_000_000
    if commit and time.time() - at > _LATE_SECONDS:
        commit = commit_at(checkout.root, commit, at) or commit
    return Head(commit, at)


def _folder(info: SessionInfo, record: Record) -> str:
    """The folder the agent works in, as it says itself, else as its hook saw it; "" when nobody knows.

    One that is gone (a deleted worktree) is taken for where its harness says the project is.
    """
    project = record.headers.get("project_dir", "")
    told = [folder for folder in (info.cwd or "", project or record.cwd) if folder and os.path.isabs(folder)]
    return next((folder for folder in told if os.path.isdir(folder)), told[0] if told else "")


def _identities(checkout: Checkout, connection: Connection) -> tuple[str, ...]:
    """What the person confirmed for this checkout comes first."""
    confirmed = (f"marker:{connection.project}",) if connection.project else ()
    return (*confirmed, *checkout.identities)


def _checkout_hash(where: _Where) -> Optional[str]:
    """Worktrees of one repository differ in it; it does not tell the path."""
    real = where.checkout.root or where.checkout.place
    return hashlib.sha256(f"{where.machine}\0{real}".encode("utf-8", "replace")).hexdigest()[:16] if real else None


def _interactive(headers: Mapping[str, str]) -> Optional[bool]:
    """Claude Code says how it was started; ``sdk-…`` are programs. Nobody else does."""
    entrypoint = headers.get("entrypoint", "")
    return None if not entrypoint else not entrypoint.startswith("sdk")


def _seen(batch: Batch, where: _Where) -> Recent:
    info = batch.session
    times = [event.occurred_at for event in batch.events]
    return Recent(
        info.harness,
        info.native_id,
        where.checkout.place,
        where.checkout.root or where.checkout.place,
        where.connection.server,
        first_at=min(times, default=""),
        last_at=max(times, default=""),
        parent=info.parent_native_id or "",
    )


def _rfc3339(ns: int) -> str:
    return datetime.fromtimestamp(ns / 1e9, timezone.utc).isoformat()
