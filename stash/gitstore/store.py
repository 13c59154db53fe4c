"""One bare repository: read it, build commits from trees, move its branch if nobody else did."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from dulwich.diff_tree import tree_changes
from dulwich.errors import NotTreeError
from dulwich.object_store import iter_tree_contents, tree_lookup_path
from dulwich.objects import Blob, Commit, ObjectID, SubmoduleEncountered, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo

from stash.gitstore.commands import run
from stash.gitstore.paths import key_of

BRANCH = Ref(b"refs/heads/main")
FILE = 0o100644
_FOLDER = 0o040000
_CONFIG = """[core]
	repositoryformatversion = 0
	bare = true
	fsync = loose-object,reference
	protectHFS = true
	protectNTFS = true
	logAllRefUpdates = false
[gc]
	auto = 2000
	autoDetach = false
[receive]
	fsckObjects = true
	denyDeletes = true
	denyNonFastForwards = true
	maxInputSize = 67108864
	autogc = false
[transfer]
	fsckObjects = true
	hideRefs = refs/stash
[uploadpack]
	allowFilter = true
"""


@dataclass(frozen=True, slots=True)
class Author:
    name: str
    email: str

    def line(self) -> bytes:
        """As git writes it: nothing of a name can end the line or look like an address."""
        name = " ".join("".join(sign for sign in self.name if sign not in "<>\n\0").split()) or "somebody"
        email = "".join(sign for sign in self.email if sign not in "<> \n\0") or "nobody@invalid"
        return f"{name} <{email}>".encode(errors="replace")


@dataclass(frozen=True, slots=True)
class Change:
    """A file between two commits; ``before`` and ``after`` are blob ids, None where it is not there."""

    path: str
    before: str | None
    after: str | None
    mode: int = FILE


@dataclass(frozen=True, slots=True)
class Entry:
    path: str
    blob: str
    mode: int


class Store:
    """Opened anew by whoever uses it; nothing is kept in memory between two uses."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def ensure(self) -> None:
        """Make the repository where there is none. Two who do it at once do no harm."""
        if (self.path / "config").exists():
            return
        for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info"):
            (self.path / folder).mkdir(parents=True, exist_ok=True)
        (self.path / "HEAD").write_bytes(b"ref: " + BRANCH + b"\n")
        draft = self.path / f"config.{os.getpid()}"
        draft.write_text(_CONFIG)
        draft.replace(self.path / "config")

    def head(self) -> str | None:
        """The commit that the branch is at."""
        with suppress(FileNotFoundError):
            return (self.path / os.fsdecode(BRANCH)).read_text().strip() or None
        if not (self.path / "config").exists():
            return None
        with self._open() as repo:
            found = repo.refs.read_loose_ref(BRANCH) or repo.refs.get_packed_refs().get(BRANCH)
        return found.decode() if found else None

    def blob(self, blob_id: str) -> bytes:
        with self._open() as repo:
            return cast(Blob, repo[_id(blob_id)]).data

    def blobs(self, ids: Iterator[str] | list[str]) -> Iterator[bytes]:
        with self._open() as repo:
            for one in ids:
                yield cast(Blob, repo[_id(one)]).data

    def find(self, commit: str | None, path: str) -> Entry | None:
        """The file at that path then."""
        if commit is None:
            return None
        with self._open() as repo:
            tree = cast(Commit, repo[_id(commit)]).tree
            try:
                mode, sha = tree_lookup_path(repo.__getitem__, tree, path.encode())
            except (KeyError, NotTreeError, SubmoduleEncountered):
                return None
            return Entry(path, sha.decode(), mode) if not stat.S_ISDIR(mode) else None

    def entries(self, commit: str | None) -> Iterator[Entry]:
        if commit is None:
            return
        with self._open() as repo:
            tree = cast(Commit, repo[_id(commit)]).tree
            for found in iter_tree_contents(repo.object_store, tree):
                if found.path is not None and found.mode is not None and found.sha is not None:
                    yield Entry(found.path.decode(errors="surrogateescape"), found.sha.decode(), found.mode)

    def changes(self, before: str | None, after: str | None) -> list[Change]:
        """What is different between two commits, by path."""
        with self._open() as repo:
            old_tree, new_tree = (cast(Commit, repo[_id(one)]).tree if one else None for one in (before, after))
            found = []
            for change in tree_changes(repo.object_store, old_tree, new_tree):
                old, new = change.old, change.new
                entry = new if new is not None and new.path is not None else old
                if entry is None or entry.path is None:
                    continue
                found.append(
                    Change(
                        entry.path.decode(errors="surrogateescape"),
                        old.sha.decode() if old is not None and old.sha else None,
                        new.sha.decode() if new is not None and new.sha else None,
                        (new.mode if new is not None and new.mode else FILE),
                    )
                )
            return found

    def commit(
        self,
        parent: str | None,
        changes: Mapping[str, bytes | None],
        *,
        author: Author,
        committer: Author,
        message: str,
        when: datetime | None = None,
        merged: str | None = None,
    ) -> str:
        """Write a commit with these files changed (None: removed); no branch leads to it yet."""
        with self._open() as repo:
            root = cast(Tree, repo[cast(Commit, repo[_id(parent)]).tree]) if parent else Tree()
            made = Commit()
            made.tree = _with(repo, root, _nested(changes)).id
            made.parents = [_id(one) for one in (parent, merged) if one]
            made.author, made.committer = author.line(), committer.line()
            made.author_time = made.commit_time = int((when or datetime.now(UTC)).timestamp())
            made.author_timezone = made.commit_timezone = 0
            made.encoding = b"UTF-8"
            made.message = message.encode(errors="replace")
            repo.object_store.add_object(made)
            return made.id.decode()

    def advance(self, expected: str | None, commit: str) -> bool:
        """Lead the branch to a commit if it still is where it was expected."""
        with self._open() as repo:
            if expected is None:
                return bool(repo.refs.add_if_new(BRANCH, _id(commit)))
            return bool(repo.refs.set_if_equals(BRANCH, _id(expected), _id(commit)))

    def sweep_locks(self) -> None:
        """Take away what somebody left who was killed; only for the one who holds the lock of the repository."""
        (self.path / f"{os.fsdecode(BRANCH)}.lock").unlink(missing_ok=True)

    def gc(self) -> None:
        run(self.path, "gc", "--auto", "--quiet")

    def fsck(self) -> str:
        """What git finds wrong; empty when nothing is."""
        return run(
            self.path, "fsck", "--full", "--strict", "--no-dangling", "--no-progress", good=tuple(range(256))
        ).decode(errors="replace")

    def bundle(self, target: Path) -> None:
        run(self.path, "bundle", "create", str(target), "main")

    def clash(self, commit: str | None, path: str) -> str | None:
        """What is there already and cannot stand beside a new file at ``path`` on every system."""
        if commit is None:
            return None
        with self._open() as repo:
            tree = cast(Tree, repo[cast(Commit, repo[_id(commit)]).tree])
            *folders, name = path.split("/")
            for depth, part in enumerate(path.split("/")):
                key = part.encode()
                is_last = depth == len(folders)
                if key not in tree:
                    other = next(
                        (one.decode(errors="replace") for one in tree if key_of(os.fsdecode(one)) == key_of(part)), None
                    )
                    return "/".join([*folders[:depth], other]) if other else None
                if stat.S_ISDIR(tree[key][0]) == is_last:
                    return "/".join([*folders, name][: depth + 1])
                if not is_last:
                    tree = cast(Tree, repo[tree[key][1]])
            return None

    def _open(self) -> closing[Repo]:
        repo = Repo(str(self.path))
        repo.object_store.fsync_object_files = True
        return closing(repo)


_Nested = dict[str, "bytes | _Nested | None"]


def _nested(changes: Mapping[str, bytes | None]) -> _Nested:
    root: _Nested = {}
    for path, content in changes.items():
        *folders, name = path.split("/")
        at = root
        for folder in folders:
            inner = at.setdefault(folder, {})
            if not isinstance(inner, dict):
                raise ValueError(f"{folder} is a file and a folder at once.")
            at = inner
        at[name] = content
    return root


def _with(repo: Repo, tree: Tree, changes: _Nested) -> Tree:
    """A tree like this one with the changes in it, written down; folders that became empty are gone."""
    for name, change in changes.items():
        key = name.encode()
        if isinstance(change, dict):
            old = repo[tree[key][1]] if key in tree and stat.S_ISDIR(tree[key][0]) else Tree()
            inner = _with(repo, cast(Tree, old), change)
            if len(inner):
                tree.add(key, _FOLDER, inner.id)
            elif key in tree:
                del tree[key]
        elif change is None:
            if key in tree:
                del tree[key]
        else:
            blob = Blob.from_string(change)
            repo.object_store.add_object(blob)
            tree.add(key, FILE, blob.id)
    repo.object_store.add_object(tree)
    return tree


def _id(sha: str) -> ObjectID:
    return ObjectID(sha.encode())
