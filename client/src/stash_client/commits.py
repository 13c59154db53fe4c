"""The commits an agent made during a turn, with the ids by which they are recognised after a rebase or squash."""

from __future__ import annotations

import contextlib
import json
import subprocess
from dataclasses import dataclass
from typing import Any, Optional

from stash_client import home
from stash_client.checkout import environ
from stash_client.events import JSON

MOST = 50
_SUBJECT = 200
_SECONDS = 5
_CLOCK_SLACK = 2
_LOG = ("-c", "log.showSignature=false", "log", f"--max-count={MOST}", "--no-color", "--no-ext-diff", "--no-textconv")


@dataclass(frozen=True)
class Head:
    """Where a session's checkout stood at ``at`` (seconds since 1970)."""

    commit: str
    at: int


class Heads:
    """``heads.json``: of each session, where its last turn began. Only the sender writes it."""

    _MOST = 500

    def __init__(self) -> None:
        self._path = home.folder() / "heads.json"
        self._heads = self._stored()
        self._is_changed = False

    def _stored(self) -> dict[str, Head]:
        try:
            said = json.loads(self._path.read_text(encoding="utf-8"))
            return {key: Head(str(commit), int(at)) for key, (commit, at) in said.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def get(self, session: str) -> Optional[Head]:
        return self._heads.get(session)

    def put(self, session: str, head: Head) -> None:
        self._heads.pop(session, None)
        self._heads[session] = head
        while len(self._heads) > self._MOST:
            self._heads.pop(next(iter(self._heads)))
        self._is_changed = True

    def save(self) -> None:
        """After the frames are on the disk: told twice is better than never."""
        if not self._is_changed:
            return
        said = {key: [head.commit, head.at] for key, head in self._heads.items()}
        with contextlib.suppress(OSError):
            home.write_private(self._path, json.dumps(said).encode())
            self._is_changed = False


def commits_between(root: str, since: Head, until: Head) -> list[dict[str, JSON]]:
    """What was committed at ``root`` between the two, oldest first: ``{"sha", "patch_id", "subject"}``.

    At most ``MOST``, and not what was only fetched or checked out: its date is older. ``patch_id`` is None for merges.
    """
    if since.commit == until.commit:
        return []
    span = f"{since.commit}..{until.commit}"
    made = _made(root, span, since.at - _CLOCK_SLACK, until.at + _CLOCK_SLACK)
    ids = _patch_ids(root, span) if made else {}
    return [{"sha": sha, "patch_id": ids.get(sha), "subject": subject} for sha, subject in reversed(made)]


def commit_at(root: str, commit: str, at: int) -> str:
    """Where the branch that is at ``commit`` now was at that time (seconds since 1970); "" when nobody can tell."""
    return _run(["git", "-C", root, "rev-list", "--max-count=1", f"--before={at}", "--end-of-options", commit]).strip()


def _made(root: str, span: str, start: int, end: int) -> list[tuple[str, str]]:
    told = _run(["git", "-C", root, *_LOG, "--format=%H %ct %s", "--end-of-options", span])
    lines = (line.split(" ", 2) for line in told.splitlines() if line.count(" ") > 1)
    return [(sha, subject[:_SUBJECT]) for sha, at, subject in lines if start <= int(at) <= end]


def _patch_ids(root: str, span: str) -> dict[str, str]:
    """From git to git: a diff may be bigger than we want to hold."""
    command = ["git", "-C", root, *_LOG, "-p", "--end-of-options", span]
    try:
        log = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environ())
    except OSError:
        return {}
    try:
        told = _run(["git", "-C", root, "patch-id", "--stable"], stdin=log.stdout)
    finally:
        log.kill()
        log.communicate()
    lines = (line.split() for line in told.splitlines())
    return {sha: patch_id for patch_id, sha in (line for line in lines if len(line) == 2)}


def _run(command: list[str], *, stdin: Any = subprocess.DEVNULL) -> str:
    """What it prints, "" when it fails or takes too long."""
    try:
        done = subprocess.run(
            command,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
            env=environ(),
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return str(done.stdout.decode("utf-8", "replace")) if done.returncode == 0 else ""
