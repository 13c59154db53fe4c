"""What leaves a machine with its history: as little as with its hooks, and to nobody else."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.client.history.test_import import Laptop
from tests.client.stash_like import StashLike, stash_like

PROMPT = "Run the test suite, then show me what the staging env file sets"


@pytest.fixture
def server():
    with stash_like() as running:
        yield running


@pytest.fixture
def laptop(tmp_path, server) -> Laptop:
    person = SimpleNamespace(secret="stash_key", user=SimpleNamespace(username="dana"))
    made = Laptop(tmp_path, server.url, person)
    made.claude_file(made.repository("shop"))
    return made


def said_by(server: StashLike) -> str:
    return str([server.stored, server.sessions])


def test_the_teams_own_patterns_hold_for_what_was_before(laptop, server):
    server.config = {"projects": [], "patterns": [{"type": "acme-word", "prefix": "stag", "min": 1}]}
    assert laptop.run()[0] == 0
    assert "[redacted:acme-word]" in said_by(server)
    assert PROMPT not in said_by(server)


def test_the_projects_policy_holds_for_what_was_before(laptop, server):
    policy = {"prompts": False}
    server.config = {
        "projects": [{"id": "p-1", "identities": ["git.example.test/acme/shop"], "policy": policy}],
        "patterns": [],
    }
    assert laptop.run()[0] == 0
    assert [event for event in server.stored if event["kind"] == "prompt" and event.get("text") == PROMPT] == []
    assert all(session["policy"]["prompts"] is False for session in server.sessions)


def test_a_page_that_answers_instead_of_the_server_has_taken_nothing(laptop, server):
    server.mode = "garbage"
    assert laptop.run("--patience", "0")[0] == 5
    server.mode = "up"
    assert laptop.run()[0] == 0
    assert PROMPT in said_by(server)
