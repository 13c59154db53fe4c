"""/people and /me: the same sessions again, by who ran them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from uuid import UUID

from accounts.models import Membership
from sessions_app.selectors.filing import Shelf
from stash.vfs.mounts.sessions import Sessions
from stash.vfs.tree import Folder, Node, Reader

_MOST = 5000


def _sessions(reader: Reader, person: UUID) -> Node:
    return Sessions(reader, "sessions", Shelf(person=person))


OF_PERSON: Mapping[str, Callable[[Reader, UUID], Node]] = {"sessions": _sessions}
OF_ME = OF_PERSON
"""What hangs under everybody, and under oneself."""


class People(Folder):
    """Also those who left: their sessions stay."""

    home = "/"

    def _entries(self, prefix: str) -> Iterator[Node]:
        members = Membership.objects.visible_to(self.reader.actor).select_related("user")
        rows = sorted(members.order_by("pk")[:_MOST], key=lambda row: row.user.username)
        self.reader.budget.read(rows=len(rows))
        for row in rows:
            if row.user.username not in (".", ".."):
                yield Person(self.reader, row)


class Person(Folder):
    def __init__(self, reader: Reader, membership: Membership) -> None:
        super().__init__(reader, membership.user.username)
        self.person, self.modified = membership.user_id, membership.joined_at

    def _entries(self, prefix: str) -> Iterator[Node]:
        for make in OF_PERSON.values():
            yield make(self.reader, self.person)


class Me(Folder):
    def _entries(self, prefix: str) -> Iterator[Node]:
        for make in OF_ME.values():
            yield make(self.reader, self.reader.actor.user_id)
