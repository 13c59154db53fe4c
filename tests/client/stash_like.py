"""A server on a socket that keeps events as Stash does, once for each uid, and misbehaves as told."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Problem = dict[str, Any]


def problem(code: str, status: int) -> Problem:
    return {"type": f"urn:stash:problem:{code}", "title": code, "status": status, "detail": code, "code": code}


class StashLike(ThreadingHTTPServer):
    """``mode``: up, cut (stores, then hangs up), slow, garbage, or a status to answer with.

    ``stored``: events in the order they came, each once; ``bodies``: every request, ``keys``: with which key.
    ``reject``: the problem with an event, if any; ``refuse``: (status, problem) for a whole body, if any.
    """

    daemon_threads = True

    def __init__(self, address: tuple[str, int] = ("127.0.0.1", 0)) -> None:
        super().__init__(address, Handler)
        self.mode: str | int = "up"
        self.slowness = 5.0
        self.retry_after = ""
        self.config: dict[str, Any] = {"projects": [], "patterns": []}
        self.config_asked: list[str] = []
        self.stored: list[dict[str, Any]] = []
        self.sessions: list[dict[str, Any]] = []
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.duplicates = 0
        self.reject: Callable[[dict[str, Any]], Problem | None] = lambda event: None
        self.refuse: Callable[[dict[str, Any]], tuple[int, Problem] | None] = lambda body: None
        self.on_request: Callable[[], None] = lambda: None
        self._lock = threading.Lock()

    def handle_error(self, request: object, address: object) -> None:
        """Clients that are killed hang up."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def texts(self) -> list[str]:
        return [event.get("text", "") for event in self.stored]

    def keep(self, body: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            known = {event["uid"] for event in self.stored}
            rejected, accepted, duplicates = [], 0, 0
            for index, event in enumerate(body["events"]):
                if found := self.reject(event):
                    rejected.append({"index": index, "problem": found})
                elif event["uid"] in known:
                    duplicates += 1
                else:
                    self.stored.append(event)
                    self.sessions.append(body["session"])
                    known.add(event["uid"])
                    accepted += 1
            self.duplicates += duplicates
        native_id = body["session"]["native_id"]
        return {
            "session": f"id-of-{native_id}",
            "url": f"{self.url}/s/{native_id}",
            "accepted": accepted,
            "completed": 0,
            "duplicates": duplicates,
            "rejected": rejected,
        }


class Handler(BaseHTTPRequestHandler):
    server: StashLike
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.config_asked.append(self.headers.get("If-None-Match", ""))
        if self.server.mode == "garbage":
            self._say(200, b"<html>Welcome to the hotel</html>")
        elif self.server.mode != "up":
            self._say(503, b"")
        elif self.headers.get("If-None-Match") == '"1"':
            self._say(304, b"")
        else:
            self._say(200, json.dumps(self.server.config).encode(), ETag='"1"')

    def do_POST(self) -> None:
        server = self.server
        data = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            data = gzip.decompress(data)
        body = json.loads(data)
        if self.path != "/api/v1/events":
            self._say(404, json.dumps(problem("not_found", 404)).encode())
            return
        server.bodies.append(body)
        server.keys.append(self.headers.get("Authorization", ""))
        server.on_request()
        if server.mode == "slow":
            time.sleep(server.slowness)
        if server.mode == "garbage":
            self._say(200, b"<html>Welcome to the hotel</html>")
        elif isinstance(server.mode, int):
            headers = {"Retry-After": server.retry_after} if server.retry_after else {}
            self._say(server.mode, json.dumps(problem("told", server.mode)).encode(), **headers)
        elif refused := server.refuse(body):
            self._say(refused[0], json.dumps(refused[1]).encode())
        else:
            answer = json.dumps(server.keep(body)).encode()
            if server.mode == "cut":
                self.close_connection = True
                self.connection.close()
            else:
                self._say(200, answer)

    def _say(self, status: int, data: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def stash_like() -> Iterator[StashLike]:
    with StashLike() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
