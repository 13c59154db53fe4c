"""What is known of a session, as names and values for its side panel."""

from __future__ import annotations

from collections.abc import Iterator

from sessions_app.models import Session
from sessions_app.rendering.text import one_line
from stash.ui.words import compact

Fact = tuple[str, str, bool]
"""Name, value, whether a machine said it (mono)."""


def facts_of(session: Session) -> list[Fact]:
    """Only what is known; who can see it and what was redacted always."""
    return [fact for fact in _all(session) if fact[1]]


def _all(session: Session) -> Iterator[Fact]:
    machine = session.machine_name or (session.machine.name if session.machine else "")
    yield "Machine", one_line(machine, 120), True
    yield "Model", one_line(session.model, 120), True
    yield "Tokens", _tokens(session), False
    yield "Visible to", _who(session), False
    yield "Folder", one_line(session.cwd, 300), True
    yield "Commit", one_line(session.commit, 10), True
    found = ", ".join(f"{times} {one_line(name, 40)}" for name, times in sorted(session.redactions.items()))
    yield "Redacted", found or "nothing", False
    yield "Ended", one_line(session.end_reason, 40), False


def _tokens(session: Session) -> str:
    if not (session.tokens_in or session.tokens_out):
        return ""
    said = f"{compact(session.tokens_in)} in, {compact(session.tokens_out)} out"
    return f"{said}, {compact(session.tokens_cache_read)} from cache" if session.tokens_cache_read else said


def _who(session: Session) -> str:
    if session.visibility == Session.Visibility.PRIVATE or session.project is None:
        return f"{one_line(session.person.display_name, 80)} only"
    return f"everybody in {one_line(session.project.name, 80)}"
