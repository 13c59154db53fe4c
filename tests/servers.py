"""A whole server of its own for tests in a browser and for pictures: daphne over a fresh data folder."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Server:
    """``url`` without a slash at the end."""

    url: str
    environ: dict[str, str]

    def manage(self, *arguments: str) -> str:
        """What ``manage.py`` says. Raises CalledProcessError when it fails."""
        return self.python("manage.py", *arguments)

    def python(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=self.environ, check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout


@contextmanager
def running(data: Path, **environ: str) -> Iterator[Server]:
    """Listens before anything else happens, so that no other process can take the port."""
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    path = os.pathsep.join([str(ROOT), str(ROOT / "client" / "src"), os.environ.get("PYTHONPATH", "")])
    inherited = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    server = Server(url, {**inherited, "PYTHONPATH": path, "STASH_DATA": str(data), "STASH_URL": url, **environ})
    server.manage("prepare")
    command = [sys.executable, "-m", "daphne", "-v", "0", "--fd", str(listener.fileno()), "stash.asgi:application"]
    with (data / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, env=server.environ, pass_fds=(listener.fileno(),), stdout=log, stderr=log
        )
    try:
        _wait_for(f"{url}/accounts/login/", process)
        yield server
    finally:
        process.terminate()
        process.wait(20)
        listener.close()


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    last: Exception | None = None
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except (urllib.error.URLError, OSError) as error:
            last = error
            time.sleep(0.1)
    raise RuntimeError(f"The server did not start: {last}")
