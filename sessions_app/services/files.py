"""Which files a session touched, counted as it goes, so that no page has to read its events for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection

from sessions_app.models import Event, Session, SessionFile

_COLUMNS = ("edits", "reads", "lines_added", "lines_removed")


@dataclass(slots=True)
class Touch:
    edits: int = 0
    reads: int = 0
    lines_added: int = 0
    lines_removed: int = 0


def touch_files(session: Session, events: Iterable[Event]) -> None:
    """Add what these new events read and changed to the session (not saved here) and to its files."""
    touched = _touches(events)
    if not touched:
        return
    _upsert(session, touched)
    if any(touch.edits for touch in touched.values()):
        session.files = SessionFile.objects.filter(session=session, edits__gt=0).count()
    session.lines_added += sum(touch.lines_added for touch in touched.values())
    session.lines_removed += sum(touch.lines_removed for touch in touched.values())


def _upsert(session: Session, touched: dict[str, Touch]) -> None:
    """One statement that both engines understand; it adds to what is there."""
    table = SessionFile._meta.db_table
    sums = ", ".join(f"{c} = {table}.{c} + excluded.{c}" for c in _COLUMNS)
    values: list[object] = []
    key = Session._meta.get_field("id").get_db_prep_value(session.pk, connection)
    for path, touch in sorted(touched.items()):
        values += [key, path, touch.edits, touch.reads, touch.lines_added, touch.lines_removed]
    rows = ", ".join(["(%s, %s, %s, %s, %s, %s)"] * len(touched))
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} (session_id, path, {', '.join(_COLUMNS)}) "  # noqa: S608 (names, not values)
            f"VALUES {rows} ON CONFLICT (session_id, path) DO UPDATE SET {sums}",
            values,
        )


def _touches(events: Iterable[Event]) -> dict[str, Touch]:
    touched: dict[str, Touch] = {}
    for event in events:
        if event.kind != "tool_call" or event.family not in ("edit", "read"):
            continue
        paths = [path[:500] for path in event.body.get("paths", ()) if path]
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
    for line in diff.splitlines():
        if line.startswith("+++ "):
            named = line[4:].removeprefix("b/").strip()
            path = next((p for p in paths if p.endswith(named)), path)
        elif path is None or line.startswith("--- "):
            continue
        elif line.startswith("+"):
            touched[path].lines_added += 1
        elif line.startswith("-"):
            touched[path].lines_removed += 1
