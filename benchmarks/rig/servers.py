"""The application, served as it is in production: daphne (ASGI) or granian (WSGI, one process of eight threads)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

from rig import PYTHONPATH, ROOT
from rig.engines import Engine, free_port, wait_for_port

KINDS = ("daphne", "granian")
THREADS = 8


class Server:
    """One server process on a port of its own; ``kill`` is as sudden as a power cut for it and its children."""

    def __init__(self, kind: str, engine: Engine, *, port: int | None = None, **env: str) -> None:
        self.kind, self.port = kind, port or free_port()
        self._env = environment(engine, STASH_ROLE="web" if kind == "granian" else "all", **env)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self, *, wait: bool = True) -> Server:
        self._process = subprocess.Popen(self._command(), env=self._env, cwd=ROOT, start_new_session=True)
        if wait:
            wait_for_port(self.port, process=self._process)
        return self

    def _command(self) -> list[str]:
        port = str(self.port)
        if self.kind == "daphne":
            run = ["-m", "daphne", "-v", "0", "-b", "127.0.0.1", "-p", port, "floor.asgi:application"]
        else:
            run = ["-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", port, "--workers", "1"]
            run += ["--blocking-threads", str(THREADS), "--no-access-log", "--log-level", "warning"]
            run += ["stash.wsgi:application"]
        return [sys.executable, *run]

    def kill(self) -> None:
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


def environment(engine: Engine, **env: str) -> dict[str, str]:
    """What a process of this measurement sees; rate limits are out of the way, the settings add the floor's pages."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("STASH_", "DATABASE_", "REDIS_", "DJANGO_"))}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join(PYTHONPATH),
        "DJANGO_SETTINGS_MODULE": "floor.settings",
        "STASH_RATE_CAPTURE": "100000000",
        "STASH_RATE_OTHER": "100000000",
        **engine.env,
        **env,
    }


def ask(engine: Engine, task: str, **arguments: Any) -> Any:
    """Run one function of ``rig.inside`` in a process of the application; its result, which is JSON."""
    done = subprocess.run(
        [sys.executable, "-m", "rig.inside", task, json.dumps(arguments)],
        env=environment(engine, STASH_ROLE="worker"),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])
