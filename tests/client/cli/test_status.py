"""How a machine stands, and pausing it."""

from __future__ import annotations

import json

import pytest

from stash_client import inbox
from tests.client.laptop import Laptop

ACCOUNT = {"label": "lab", "url": "http://127.0.0.1:9", "key": "stash_FAKEfakeFAKEfakeFAKEfake"}


@pytest.fixture
def away(laptop) -> Laptop:
    """Signed in to a server that cannot be reached."""
    laptop.signed_in(ACCOUNT)
    return laptop


def keep(laptop: Laptop, text: str) -> None:
    told = {"stash": 1, "n": 1, "session": "run-1", "event": "prompt", "text": text, "cwd": str(laptop.repository)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STASH_HOME", str(laptop.home))
        inbox.put({"harness": "my-agent", "cwd": str(laptop.repository)}, json.dumps(told).encode())


def test_status_before_sign_in_says_how_to_begin(laptop):
    code, said, _ = laptop.run("status")
    assert (code, "stash signin URL" in said) == (0, True)


def test_status_says_who_where_to_and_who_sees_it(away):
    away.connected({"server": "lab", "name": "Shop", "slug": "shop", "visibility": "private"})
    (away.repository / ".stash.toml").write_text("[capture]\nprompts = false\nignore = ['secrets/**']\n")
    said = away.run("status")[1]
    assert "lab (127.0.0.1:9) as dana, team harbour" in said
    assert "New sessions are private: only you can read them" in said
    assert "Left out by .stash.toml: prompts, secrets/**" in said
    facts = away.json("status")["repository"]
    assert (facts["connected"], facts["visibility"], facts["project"]) == (True, "private", "shop")


@pytest.mark.parametrize("refused", [True, False])
def test_status_tells_a_no_from_a_question_not_asked(away, refused):
    if refused:
        away.run("disconnect")
    said = away.run("status")[1]
    assert ("you said no" in said, "stash connect" in said) == (refused, True)


def test_status_of_a_place_whose_server_is_gone_is_not_connected(away):
    away.connected({"server": "elsewhere"})
    assert away.json("status")["repository"]["connected"] is False


def test_status_tells_what_waits_and_why(away):
    away.connected({"server": "lab"})
    keep(away, "hello")
    assert away.json("status")["waiting"]["records"] == 1
    away.run("send")
    [server] = away.json("status")["waiting"]["servers"]
    assert (server["label"], server["waiting"], bool(server["error"])) == ("lab", 1, True)
    assert "1 event waits to be sent" in away.run("status")[1]


def test_status_tells_the_environments_account(laptop):
    url, key = ACCOUNT["url"], ACCOUNT["key"]
    code, said, err = laptop.run("status", STASH_URL=url, STASH_KEY=key)
    assert (code, "STASH_URL and STASH_KEY" in said, key in said + err) == (0, True, False)


def test_pause_is_seen_and_ends(away):
    away.connected({"server": "lab"})
    assert away.json("pause", "30m")["until"]
    assert away.json("status")["paused"] is True
    assert "Paused until" in away.run("status")[1]
    keep(away, "nobody is to know")
    away.run("send")
    assert away.json("status")["waiting"]["records"] == 0
    assert not any(b"nobody is to know" in path.read_bytes() for path in away.home.rglob("*") if path.is_file())
    assert away.json("resume")["was_paused"] is True
    assert away.json("status")["paused"] is False


@pytest.mark.parametrize("words", [["soon"], ["0m"], ["-5m"]])
def test_pause_does_not_guess(laptop, words):
    assert laptop.run("pause", *words)[0] == 2
    assert not (laptop.home / "paused").exists()
