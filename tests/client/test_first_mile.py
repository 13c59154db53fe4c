"""A newcomer's story, from signing in to a stored event: real subprocesses, a real server, the real hook script."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.test import Client

from accounts.models import Connection, Machine
from sessions_app.models import Event, Session
from tests.client.laptop import Laptop, eventually

pytestmark = pytest.mark.django_db(transaction=True)
AWAY = "http://127.0.0.1:9"


@pytest.fixture
def laptop(tmp_path) -> Iterator[Laptop]:
    made = Laptop(tmp_path)
    yield made
    made.close()


@pytest.fixture
def newcomer(laptop, live_server, dana, shop) -> Laptop:
    """Signed in with a key; nothing is connected, neither here nor on the server."""
    Connection.objects.all().delete()
    assert laptop.run("signin", live_server.url, "--key", "--label", "lab", payload=dana.secret.encode())[0] == 0
    return laptop


@pytest.fixture
def connected(newcomer) -> Laptop:
    newcomer.json("connect", "--yes", "--no-files")
    return newcomer


class Stranger(ThreadingHTTPServer):
    """Somebody else's server; nothing may ever call it."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), BaseHTTPRequestHandler)
        self.calls: list[object] = []
        self.url = f"http://127.0.0.1:{self.server_port}"

    def process_request(self, request, client_address) -> None:
        self.calls.append(client_address)
        super().process_request(request, client_address)


@pytest.fixture
def stranger() -> Iterator[Stranger]:
    with Stranger() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def move_server(laptop: Laptop, url: str) -> None:
    stored = json.loads((laptop.home / "accounts.json").read_text())["accounts"][0]
    laptop.signed_in({**stored, "url": url})


def test_sign_in_connect_and_capture_as_a_newcomer(laptop, live_server, dana, shop):
    Connection.objects.all().delete()
    signing = laptop.start("signin", live_server.url, "--name", "mbp-dana")
    address = signing.stdout.readline().decode().split()[1]
    browser = Client()
    browser.force_login(dana.user, backend="django.contrib.auth.backends.ModelBackend")
    code = re.search(r"code=([A-Z0-9-]+)", address).group(1)
    browser.post("/identity/o/device", {"code": code, "action": "confirm"})
    out, err = signing.communicate(timeout=30)
    assert (signing.returncode, err) == (0, b"")
    assert b"as dana, team harbour" in out
    assert (laptop.home / "accounts.json").stat().st_mode & 0o777 == 0o600

    assert laptop.hook("UserPromptSubmit", prompt="nobody agreed yet") == (0, "", "")
    assert not list((laptop.home / "inbox").iterdir())

    assert "Connected shop." in laptop.run("connect", "--yes")[1]
    assert laptop.hook("UserPromptSubmit", prompt="hello") == (0, "", "")
    stored = eventually(lambda: Event.objects.filter(kind="prompt").first())
    session = Session.objects.get()
    assert (stored.text, session.project, session.branch, session.person) == ("hello", shop, "main", dana.user)
    assert session.machine == Machine.objects.get(name="mbp-dana")
    eventually(lambda: not laptop.waiting)


def test_hooks_while_the_server_is_away_arrive_later_once_and_in_order(connected, live_server, dana):
    move_server(connected, AWAY)
    for text in ("one", "two", "three"):
        assert connected.hook("UserPromptSubmit", prompt=text) == (0, "", "")
    assert connected.waiting == 3
    accounts = connected.home / "accounts.json"
    kept = [path for path in connected.home.rglob("*") if path.is_file() and path != accounts]
    assert not [path for path in kept if dana.secret.encode() in path.read_bytes()]

    move_server(connected, live_server.url)
    eventually(lambda: connected.run("send") and not connected.waiting)
    assert list(Event.objects.order_by("occurred_at").values_list("text", flat=True)) == ["one", "two", "three"]


def test_a_repository_that_was_disconnected_keeps_and_sends_nothing(connected):
    connected.json("disconnect")
    assert connected.hook("UserPromptSubmit", prompt="not yours") == (0, "", "")
    assert not connected.waiting
    connected.run("send")
    assert not Event.objects.exists()


def test_a_clone_whose_marker_names_a_project_is_not_captured_by_that(connected, live_server, shop):
    clone = connected.clone(connected.folder / "clone", "https://git.example.test/acme/other.git")
    (clone / ".stash.toml").write_text(f'[stash]\nserver = "{live_server.url}"\nproject = "{shop.pk}"\n')
    assert connected.hook("UserPromptSubmit", cwd=clone, prompt="x") == (0, "", "")
    assert not connected.waiting


def test_where_everything_is_connected_a_marker_still_leads_nowhere_else(newcomer, team, live_server, shop, stranger):
    """Neither to its server, nor into the project whose id it has copied."""
    newcomer.json("connect", "--all", "--yes")
    clone = newcomer.clone(newcomer.folder / "clone", "https://git.example.test/acme/other.git")
    (clone / ".stash.toml").write_text(f'[stash]\nserver = "{stranger.url}"\nproject = "{shop.pk}"\n')
    assert newcomer.hook("SessionStart", cwd=clone, source="startup")[0] == 0
    assert newcomer.hook("UserPromptSubmit", cwd=clone, prompt="where to?") == (0, "", "")
    stored = eventually(lambda: Event.objects.filter(kind="prompt").first())
    assert (stored.session.project.slug, stored.session.team) == ("other", team)
    assert stranger.calls == []


def test_capture_policy_that_is_malformed_keeps_no_text(connected):
    (connected.repository / ".stash.toml").write_text("[capture]\nprompts = 'some'\n")
    connected.hook("UserPromptSubmit", prompt="secret plans")
    stored = eventually(lambda: Event.objects.filter(kind="prompt").first())
    assert stored.text == ""


@pytest.mark.parametrize("payload", [b"", b"\xef\xbb\xbf", b"{broken", b"\xff\x00", b"[]"])
def test_hook_never_breaks_the_agent(connected, payload):
    assert connected.raw_hook(payload) == (0, "", "")
    eventually(lambda: connected.run("send") and not connected.waiting)


def test_secret_in_a_payload_never_leaves_the_machine_in_clear(connected):
    connected.hook("UserPromptSubmit", prompt="use ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE please")
    assert eventually(lambda: Event.objects.first()).text.startswith("use [redacted:")
