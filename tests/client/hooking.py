"""A machine whose agents call the hook: real folders, real shells, a server on a socket."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from stash_client import accounts, consent, hookscript, inbox, waking
from stash_client.accounts import Account, Accounts
from stash_client.consent import Connection, Consents

SHELLS = tuple(
    words
    for words in (("sh",), ("dash",), ("bash",), ("bash", "--posix"), ("busybox", "sh"), ("mksh",))
    if shutil.which(words[0])
)
"""Those this machine has; there is always ``sh``."""


@dataclass(frozen=True)
class Said:
    status: int
    out: bytes
    err: bytes


SILENT = Said(0, b"", b"")


class Machine:
    """``STASH_HOME`` must be set to ``folder / "home"`` for this process."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder, folder / "home"
        self.person = folder / "person"
        self.person.mkdir()

    def sign_in(self, url: str = "http://127.0.0.1:9") -> None:
        accounts.save(Accounts((Account("lab", url, "stash_key", "m1", "laptop", "dana", "harbour"),)))

    def connect(self, *places: Path | str, refused: tuple[str, ...] = ()) -> None:
        connections = tuple(Connection("lab", str(place), visibility="project") for place in places)
        consent.save(Consents(connections, refused))
        hookscript.write()

    def repository(self, name: str = "shop") -> Path:
        path = self.folder / name
        git("init", "-q", "-b", "main", str(path))
        git("-C", str(path), "-c", "user.name=d", "-c", "user.email=d@d", "commit", "-qm", "x", "--allow-empty")
        return path

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {**kept, "HOME": str(self.person), **more}

    def start(self, *words: str, cwd: Path, shell: tuple[str, ...] = ("sh",), env=None, **more) -> subprocess.Popen:
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        command = [*shell, str(hookscript.path()), *words]
        return subprocess.Popen(command, cwd=cwd, env=self.environment(**env or {}), **streams)

    def hook(self, *words: str, cwd: Path, payload: bytes = b"{}", **more) -> Said:
        process = self.start(*words, cwd=cwd, **more)
        out, err = process.communicate(payload, timeout=60)
        return Said(process.returncode, out, err)

    @property
    def records(self) -> list[inbox.Record]:
        return [inbox.read(path) for path in inbox.records()]

    def take_records(self) -> list[inbox.Record]:
        found = self.records
        for path in list(inbox.records()):
            path.unlink()
        return found

    @contextmanager
    def sender_that_lives(self) -> Iterator[None]:
        """Hooks see one and start none."""
        with subprocess.Popen(["sleep", "600"]) as process:
            (self.home / "sender.pid").write_text(f"{process.pid}\n")
            try:
                yield
            finally:
                process.kill()
                (self.home / "sender.pid").unlink(missing_ok=True)

    def stop_sender(self) -> None:
        """The one that hooks started, if they did."""
        if (pid := waking.told_pid()) > 0:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)


def git(*words: str) -> None:
    subprocess.run(["git", *words], check=True, stdout=subprocess.DEVNULL)


@dataclass
class Server(ThreadingHTTPServer):
    """``answers``: path to (status, body); bytes are sent as they are. ``got``: (path, body) in order of arrival.

    ``held``: requests wait for it to be set, when it is there.
    """

    answers: dict[str, tuple[int, object]] = field(default_factory=dict)
    got: list[tuple[str, dict]] = field(default_factory=list)
    held: threading.Event | None = None
    daemon_threads = True

    def __post_init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def bodies(self, path: str) -> list[dict]:
        return [body for at, body in self.got if at == path]


class _Answering(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        import gzip

        raw = self.rfile.read(int(self.headers["Content-Length"]))
        raw = gzip.decompress(raw) if self.headers.get("Content-Encoding") == "gzip" else raw
        self.server.got.append((self.path, json.loads(raw)))
        self._answer(*self.server.answers.get(self.path, (404, {})))

    def do_GET(self) -> None:
        self._answer(*self.server.answers.get(self.path, (404, {})))

    def _answer(self, status: int, said: object) -> None:
        if self.server.held:
            self.server.held.wait(60)
        data = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            if server.held:
                server.held.set()
            server.shutdown()
            thread.join()
