"""The git program in an environment of its own: no configuration of the system or the user, no hooks, no network."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

TIMEOUT = 120
_SAFE = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false", "-c", "safe.directory=*",
    "-c", "protocol.allow=never", "-c", "core.fsmonitor=false", "-c", "diff.external=", "-c", "gc.autoDetach=false",
)  # fmt: skip


class GitFailed(Exception):
    """``said``: what git wrote to its error stream."""

    def __init__(self, what: str, said: str) -> None:
        super().__init__(f"git {what}: {said.strip()[:500]}")
        self.said = said


def environment(**more: str) -> dict[str, str]:
    """All that git is told by its surroundings."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ALLOW_PROTOCOL": "",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        **more,
    }


def command(repository: Path, *arguments: str) -> list[str]:
    return ["git", *_SAFE, f"--git-dir={repository}", *arguments]


def run(repository: Path, *arguments: str, given: bytes = b"", good: tuple[int, ...] = (0,), **more: str) -> bytes:
    """What git prints. Names go behind ``--`` in ``arguments``; raises GitFailed."""
    done = subprocess.run(
        command(repository, *arguments),
        input=given,
        capture_output=True,
        env=environment(**more),
        timeout=TIMEOUT,
        check=False,
    )
    if done.returncode not in good:
        raise GitFailed(arguments[0], done.stderr.decode(errors="replace"))
    return done.stdout
