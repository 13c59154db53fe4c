"""What an import brought, on one card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from stash_client.history.lessons import Solved, more_than_once
from stash_client.history.reading import Tally

_MOST_LESSONS, _MOST_BROKEN = 5, 10


@dataclass
class Card:
    """Sums over files. ``incomplete``: files to look at again, with the reason."""

    sessions: set[str] = field(default_factory=set)
    projects: set[str] = field(default_factory=set)
    events: int = 0
    accepted: int = 0
    completed: int = 0
    redactions: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    otherwise: int = 0
    broken: list[tuple[str, int, str]] = field(default_factory=list)
    skipped: int = 0
    solved: list[Solved] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    incomplete: list[tuple[str, str]] = field(default_factory=list)

    def add(self, tally: Tally) -> None:
        self.sessions |= tally.sessions
        self.projects |= tally.projects
        self.events += tally.events
        self.accepted += tally.accepted
        self.completed += tally.completed
        self.redactions.update(tally.redactions)
        self.rejected.update(tally.rejected)
        self.otherwise += tally.otherwise
        self.broken += [(tally.path, line, reason) for line, reason in tally.broken]
        self.skipped += tally.skipped
        self.solved += tally.solved
        self.links.update(tally.links)
        if tally.fault:
            self.incomplete.append((tally.path, tally.fault.strip().rsplit("\n", 1)[-1]))

    @property
    def lessons(self) -> list[tuple[Solved, int]]:
        return more_than_once(self.solved)[:_MOST_LESSONS]

    def as_json(self) -> dict[str, Any]:
        return {
            "sessions": len(self.sessions),
            "projects": sorted(self.projects),
            "events": self.events,
            "new_events": self.accepted,
            "completed_events": self.completed,
            "redactions": dict(self.redactions),
            "rejected": dict(self.rejected),
            "known_otherwise": self.otherwise,
            "skipped_lines": self.skipped,
            "broken_lines": [{"file": f, "line": n, "reason": why} for f, n, why in self.broken],
            "incomplete": [{"file": f, "reason": why} for f, why in self.incomplete],
            "solved_more_than_once": [
                {"error": one.shown, "sessions": n, "command": one.command, "fix": list(one.fix),
                 "last": one.at, "url": self.links.get(one.where)}
                for one, n in self.lessons
            ],
        }  # fmt: skip

    def lines(self, *, private: bool) -> list[str]:
        completed = f", {self.completed} made whole" if self.completed else ""
        lines = [
            f"Imported {_count(len(self.sessions), 'session')} of {_count(len(self.projects), 'project')}: "
            f"{_count(self.accepted, 'new event')}{completed}."
        ]
        lines += ["Only you can see them, until you share one."] if private else []
        if self.redactions:
            lines.append(f"Taken out before anything was sent: {_listed(self.redactions)}.")
        if self.otherwise:
            lines.append(f"{_count(self.otherwise, 'event')} came before and differ today; they stay as they were.")
        if self.rejected:
            lines.append(f"Refused by the server: {_listed(self.rejected)}.")
        return [*lines, *self._lesson_lines(), *self._trouble()]

    def _lesson_lines(self) -> Iterable[str]:
        if not self.lessons:
            return
        yield from ("", "Solved more than once:")
        for one, sessions in self.lessons:
            yield f"  {one.shown}"
            yield f"    {_count(sessions, 'session')}, last {one.at[:10]}; `{one.command}` passed after {_files(one)}"
            if link := self.links.get(one.where):
                yield f"    {link}"

    def _trouble(self) -> Iterable[str]:
        if self.skipped:
            yield from ("", f"{_count(self.skipped, 'line')} could not be read and were skipped:")
            yield from (f"  {path}:{line} {reason}" for path, line, reason in self.broken[:_MOST_BROKEN])
        if self.incomplete:
            yield from ("", "Not complete; run stash import again:")
            yield from (f"  {path}: {reason}" for path, reason in self.incomplete[:_MOST_BROKEN])


def _files(one: Solved) -> str:
    return "a change of " + ", ".join(one.fix)


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in counts.most_common())
