"""From an agent's hook on a laptop to a stored event: real subprocesses, a real server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.test import Client

from accounts.models import Machine
from sessions_app.models import Event, Session
from stash_client.accounts import Account

pytestmark = pytest.mark.django_db(transaction=True)
SOURCE = Path(__file__).parents[2] / "client" / "src"


class Laptop:
    """A machine with its own settings and one checkout."""

    def __init__(self, folder: Path) -> None:
        self.home, self.repository = folder / "settings", folder / "shop"
        subprocess.run(["git", "init", "-q", "-b", "main", self.repository], check=True)
        url = "git@git.example.test:acme/shop.git"
        subprocess.run(["git", "-C", self.repository, "remote", "add", "origin", url], check=True)

    def start(self, *words: str, payload: bytes = b"", **kwargs) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, "-m", "stash_client", *words],
            cwd=self.repository,
            env={**os.environ, "STASH_HOME": str(self.home), "PYTHONPATH": str(SOURCE)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **kwargs,
        )
        if payload:
            process.stdin.write(payload)
        process.stdin.close()
        process.stdin = None
        return process

    def run(self, *words: str, payload: bytes = b"") -> tuple[int, str, str]:
        process = self.start(*words, payload=payload)
        out, err = process.communicate(timeout=30)
        return process.returncode, out.decode(), err.decode()

    def signed_in(self, url: str, person) -> None:
        self.home.mkdir(exist_ok=True)
        account = Account("lab", url, person.secret, "m1", "laptop", "dana", "harbour")
        (self.home / "accounts.json").write_text(json.dumps({"accounts": [vars(account)], "default": "lab"}))

    def hook(self, **payload) -> tuple[int, str, str]:
        whole = {"session_id": "s-1", "cwd": str(self.repository), **payload}
        return self.run("hook", "claude-code", payload=json.dumps(whole).encode())

    @property
    def waiting(self) -> list[Path]:
        return [path for path in (self.home / "inbox").glob("*") if not path.name.startswith(".")]


@pytest.fixture
def laptop(tmp_path) -> Laptop:
    return Laptop(tmp_path)


def eventually(condition, seconds: float = 20):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := condition():
            return found
        time.sleep(0.1)
    raise AssertionError("it never happened")


def test_hook_reaches_the_server_and_says_nothing(laptop, live_server, dana, shop):
    laptop.signed_in(live_server.url, dana)

    assert laptop.hook(hook_event_name="UserPromptSubmit", prompt="fix the totals") == (0, "", "")

    stored = eventually(lambda: Event.objects.filter(kind="prompt").first())
    session = Session.objects.get()
    assert (stored.text, session.project, session.branch, session.person) == ("fix the totals", shop, "main", dana.user)
    eventually(lambda: not laptop.waiting)


def test_hooks_while_the_server_is_away_arrive_later_once_and_in_order(laptop, live_server, dana, shop):
    laptop.signed_in("http://127.0.0.1:9", dana)
    for text in ("one", "two", "three"):
        assert laptop.hook(hook_event_name="UserPromptSubmit", prompt=text) == (0, "", "")
    assert len(laptop.waiting) == 3
    assert dana.secret not in "".join(path.read_text() for path in laptop.waiting)

    laptop.signed_in(live_server.url, dana)
    laptop.run("send")
    laptop.run("send")

    assert list(Event.objects.order_by("occurred_at").values_list("text", flat=True)) == ["one", "two", "three"]
    assert laptop.waiting == []


def test_hook_of_an_unconnected_repository_stores_nothing(laptop, live_server, ravi, shop):
    laptop.signed_in(live_server.url, ravi)
    laptop.hook(hook_event_name="UserPromptSubmit", prompt="not yours")

    eventually(lambda: not laptop.waiting)
    assert not Event.objects.exists()


def test_hook_before_sign_in_keeps_nothing(laptop):
    assert laptop.hook(hook_event_name="UserPromptSubmit", prompt="x") == (0, "", "")
    assert not (laptop.home / "inbox").exists()


@pytest.mark.parametrize("payload", [b"", b"\xef\xbb\xbf", b"{broken", b"\xff\x00", b"[]"])
def test_hook_never_breaks_the_agent(laptop, live_server, dana, shop, payload):
    laptop.signed_in(live_server.url, dana)
    assert laptop.run("hook", "claude-code", payload=payload) == (0, "", "")
    eventually(lambda: not laptop.waiting)


def test_secret_in_a_payload_never_leaves_the_machine_in_clear(laptop, live_server, dana, shop):
    laptop.signed_in(live_server.url, dana)
    laptop.hook(hook_event_name="UserPromptSubmit", prompt="use ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE please")

    assert eventually(lambda: Event.objects.first()).text.startswith("use [redacted:")


def test_sign_in_connect_and_capture_as_a_newcomer(laptop, live_server, dana, shop):
    signing = laptop.start("signin", live_server.url, "--name", "mbp-dana")
    address = signing.stdout.readline().decode().split()[1]
    code = re.search(r"code=([A-Z0-9-]+)", address).group(1)
    browser = Client()
    browser.force_login(dana.user, backend="django.contrib.auth.backends.ModelBackend")
    browser.post("/identity/o/device", {"code": code, "action": "confirm"})
    out, err = signing.communicate(timeout=30)
    assert (signing.returncode, err) == (0, b"")
    assert b"Signed in as dana" in out
    assert (laptop.home / "accounts.json").stat().st_mode & 0o777 == 0o600

    code_, said, _ = laptop.run("connect")
    assert (code_, said.startswith("Connected shop.")) == (0, True)
    laptop.hook(hook_event_name="UserPromptSubmit", prompt="hello")
    eventually(lambda: Event.objects.filter(text="hello").exists())
    assert Session.objects.get().machine == Machine.objects.get(name="mbp-dana")


def test_connect_needs_a_signed_in_machine(laptop):
    code, _, said = laptop.run("connect")
    assert (code, "stash signin" in said) == (3, True)


@pytest.mark.parametrize("harness", ["claude-code", "codex", "cursor"])
def test_hooks_shows_settings_that_are_json(laptop, harness):
    _, said, _ = laptop.run("hooks", harness)
    assert f"stash hook {harness}" in json.dumps(json.loads(said.split("\n\n", 1)[1]))
