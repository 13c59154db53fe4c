"""The ``stash`` command as a process of its own, on a machine with one checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from stash_client.accounts import Account

SOURCE = Path(__file__).parents[2] / "client" / "src"
_NOT_OURS = ("STASH_URL", "STASH_KEY", "STASH_SERVER", "NO_COLOR", "DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Machine:
    """``environ``: beside what every process has."""

    home: Path
    repository: Path
    environ: dict[str, str] = field(default_factory=dict)

    def whole_environ(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
        own = {"HOME": str(self.repository.parent), "STASH_HOME": str(self.home), "PYTHONPATH": str(SOURCE)}
        return {**kept, **own, **self.environ}

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "stash_client", *words]

    def run(self, *words: str, stdin: str | bytes = "", **environ: str) -> Done:
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        done = subprocess.run(
            self.command(*words),
            cwd=self.repository,
            env={**self.whole_environ(), **environ},
            input=data,
            capture_output=True,
            timeout=60,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def signed_in(self, url: str, secret: str, label: str = "lab") -> None:
        self.home.mkdir(exist_ok=True)
        account = Account(label, url, secret, "m1", "laptop", "dana", "harbour")
        (self.home / "accounts.json").write_text(json.dumps({"accounts": [vars(account)], "default": label}))

    def connected(self) -> None:
        connection = {"server": "lab", "place": os.path.realpath(self.repository / ".git"), "visibility": "project"}
        (self.home / "connections.json").write_text(json.dumps({"connections": [connection]}))

    def ran_here(self, session: str = "", native_id: str = "s-1", harness: str = "claude-code") -> None:
        """What the sender notes of a session."""
        one = {"harness": harness, "native_id": native_id, "place": os.path.realpath(self.repository / ".git"),
               "server": "lab", "last_at": "2026-11-30T14:02:00Z", "session": session,
               "url": f"http://stash.example.test/{session}" if session else ""}  # fmt: skip
        (self.home / "recent.json").write_text(json.dumps([one]))

    def kept_back(self) -> None:
        """Seen as being woken already, no sender starts: what is captured stays in the inbox."""
        (self.home / "waking").touch()

    @property
    def records(self) -> list[bytes]:
        inbox = self.home / "inbox"
        found = [path for path in inbox.iterdir() if not path.name.startswith(".")] if inbox.is_dir() else []
        return [path.read_bytes() for path in sorted(found)]


@pytest.fixture
def machine(tmp_path) -> Machine:
    repository = tmp_path / "shop"
    subprocess.run(["git", "init", "-q", "-b", "main", repository], check=True)
    url = "git@git.example.test:acme/shop.git"
    subprocess.run(["git", "-C", repository, "remote", "add", "origin", url], check=True)
    return Machine(tmp_path / "settings", repository)


@pytest.fixture
def signed_in(machine, live_server, dana, shop) -> Machine:
    machine.signed_in(live_server.url, dana.secret)
    return machine
