"""Fills the tables directly with realistic sessions: a few are made event by event, the rest are their copies in time.

Going through the front door would take hours; what is measured afterwards are reads, which cannot tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.db import connection
from django.utils import timezone
from workload import Session as Made

from accounts.models import Membership, Project, ProjectIdentity
from sessions_app.api.decoding import decode_event
from sessions_app.filing import filed
from sessions_app.models import Event, Session, SessionFile
from sessions_app.services import effects
from sessions_app.services.files import Touches, note_difference, touches_of
from sessions_app.services.reports import report
from stash.ids import uuid7
from stash_client.privacy import scrub

USUAL, SHORT, LONG = 60, 200, 20_000
_TEMPLATES = 40
_TEXT = 400
_SPAN = timedelta(days=200)
_FIELDS = [field for field in Event._meta.concrete_fields if not field.primary_key]
_AT = [field.attname for field in _FIELDS]
_SESSION, _OCCURRED, _RECEIVED = (_AT.index(name) for name in ("session_id", "occurred_at", "received_at"))


@dataclass
class Template:
    """A session with everything it would have; ``rows`` are its events' column values, times as offsets."""

    session: Session
    rows: list[tuple[list[Any], timedelta]]
    files: list[SessionFile]


def fill(events: int, long: int) -> dict[str, str]:
    """About that many events in all, in sessions of 60, one of 200 and one of ``long``; their ids by length."""
    templates = [_template(index, USUAL) for index in range(_TEMPLATES)]
    count = max((events - SHORT - long) // USUAL, 1)
    now = timezone.now()
    step = _SPAN / count
    copies = [(templates[i % _TEMPLATES], now - _SPAN + step * i) for i in range(count)]
    copies += [(_template(900, SHORT), now - timedelta(hours=3)), (_template(901, long), now - timedelta(hours=2))]
    people = list(Membership.objects.order_by("joined_at").values_list("team_id", "user_id"))
    projects = _projects(people[0][0])
    sessions = [_copy(template, at, i, people, projects, now) for i, (template, at) in enumerate(copies)]
    Session.objects.bulk_create(sessions, batch_size=500)
    _write_events(zip(sessions, copies, strict=True))
    SessionFile.objects.bulk_create(_files(sessions, copies), batch_size=2000)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    return {"short": str(sessions[-2].pk), "long": str(sessions[-1].pk)}


def _template(index: int, length: int) -> Template:
    made = Made(index, length, seed=77)
    start = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
    session = Session(harness=made.harness, started_at=start, last_event_at=start, status_since=start, branch="main")
    rows = []
    for wire in made:
        wire = {k: v[:_TEXT] if isinstance(v, str) else v for k, v in wire.items()}
        rows.append(_row(wire, start))
    effects.absorb(session, rows)
    touched: Touches = {}
    for row in rows:
        note_difference(touched, touches_of(row), {})
    files = [SessionFile(path=path, edits=t.edits, reads=t.reads) for path, t in touched.items()]
    session.files = len(files)
    prepared = [
        (
            [field.get_db_prep_save(getattr(row, field.attname), connection) for field in _FIELDS],
            row.occurred_at - start,
        )
        for row in rows
    ]
    return Template(session, prepared, files)


def _row(wire: dict[str, Any], received_at: datetime) -> Event:
    clean = scrub(decode_event(msgspec.json.encode(wire)))
    row = report(0, clean, origin="h", received_at=timezone.now(), skew=timedelta(0)).row
    row.session_id = uuid7()
    return row


def _projects(team: Any) -> list[Project]:
    projects = []
    for slug in ("web", "api", "infra", "mobile", "data-jobs", "docs-site"):
        projects.append(Project.objects.create(team_id=team, slug=slug, name=slug))
        ProjectIdentity.objects.create(team_id=team, project=projects[-1], value=f"git.example.test/acme/{slug}")
    return projects


def _copy(template: Template, at: datetime, index: int, people: Any, projects: list[Project], now: datetime) -> Session:
    team, person = people[index % len(people)]
    values = {field.attname: getattr(template.session, field.attname) for field in Session._meta.concrete_fields}
    shift = at - template.session.started_at
    values |= {name: values[name] + shift for name in ("started_at", "last_event_at", "status_since")}
    values |= {"id": uuid7(), "team_id": team, "person_id": person, "project_id": projects[index % len(projects)].pk}
    values |= {"native_id": f"filled-{index}", "visibility": "project", "title_at": None}
    values["filed_on"], values["filed_as"] = filed(values["id"], at, values["title"])
    session = Session(**values)
    effects.settle(session, now)
    return session


def _write_events(sessions: Iterator[tuple[Session, tuple[Template, datetime]]]) -> None:
    adapt = connection.ops.adapt_datetimefield_value
    key = Event._meta.get_field("session")

    def rows() -> Iterator[list[Any]]:
        for session, (template, at) in sessions:
            pk = key.get_db_prep_save(session.pk, connection)
            for values, offset in template.rows:
                row = list(values)
                row[_SESSION] = pk
                row[_OCCURRED] = row[_RECEIVED] = adapt(at + offset)
                yield row

    columns = ", ".join(f'"{field.column}"' for field in _FIELDS)
    table = Event._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                for row in rows():
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(_FIELDS))
            cursor.execute("BEGIN IMMEDIATE")
            cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows())
            cursor.execute("COMMIT")


def _files(sessions: list[Session], copies: list[tuple[Template, datetime]]) -> Iterator[SessionFile]:
    for session, (template, _) in zip(sessions, copies, strict=True):
        for file in template.files:
            yield SessionFile(session=session, path=file.path, edits=file.edits, reads=file.reads)
