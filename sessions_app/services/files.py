"""Which files a session touched, counted as it goes, so that no page has to read its events for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import F

from sessions_app.models import Event, Session, SessionFile

_COLUMNS = ("edits", "reads", "lines_added", "lines_removed")
_MOST_PATHS = 1000
"""Of one event; a call that names more says nothing about any of them."""
_AT_ONCE = 1000
"""Rows in one statement: a batch may name any number of paths, SQLite takes 32,766 values."""


@dataclass(slots=True)
class Touch:
    edits: int = 0
    reads: int = 0
    lines_added: int = 0
    lines_removed: int = 0


Touches = dict[str, Touch]


def touch_files(session: Session, events: Iterable[Event]) -> None:
    """Add what these new events read and changed to the session (not saved here) and to its files."""
    total: Touches = {}
    for event in events:
        _add(total, touches_of(event))
    add_touches(session, total)


def note_difference(total: Touches, after: Touches, before: Touches) -> None:
    """Add to ``total`` what is to be counted where an event said ``before`` and says ``after``."""
    _add(total, after)
    _add(total, before, sign=-1)


def add_touches(session: Session, total: Touches) -> None:
    touched = {path: touch for path, touch in total.items() if touch != Touch()}
    if not touched:
        return
    _upsert(session, touched)
    if any(touch.edits for touch in touched.values()):
        session.files = SessionFile.objects.filter(session=session, edits__gt=0).count()
    session.lines_added += sum(touch.lines_added for touch in touched.values())
    session.lines_removed += sum(touch.lines_removed for touch in touched.values())


def _add(total: Touches, touches: Touches, sign: int = 1) -> None:
    for path, touch in touches.items():
        sums = total.setdefault(path, Touch())
        for name in _COLUMNS:
            setattr(sums, name, getattr(sums, name) + sign * getattr(touch, name))


def _upsert(session: Session, touched: Touches) -> None:
    """Statements that both engines understand; they add to what is there. Sorted, so that writers never wait in a ring.

    What is taken back needs one of its own: a row to insert may not be negative, not even one that is then added.
    """
    rows = sorted(touched.items())
    for start in range(0, len(rows), _AT_ONCE):
        _insert(
            session,
            [(path, {c: max(getattr(touch, c), 0) for c in _COLUMNS}) for path, touch in rows[start:][:_AT_ONCE]],
        )
    for path, touch in rows:
        less = {c: F(c) + getattr(touch, c) for c in _COLUMNS if getattr(touch, c) < 0}
        if less:
            SessionFile.objects.filter(session=session, path=path).update(**less)


def _insert(session: Session, touched: list[tuple[str, dict[str, int]]]) -> None:
    table = SessionFile._meta.db_table
    sums = ", ".join(f"{c} = {table}.{c} + excluded.{c}" for c in _COLUMNS)
    values: list[Any] = []
    key = Session._meta.get_field("id").get_db_prep_value(session.pk, connection)
    for path, counts in touched:
        values += [key, path, *counts.values()]
    rows = ", ".join(["(%s, %s, %s, %s, %s, %s)"] * len(touched))
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} (session_id, path, {', '.join(_COLUMNS)}) "  # noqa: S608 (names, not values)
            f"VALUES {rows} ON CONFLICT (session_id, path) DO UPDATE SET {sums}",
            values,
        )


def touches_of(event: Event) -> Touches:
    """What one event read and changed, by path."""
    touched: Touches = {}
    if event.kind != "tool_call" or event.family not in ("edit", "read"):
        return touched
    paths = [path[:500] for path in event.body.get("paths", ())[:_MOST_PATHS] if path]
    for path in paths:
        touch = touched.setdefault(path, Touch())
        touch.edits += event.family == "edit"
        touch.reads += event.family == "read"
    if event.family == "edit" and event.ok is not False:
        _count_lines(touched, event.body.get("diff") or "", paths)
    return touched


def _count_lines(touched: dict[str, Touch], diff: str, paths: list[str]) -> None:
    """Lines added and removed per file of a unified diff; ``+++ b/<path>`` names the file of what follows."""
    path = paths[0] if paths else None
    for line in diff.split("\n"):
        if line.startswith("+++ "):
            named = line[4:].removeprefix("b/").strip()
            path = next((p for p in paths if p.endswith(named)), path)
        elif path is None or line.startswith("--- "):
            continue
        elif line.startswith("+"):
            touched[path].lines_added += 1
        elif line.startswith("-"):
            touched[path].lines_removed += 1
