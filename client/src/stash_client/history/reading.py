"""One session file as clean requests for ``POST /events``; nothing of it is held longer than one batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Any, TypeVar

from stash_client import __version__, client_config, home, marker
from stash_client.accounts import Account
from stash_client.checkout import Checkout
from stash_client.consent import Connection
from stash_client.events import Batch, ProjectRef, SessionInfo, Thinking, to_wire
from stash_client.harnesses import HARNESSES
from stash_client.history.lessons import Lessons, Solved
from stash_client.history.plan import Job, Places
from stash_client.privacy import OPEN, Clean, Patterns, Policy, scrub, stricter

T = TypeVar("T")


@dataclass(frozen=True)
class Wishes:
    """``thinking``: take it along. ``share``: new sessions get the connection's visibility instead of private.

    ``patience``: seconds of a server that does not answer, before the rest is left for the next run.
    """

    thinking: bool = False
    share: bool = False
    patience: float = 300.0


@dataclass
class Tally:
    """What one file held and what became of it. ``broken``: (line, reason) of lines nothing could be made of.

    ``otherwise``: events the server has as they were read before, which differs; they stay as they are.
    """

    path: str
    sessions: set[str] = field(default_factory=set)
    projects: set[str] = field(default_factory=set)
    events: int = 0
    accepted: int = 0
    completed: int = 0
    redactions: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    otherwise: int = 0
    broken: list[tuple[int, str]] = field(default_factory=list)
    skipped: int = 0
    solved: list[Solved] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    fault: str = ""


@dataclass(frozen=True)
class Request:
    """``server``: label of the account. ``bytes_read``: of the file so far."""

    server: str
    body: dict[str, Any]
    bytes_read: int


@dataclass(frozen=True)
class _Rules:
    patterns: Patterns
    policy: Policy

    def clean(self, value: T) -> Clean[T]:
        return scrub(value, patterns=self.patterns, policy=self.policy, home=home.of_person())


def _confirmed(connection: Connection) -> tuple[str, ...]:
    return (f"marker:{connection.project}",) if connection.project else ()


class File:
    """Iterate ``requests`` once; ``tally`` grows meanwhile."""

    def __init__(self, job: Job, accounts: dict[str, Account], wishes: Wishes, places: Places) -> None:
        self.job, self.tally = job, Tally(job.found.path)
        self._accounts, self._wishes, self._places = accounts, wishes, places
        self._lessons: dict[str, Lessons] = {}
        self._rules: dict[tuple[str, str], _Rules] = {}

    def requests(self) -> Iterator[Request]:
        """Raises OSError, sqlite3.Error where the file cannot be read."""
        source = HARNESSES[self.job.found.harness].sources[self.job.found.source]
        for transcript in source.read(self.job.found.path):
            before = 0
            for batch in transcript:
                request = self._request(batch, transcript.bytes_read - before)
                before = transcript.bytes_read
                if request is not None:
                    yield request
            self.tally.skipped += sum(transcript.skipped.values())
            self.tally.broken += transcript.broken
        self.tally.solved = [one for lessons in self._lessons.values() for one in lessons.solved]

    def _request(self, batch: Batch, read: int) -> Request | None:
        where = self._places.of(batch.session.cwd) if batch.session.cwd else Checkout(())
        connection = self.job.allowed.get(where.place)
        if connection is None:
            return None
        account = self._accounts[connection.server]
        info = self._session(batch.session, where, connection, account)
        rules = self._rules_of(where, connection)
        clean_info = rules.clean(replace(info, policy=rules.policy.to_mapping())).value
        events = []
        for event in batch.events:
            if isinstance(event, Thinking) and not self._wishes.thinking:
                continue
            clean = rules.clean(event)
            self._learn(clean_info, clean.value)
            self.tally.redactions.update(clean.redactions)
            events.append(to_wire(clean.value))
        self._count(clean_info, connection, len(events))
        body = {
            "sent_at": datetime.now(timezone.utc).isoformat(),
            "origin": "transcript",
            "session": to_wire(clean_info),
            "events": events,
        }
        return Request(connection.server, body, read)

    def _rules_of(self, where: Checkout, connection: Connection) -> _Rules:
        """As for what hooks tell: the stricter of what the repository and its project want left out."""
        key = (connection.server, where.place)
        if key not in self._rules:
            config = client_config.stored(connection.server)
            wanted = marker.read(where.root).policy if where.root else OPEN
            identities = (*_confirmed(connection), *where.identities)
            self._rules[key] = _Rules(config.patterns, stricter(wanted, config.policy_for(identities)))
        return self._rules[key]

    def _session(self, info: SessionInfo, where: Checkout, connection: Connection, account: Account) -> SessionInfo:
        return replace(
            info,
            project=ProjectRef((*_confirmed(connection), *where.identities), where.name),
            machine=account.machine_name,
            visibility=None if self._wishes.share else "private",
            client_version=__version__,
        )

    def _count(self, info: SessionInfo, connection: Connection, events: int) -> None:
        self.tally.events += events
        self.tally.projects.add(connection.slug or connection.name or connection.place)
        if not info.parent_native_id:
            self.tally.sessions.add(info.native_id)

    def _learn(self, info: SessionInfo, event: Any) -> None:
        if info.native_id not in self._lessons:
            self._lessons[info.native_id] = Lessons(info.native_id)
        self._lessons[info.native_id].see(event)
