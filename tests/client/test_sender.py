"""What waits is sent, kept or dropped: a real server on a socket of its own answers as told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from stash_client import accounts, home, inbox, sender
from stash_client.accounts import Account, Accounts

_OURS = {"type": "urn:stash:problem:invalid", "status": 422, "detail": "no"}


class Server(ThreadingHTTPServer):
    """``answers``: (status, body) of the next requests; the last goes on. ``on_request``: called before answering."""

    answers: list[tuple[int, object]]
    got: list[bytes]
    on_request = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Answering(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        server.got.append(self.rfile.read(int(self.headers["Content-Length"])))
        if server.on_request is not None:
            server.on_request()
        status, said = server.answers.pop(0) if len(server.answers) > 1 else server.answers[0]
        if status == 0:
            self.wfile.write(b"nonsense\r\n\r\n")
            self.close_connection = True
            return
        data = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Location", "http://127.0.0.1:9/")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(tmp_path, monkeypatch) -> Iterator[Server]:
    monkeypatch.setenv("STASH_HOME", str(tmp_path))
    with Server(("127.0.0.1", 0), Answering) as running:
        running.answers, running.got = [(200, {})], []
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        accounts.save(Accounts((Account("lab", running.url, "stash_key", "m1", "laptop", "dana", "harbour"),)))
        yield running
        running.shutdown()
        thread.join()


def put(text: str = "go") -> None:
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s-1", "prompt": text}
    inbox.put({"harness": "claude-code"}, json.dumps(payload).encode())


@pytest.mark.parametrize(
    "status, said, kept",
    [
        (200, {}, False),
        (422, _OURS, False),
        (413, _OURS, False),
        (422, {"detail": "of a proxy"}, True),
        (404, {}, True),
        (404, _OURS, True),
        (301, {}, True),
        (308, {}, True),
        (401, _OURS, True),
        (403, _OURS, True),
        (405, {}, True),
        (429, _OURS, True),
        (503, _OURS, True),
        (0, "", True),
    ],
)
def test_only_stash_itself_can_refuse_for_good(server, status, said, kept):
    server.answers = [(status, said)]
    put()
    sender.drain()
    assert len(list(inbox.records())) == kept


def test_what_comes_while_it_sends_is_sent_too(server):
    """The hook that brings it finds the lock taken and leaves it to the sender that runs."""
    server.on_request = lambda: put("second") if len(server.got) == 1 else None
    put("first")
    assert sender.drain() == 2
    assert not list(inbox.records())


def test_a_record_that_cannot_be_read_is_set_aside_and_holds_up_nothing(server):
    (inbox.folder() / "1-2-claude-code-").mkdir()
    put()
    assert sender.drain() == 1
    assert not list(inbox.records())
    assert [path.name for path in inbox.folder().iterdir()] == [".unread-1-2-claude-code-"]
    assert (home.folder() / "fault.txt").read_text()
