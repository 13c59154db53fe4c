"""The one way into a wiki: lock, git commit by compare-and-swap, then one short transaction. See ``write``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from django.db import transaction

from accounts.models import Project
from stash.access import allowed, require
from stash.actors import Actor
from stash.audit.services import record
from stash.errors import Conflict, Forbidden
from stash.gitstore.store import Store
from wiki.frontmatter import parted
from wiki.places import only_writer
from wiki.services.authors import COMMITTER, author_of, message_of
from wiki.services.indexing import apply, catch_up, difference


@dataclass(frozen=True, slots=True)
class Version:
    """A file as it is in git. ``blob`` is its ETag."""

    path: str
    blob: str
    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What a commit is to change (None removes), in whose words, and the audit entry it makes."""

    files: Mapping[str, str | None]
    subject: str
    verb: str
    name: str = ""
    facts: Mapping[str, str | int | bool | None] = field(default_factory=dict)
    moved: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Desk:
    """The wiki as it is while nobody else can write."""

    project: Project
    store: Store
    head: str | None

    def read(self, path: str) -> Version | None:
        found = self.store.find(self.head, path)
        return Version(path, found.blob, self.text(found.blob)) if found else None

    def text(self, blob: str) -> str:
        return self.store.blob(blob).decode("utf-8", "replace")


Plan = Callable[[Desk], Draft | None]


def write(*, actor: Actor, project: Project, plan: Plan, session: str = "") -> str | None:
    """Let ``plan`` say what changes, commit and index it. Returns the commit, None where nothing was to be done.

    A crash after the commit leaves the index behind; the next writer, or the sweep, brings it up.
    """
    require(actor, "wiki.write", project)
    with only_writer(project.pk) as store:
        catch_up(project, store)
        desk = Desk(project, store, store.head())
        draft = plan(desk)
        if draft is None:
            return None
        files = {path: text.encode() if text is not None else None for path, text in draft.files.items()}
        _guard(actor, desk, draft)
        commit = _commit(actor, desk, draft, files, session)
        found = difference(store, desk.head or "", commit)
        with transaction.atomic():
            apply(project, found)
            record(actor, draft.verb, project, name=draft.name, commit=commit, **draft.facts)
    return commit


def _commit(actor: Actor, desk: Desk, draft: Draft, files: Mapping[str, bytes | None], session: str) -> str:
    author, username = author_of(actor)
    message = message_of(actor, username, draft.subject, session=session, moved=draft.moved)
    commit = desk.store.commit(desk.head, files, author=author, committer=COMMITTER, message=message)
    if not desk.store.advance(desk.head, commit):
        raise Conflict("The wiki moved on by another way; try again.", code="wiki_moved")
    return commit


def _guard(actor: Actor, desk: Desk, draft: Draft) -> None:
    """No new name that cannot stand beside the old ones; protected pages are changed by administrators."""
    gone = {path for path, text in draft.files.items() if text is None}
    for path, text in draft.files.items():
        other = desk.store.clash(desk.head, path) if text is not None else None
        if other and other not in gone:
            raise Conflict(f"There is {other} already, which some systems cannot keep beside it.", code="path_taken")
        version = desk.read(path)
        if version and is_protected(version.text) and not allowed(actor, "wiki.protect", desk.project):
            raise Forbidden("This page is protected: an administrator can change it.")


def is_protected(text: str) -> bool:
    return "protected" in text[:4096] and parted(text).values.get("protected") is True
