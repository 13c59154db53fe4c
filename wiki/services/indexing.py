"""Brings the index of a wiki to what its files say: the difference in one transaction, or everything in batches.

The caller holds the lock of the wiki. All of git is read before a transaction begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import Project
from stash.gitstore.history import Logged, log
from stash.gitstore.paths import BadPath, checked
from stash.gitstore.store import FILE, Store
from stash.ids import uuid7
from wiki.models import Link, Page, PageName, Repository, Revision, Section, Tombstone
from wiki.reading import read
from wiki.services.authors import COMMITTER, moves_of

MOST_AT_ONCE = 300
"""Pages that change in one transaction; more are indexed anew in batches."""
_FACTS = ("revisions", "created_at", "created_by", "changed_at", "changed_by", "changed_by_name", "harness")
_EXECUTABLE = 0o100755
T = TypeVar("T")


@dataclass
class Difference:
    """What is to be told to the index: the files as they are now, and the commits that led there."""

    before: str
    after: str
    files: list[tuple[str, str, bytes]] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    commits: Sequence[Logged] = ()


def catch_up(project: Project, store: Store) -> bool:
    """Index what was committed and not indexed, after a crash for example; answers whether there was anything."""
    known = Repository.objects.filter(project=project).values_list("indexed_commit", flat=True).first() or ""
    head = store.head() or ""
    if known == head:
        return False
    changes = store.changes(known, head) if known else []
    if not known or len(changes) > MOST_AT_ONCE:
        rebuild(project, store)
        return True
    found = difference(store, known, head)
    with transaction.atomic():
        apply(project, found)
    return True


def difference(store: Store, before: str, after: str) -> Difference:
    """Every file that a commit between them touched, as it is in the end."""
    commits = list(log(store.path, before or None, after))
    paths = sorted({path for commit in commits for _, path, _, _ in commit.changed if is_page(path)})
    found = [store.find(after, path) for path in paths]
    there = [entry for entry in found if entry is not None and entry.mode in (FILE, _EXECUTABLE)]
    texts = store.blobs([entry.blob for entry in there])
    kept = {entry.path for entry in there}
    return Difference(
        before=before,
        after=after,
        files=[(entry.path, entry.blob, text) for entry, text in zip(there, texts, strict=True)],
        gone=[path for path in paths if path not in kept],
        commits=commits,
    )


def is_page(path: str) -> bool:
    """Files of other kinds, and those whose names came in by hand and cannot be kept, are not told of."""
    if not path.endswith(".md"):
        return False
    try:
        return checked(path) == path
    except BadPath:
        return False


def apply(project: Project, found: Difference) -> None:
    """Part of the caller's transaction."""
    row, _ = Repository.objects.select_for_update().get_or_create(project=project)
    touched = {path for path, _, _ in found.files} | set(found.gone)
    pages = Page.objects.filter(project=project, path__in=touched)
    ledger = _Ledger(project, row.commits, {page.path: _facts_of(page) for page in pages.defer("text", "front")})
    ledger.take(found.commits)
    _follow_moves(project, found.commits)
    Revision.objects.bulk_create(ledger.revisions, ignore_conflicts=True)
    _write_pages(project, found.files, dict(pages.all().values_list("path", "pk")), ledger)
    Page.objects.filter(project=project, path__in=found.gone).delete()
    Tombstone.objects.filter(project=project, path__in=touched).delete()
    Tombstone.objects.bulk_create(stone for path, stone in ledger.stones.items() if path in touched)
    _mark(row, found.after, ledger.number)


def rebuild(project: Project, store: Store) -> int:
    """The whole index from the files. Pages keep their rows, so that what is told about them stays theirs."""
    head = store.head() or ""
    commits = list(log(store.path, None, head)) if head else []
    ledger = _Ledger(project, 0, {})
    ledger.take(commits)
    files = [one for one in store.entries(head or None) if is_page(one.path) and one.mode in (FILE, _EXECUTABLE)]
    paths = {one.path for one in files}
    row, _ = Repository.objects.get_or_create(project=project)
    Repository.objects.filter(pk=row.pk).update(indexed_commit="")
    known = dict(Page.objects.filter(project=project).values_list("path", "pk"))
    with transaction.atomic():
        Page.objects.filter(project=project, path__in=[path for path in known if path not in paths]).delete()
        Tombstone.objects.filter(project=project).delete()
        Revision.objects.filter(project=project).delete()
    for revisions in _batches(ledger.revisions, 2000):
        with transaction.atomic():
            Revision.objects.bulk_create(revisions, ignore_conflicts=True)
    for batch in _batches(files, MOST_AT_ONCE):
        texts = list(store.blobs([one.blob for one in batch]))
        with transaction.atomic():
            given = [(one.path, one.blob, text) for one, text in zip(batch, texts, strict=True)]
            _write_pages(project, given, known, ledger)
    with transaction.atomic():
        Tombstone.objects.bulk_create(stone for path, stone in ledger.stones.items() if path not in paths)
        _mark(row, head, ledger.number)
    return len(files)


def _mark(row: Repository, head: str, commits: int) -> None:
    row.indexed_commit, row.commits, row.indexed_at = head, commits, timezone.now()
    row.save(update_fields=["indexed_commit", "commits", "indexed_at"])


def _follow_moves(project: Project, commits: Iterable[Logged]) -> None:
    """A page that was moved stays the same row."""
    for commit in commits:
        for old, new in moves_of(commit):
            if not Page.objects.filter(project=project, path=new).exists():
                Page.objects.filter(project=project, path=old).update(path=new)


class _Ledger:
    """Walks commits in order and keeps, for each path, who made and changed it."""

    def __init__(self, project: Project, number: int, facts: dict[str, dict[str, object]]) -> None:
        self.project, self.number, self.facts = project, number, facts
        self.revisions: list[Revision] = []
        self.stones: dict[str, Tombstone] = {}

    def take(self, commits: Iterable[Logged]) -> None:
        for commit in commits:
            self.number += 1
            moved = {new: old for old, new in moves_of(commit)}
            person = commit.trailer("Stash-Person") if commit.committer_email == COMMITTER.email else ""
            changed = sorted(commit.changed, key=lambda one: one[0] == "D")
            for letter, path, before, after in changed:
                if is_page(path):
                    self._one(commit, letter, path, before, after, person, moved.get(path, ""))

    def _one(self, commit: Logged, letter: str, path: str, before: str, after: str, person: str, old: str) -> None:
        harness = commit.trailer("Stash-Harness")[:40] if person else ""
        self.revisions.append(
            Revision(
                project=self.project, path=path, commit=commit.commit, number=self.number,
                change=letter if letter in "AMD" else "M", blob="" if letter == "D" else after, at=commit.at,
                subject=commit.subject[:200], author=commit.author[:120], person=person[:150], harness=harness,
                session=commit.trailer("Stash-Session")[:40] if person else "", moved_from=old[:400],
            )
        )  # fmt: skip
        if letter == "D":
            self._gone(commit, path, before, person)
            return
        self.stones.pop(path, None)
        earlier = self.facts.pop(old, None) if old else (self.facts.get(path) if letter != "A" else None)
        facts = dict(earlier or {"revisions": 0, "created_at": commit.at, "created_by": person[:150]})
        facts["revisions"] = int(str(facts["revisions"])) + 1
        facts |= {"changed_at": commit.at, "changed_by": person[:150], "changed_by_name": commit.author[:120]}
        self.facts[path] = facts | {"harness": harness}

    def _gone(self, commit: Logged, path: str, before: str, person: str) -> None:
        if any(path == old for old, _ in moves_of(commit)):
            return
        self.facts.pop(path, None)
        self.stones[path] = Tombstone(
            project=self.project, path=path, commit=commit.commit, last_blob=before, at=commit.at, person=person[:150]
        )


def _facts_of(page: Page) -> dict[str, object]:
    return {name: getattr(page, name) for name in _FACTS}


def _write_pages(
    project: Project, files: Iterable[tuple[str, str, bytes]], known: Mapping[str, UUID], ledger: _Ledger
) -> None:
    pages: list[Page] = []
    names: list[PageName] = []
    sections: list[Section] = []
    links: list[Link] = []
    for path, blob, raw in files:
        page = _page(project, path, blob, raw, ledger.facts.get(path, {}), known.get(path))
        pages.append(page)
        found = read(path, page.text)
        page.title, page.front, page.front_error = found.title, found.parts.values, found.parts.error[:200]
        page.pinned, page.protected = (found.parts.values.get(name) is True for name in ("pinned", "protected"))
        names += [PageName(page=page, project=project, key=key, rank=rank) for rank, key in found.names]
        sections += [
            Section(page=page, place=place, level=one.level, heading=one.heading, anchor=one.anchor, text=one.text)
            for place, one in enumerate(found.sections)
        ]
        links += [
            Link(
                page=page, project=project, place=place, kind=one.kind, target=one.target, key=one.key,
                anchor=one.anchor, label=one.label, line=one.line,
            )
            for place, one in enumerate(found.links)
        ]  # fmt: skip
    changed = [page.pk for page in pages if page.path in known]
    for model in (PageName, Section, Link):
        model.objects.filter(page__in=changed).delete()
    fields = [one.name for one in Page._meta.concrete_fields if one.name not in ("id", "project", "path")]
    Page.objects.bulk_create(
        pages, update_conflicts=True, unique_fields=["project", "path"], update_fields=fields, batch_size=100
    )
    PageName.objects.bulk_create(names)
    Section.objects.bulk_create(sections)
    Link.objects.bulk_create(links)


def _page(project: Project, path: str, blob: str, raw: bytes, facts: Mapping[str, object], known: UUID | None) -> Page:
    now = timezone.now()
    given = {"created_at": now, "changed_at": now, **facts}
    text = raw.decode("utf-8", "replace").replace("\0", "\ufffd")
    return Page(
        id=known or uuid7(), project=project, path=path, folder=path.rpartition("/")[0], text=text, blob=blob,
        size=len(raw), **given,
    )  # fmt: skip


def _batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
