"""What git says about a folder: which project it is, on which branch. Only the machine itself can know this."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, replace

from stash_client.ids import local_identity, normalise_remote

_SECONDS = 3
_OF_HOOKS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE")
_OF_NOBODY_ELSE = ("STASH_KEY",)
QUIETLY = ("-c", "core.fsmonitor=false")
"""For git: a repository's own settings may name a program to watch files; looking at it must not start that."""


@dataclass(frozen=True)
class Checkout:
    """``identities``: strongest first, see ``events.ProjectRef``. ``root``: top folder, "" outside of git.

    ``place``: what consent is given for: real path of the git common dir, which worktrees share, or of the folder.
    """

    identities: tuple[str, ...]
    place: str = ""
    root: str = ""
    branch: str | None = None
    commit: str | None = None
    name: str | None = None

    @property
    def is_git(self) -> bool:
        return bool(self.root)


def checkout_of(folder: str, machine: str) -> Checkout:
    """The facts for ``folder``; worktrees, subfolders and links of one repository give the same identities.

    Without a repository the folder itself is the project. Where git is missing or refuses (safe.directory), place and
    root are found without it, so that consent holds all the same; the remotes are not known then.
    """
    real = os.path.realpath(folder)
    told = git(real, "rev-parse", "--path-format=absolute", "--git-common-dir", "--show-toplevel")
    if told is None:
        told = git(real, "rev-parse", "--path-format=absolute", "--git-common-dir")
    if not told:
        bare = place_of(real)
        name = os.path.basename(bare.root or real) or None
        return replace(bare, identities=(local_identity(machine, bare.place),), name=name)
    common, *top = told.splitlines()
    root = top[0] if top else common
    remotes = (git(real, "config", "--get", f"remote.{name}.url") for name in ("upstream", "origin"))
    known = tuple(dict.fromkeys(filter(None, (normalise_remote(url) for url in remotes if url))))
    return Checkout(
        identities=known or (local_identity(machine, os.path.realpath(common)),),
        place=os.path.realpath(common),
        root=root,
        branch=git(real, "symbolic-ref", "--quiet", "--short", "HEAD") or None,
        commit=git(real, "rev-parse", "--verify", "--quiet", "HEAD") or None,
        name=(known[0].rsplit("/", 1)[-1] if known else os.path.basename(root.rstrip("/"))) or None,
    )


def place_of(folder: str) -> Checkout:
    """Place and root alone, found the way git looks for them but without starting it; as the hook script does."""
    real = above = os.path.realpath(folder)
    while True:
        found = os.path.join(above, ".git")
        if os.path.exists(os.path.join(found, "HEAD")) or os.path.isfile(found):
            try:
                return Checkout((), place=_common(found), root=above)
            except (OSError, ValueError):
                break
        above, below = os.path.dirname(above), above
        if above == below:
            break
    return Checkout((), place=real)


def _common(found: str) -> str:
    """Real path of the directory that worktrees share. Raises OSError or ValueError where it cannot be told."""
    if os.path.isfile(found):
        with open(found, encoding="utf-8", errors="surrogateescape") as file:
            told = file.readline().partition("gitdir:")[2].strip()
        if not told:
            raise ValueError("not a git file")
        found = os.path.join(os.path.dirname(found), told)
        shared = os.path.join(found, "commondir")
        if os.path.exists(shared):
            with open(shared, encoding="utf-8", errors="surrogateescape") as file:
                found = os.path.join(found, file.readline().strip())
    return os.path.realpath(found)


def git(folder: str, *arguments: str) -> str | None:
    """What git prints there, without spaces around it; None when it fails, is missing or takes too long."""
    try:
        done = subprocess.run(
            ["git", "-C", folder, *QUIETLY, *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            check=False,
            env=environ(),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def environ() -> dict[str, str]:
    """For git; without what it sets for its own hooks: an agent started from one would be filed under that repository.

    Never in the way of the git of the person or the agent, never waiting for an answer, and without our key: what git
    starts in its turn (filters, helpers) is no business of ours.
    """
    kept = {name: value for name, value in os.environ.items() if name not in (*_OF_HOOKS, *_OF_NOBODY_ELSE)}
    return {**kept, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


def is_tracked(root: str, path: str) -> bool:
    """Whether git keeps this file: then it is the team's, not only this person's."""
    return git(root, "ls-files", "--error-unmatch", "--", path) is not None
