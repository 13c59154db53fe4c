"""A git push obeys the rules of the wiki, or is refused with a sentence its person can act on."""

from __future__ import annotations

from typing import IO

from django.db import transaction

from accounts.models import Project
from stash.access import allowed, require
from stash.actors import Actor
from stash.audit.services import record
from stash.gitstore.commands import GitFailed
from stash.gitstore.paths import BadPath, checked, key_of
from stash.gitstore.pushes import NOTHING, Command, Quarantine, Told, quarantine
from stash.gitstore.store import BRANCH, Store
from wiki.content import MOST_BYTES, has_controls, secrets_in
from wiki.places import only_writer
from wiki.services.authors import COMMITTER
from wiki.services.indexing import catch_up
from wiki.services.writing import is_protected

MOST_PACK = 64 * 1024 * 1024
_MOST_FILES = 50_000
_FILES = (0o100644, 0o100755)


class Refused(Exception):
    """``str()`` is for the person who pushes."""


def push(*, actor: Actor, project: Project, commands: list[Command], pack: IO[bytes]) -> str:
    """Take in what is pushed to the main branch; returns words for the person, raises Refused.

    Objects are looked at apart from the repository and join it when every rule holds.
    """
    require(actor, "wiki.write", project)
    try:
        return _pushed(actor, project, commands, pack)
    except Refused as error:
        record(actor, "page.push_refused", project, reason=str(error).splitlines()[0][:200])
        raise


def _pushed(actor: Actor, project: Project, commands: list[Command], pack: IO[bytes]) -> str:
    if len(commands) != 1 or commands[0].ref != BRANCH.decode() or commands[0].after == NOTHING:
        raise Refused("Only the branch main can be pushed, and it cannot be deleted.")
    after = commands[0].after
    with only_writer(project.pk) as store, quarantine(store.path) as apart:
        catch_up(project, store)
        head = store.head()
        if (head or NOTHING) != commands[0].before:
            raise Refused("The wiki moved on meanwhile. Fetch, rebase and push again: git pull --rebase")
        _unpack(apart, pack)
        _check(actor, project, store, apart, head, after)
        apart.accept()
        if not store.advance(head, after):
            raise Refused("The wiki moved on meanwhile. Fetch, rebase and push again: git pull --rebase")
        with transaction.atomic():
            record(actor, "page.pushed", project, before=head or "", after=after)
        catch_up(project, store)
    return f"{project.slug}: pages are indexed."


def _unpack(apart: Quarantine, pack: IO[bytes]) -> None:
    try:
        apart.unpack(pack, most=MOST_PACK)
    except GitFailed as error:
        raise Refused(f"git does not take these objects: {error.said.strip()[:300]}") from None


def _check(actor: Actor, project: Project, store: Store, apart: Quarantine, head: str | None, after: str) -> None:
    try:
        apart.git("cat-file", "-e", f"{after}^{{commit}}")
    except GitFailed:
        raise Refused("The commit is not in what was sent.") from None
    if not apart.follows(head, after):
        raise Refused("History is only added to, on top of the wiki's own: git pull --rebase, then push again.")
    if COMMITTER.email in apart.committers(head, after):
        raise Refused(f"Commits signed by {COMMITTER.email} are made by this server only.")
    told = [one for one in apart.told(head, after) if one.mode]
    if len(told) > _MOST_FILES:
        raise Refused(f"A push may change at most {_MOST_FILES} files.")
    _check_files(actor, apart, told)
    _check_names(apart.paths(after))
    if not allowed(actor, "wiki.protect", project):
        _check_protected(store, apart, head, after)


def _check_files(actor: Actor, apart: Quarantine, told: list[Told]) -> None:
    for one in told:
        shown = one.path.encode(errors="replace").decode()
        if one.mode not in _FILES:
            raise Refused(f"{shown!r} is a link or a repository inside the repository; only files are kept.")
        try:
            if checked(one.path) != one.path:
                raise Refused(f"{shown!r}: write this name in Unicode's composed form (NFC).")
        except BadPath as error:
            raise Refused(f"{shown!r}: {error.reason}") from None
    sizes = apart.sizes(sorted({one.blob for one in told}))
    for one in told:
        if sizes.get(one.blob, 0) > MOST_BYTES:
            raise Refused(f"{one.path!r} has more than {MOST_BYTES} bytes.")
        if one.path.endswith(".md"):
            _check_text(actor, one.path, apart.blob(one.blob))


def _check_text(actor: Actor, path: str, raw: bytes) -> None:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise Refused(f"{path!r} is not UTF-8.") from None
    if has_controls(text):
        raise Refused(f"{path!r} holds control characters.")
    if found := secrets_in(actor, text):
        raise Refused(f"{path!r} holds what looks like a secret ({', '.join(found)}). Take it out of every commit.")


def _check_names(paths: list[str]) -> None:
    """No two files or folders that are one on some systems."""
    seen: dict[str, str] = {}
    for path in paths:
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            name = "/".join(parts[:depth])
            if seen.setdefault(key_of(name), name) != name:
                raise Refused(f"{name!r} and {seen[key_of(name)]!r} are one name on some systems.")


def _check_protected(store: Store, apart: Quarantine, head: str | None, after: str) -> None:
    for one in apart.told(head, after):
        before = store.find(head, one.path)
        changes = before is not None and before.blob != one.blob and one.path.endswith(".md")
        if changes and is_protected(store.blob(before.blob if before else "").decode(errors="replace")):
            raise Refused(f"{one.path!r} is protected: an administrator can change it.")
