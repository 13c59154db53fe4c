"""A machine with its own settings and one checkout, whose person types in a real terminal."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from stash_client import sender

SOURCE = Path(__file__).parents[2] / "client" / "src"
_PATIENCE = 40.0


def _with_terminal() -> None:
    """Ctrl-C and hidden input work on a session's own terminal only."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Terminal:
    """One command on a pseudo terminal. ``shown``: all it has printed."""

    def __init__(self, command: list[str], **kwargs) -> None:
        ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=_with_terminal,
            **kwargs,
        )
        os.close(theirs)
        self.file, self.shown, self.seen = ours, "", 0

    def expect(self, words: str) -> str:
        """What came up to and with ``words``, after what was expected before."""
        until = time.monotonic() + _PATIENCE
        while words not in self.shown[self.seen :]:
            if not self._read(until):
                raise AssertionError(f"{words!r} never came. What came:\n{self.shown}")
        at = self.shown.index(words, self.seen) + len(words)
        came, self.seen = self.shown[self.seen : at], at
        return came

    def type(self, line: str) -> None:
        os.write(self.file, f"{line}\n".encode())

    def end(self) -> int:
        """Its exit code, once it has ended by itself."""
        until = time.monotonic() + _PATIENCE
        while self._read(until):
            pass
        code = self.process.wait(_PATIENCE)
        os.close(self.file)
        return code

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _read(self, until: float) -> bool:
        ready, _, _ = select.select([self.file], [], [], max(0, until - time.monotonic()))
        try:
            data = os.read(self.file, 65536) if ready else b""
        except OSError:
            data = b""
        self.shown += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)


class Laptop:
    def __init__(self, folder: Path, remote: str = "git@git.example.test:acme/shop.git") -> None:
        self.folder, self.home, self.repository = folder, folder / "settings", folder / "shop"
        self.user_home = folder / "home"
        self.extra: dict[str, str] = {}
        self.user_home.mkdir(exist_ok=True)
        self.clone(self.repository, remote)

    def clone(self, folder: Path, remote: str = "") -> Path:
        subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
        if remote:
            subprocess.run(["git", "-C", folder, "remote", "add", "origin", remote], check=True)
        return folder

    @property
    def environ(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("STASH_") and k not in ("DISPLAY", "NO_COLOR")}
        return {
            **kept,
            "HOME": str(self.user_home),
            "STASH_HOME": str(self.home),
            "PYTHONPATH": str(SOURCE),
            "GIT_CONFIG_NOSYSTEM": "1",
            **self.extra,
        }

    def _command(self, words: tuple[str, ...]) -> list[str]:
        return [sys.executable, "-m", "stash_client", *words]

    def start(self, *words: str, payload: bytes = b"", cwd: Path | None = None, **environ: str) -> subprocess.Popen:
        process = subprocess.Popen(
            self._command(words),
            cwd=cwd or self.repository,
            env={**self.environ, **environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        if payload:
            process.stdin.write(payload)
        process.stdin.close()
        process.stdin = None
        return process

    def run(self, *words: str, payload: bytes = b"", cwd: Path | None = None, **environ: str) -> tuple[int, str, str]:
        process = self.start(*words, payload=payload, cwd=cwd, **environ)
        out, err = process.communicate(timeout=60)
        return process.returncode, out.decode(), err.decode()

    def hook(self, event: str, cwd: Path | None = None, **payload) -> tuple[int, str, str]:
        """As Claude Code calls what was wired."""
        folder = cwd or self.repository
        whole = {"session_id": "s-1", "cwd": str(folder), "hook_event_name": event, **payload}
        return self.raw_hook(json.dumps(whole).encode(), event, folder)

    def raw_hook(self, payload: bytes, event: str = "UserPromptSubmit", cwd: Path | None = None):
        command = [str(self.home / "bin" / "stash-hook"), "claude-code", event]
        done = subprocess.run(
            command, input=payload, cwd=cwd or self.repository, env=self.environ, capture_output=True, timeout=60
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    @property
    def waiting(self) -> int:
        """Events and payloads that no server has yet."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("STASH_HOME", str(self.home))
            now = sender.left()
        return now.records + now.frames

    def close(self) -> None:
        """Its sender ends with the test."""
        with contextlib.suppress(OSError, ValueError):
            os.kill(int((self.home / "sender.pid").read_text()), signal.SIGKILL)

    def json(self, *words: str, **kwargs) -> dict:
        """The document of a command that goes well."""
        code, out, err = self.run(*words, "--json", **kwargs)
        assert code == 0, err
        return json.loads(out)

    def terminal(self, *words: str, cwd: Path | None = None) -> Terminal:
        environ = {**self.environ, "TERM": "dumb", "NO_COLOR": "1"}
        return Terminal(self._command(words), cwd=cwd or self.repository, env=environ)

    def signed_in(self, *accounts: dict) -> None:
        """As after ``stash signin``; the first is the default."""
        whole = [
            {"machine": "m1", "machine_name": "laptop", "team": "harbour", "user": "dana", **account}
            for account in accounts
        ]
        self.home.mkdir(exist_ok=True, mode=0o700)
        stored = {"accounts": whole, "default": whole[0]["label"]}
        (self.home / "accounts.json").write_text(json.dumps(stored))

    def connected(self, *connections: dict) -> None:
        whole = [{"place": str(self.repository / ".git"), "visibility": "project", **c} for c in connections]
        (self.home / "connections.json").write_text(json.dumps({"connections": whole, "refused": []}))

    @property
    def consents(self) -> dict:
        path = self.home / "connections.json"
        return json.loads(path.read_text()) if path.exists() else {"connections": [], "refused": []}

    @property
    def connections(self) -> list[dict]:
        return self.consents["connections"]


def eventually(condition, seconds: float = 20):
    """What ``condition`` answers once it is true."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := condition():
            return found
        time.sleep(0.1)
    raise AssertionError("it never happened")
