"""Signing in: by a code confirmed in a browser, by a key, on a terminal and without one."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client

from accounts.models import ApiKey, Connection, Machine
from sessions_app.models import Event, Session
from stash_client import marker

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def nothing_agreed(shop):
    Connection.objects.all().delete()
    return shop


def confirm(person, said: str) -> None:
    """The person opens the address and confirms the code."""
    browser = Client()
    browser.force_login(person.user, backend="django.contrib.auth.backends.ModelBackend")
    code = re.search(r"code=([A-Z0-9-]+)", said).group(1)
    browser.post("/identity/o/device", {"code": code, "action": "confirm"})


def accounts_of(laptop) -> dict:
    return json.loads((laptop.home / "accounts.json").read_text())


def test_sign_in_as_a_newcomer_ends_with_an_event_that_arrived(laptop, live_server, dana, nothing_agreed):
    settings = laptop.user_home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n  // mine\n  "model": "opus"\n}\n')
    before = settings.read_text()
    screen = laptop.terminal("signin", live_server.url, "--name", "mbp-dana")
    confirm(dana, screen.expect("Waiting ..."))

    screen.expect("Signed in to")
    screen.expect("~/.claude/settings.json  Claude Code calls Stash")
    screen.expect("Change 1 file?")
    assert settings.read_text() == before
    screen.type("y")

    screen.expect("Let sessions be captured?")
    screen.expect("[3]:")
    assert not Connection.objects.exists()
    screen.type("1")
    assert "everybody who can see shop: Dana" in screen.expect("[3]:")
    screen.type("1")
    screen.expect("It arrived. Only you see it: http")
    assert screen.end() == 0

    assert "stash-hook" in settings.read_text()
    assert "// mine" in settings.read_text()
    assert Event.objects.get(kind="note").text == "Stash works on mbp-dana."
    assert Session.objects.get().visibility == "private"
    assert Session.objects.get().machine == Machine.objects.get(name="mbp-dana")
    assert (laptop.home / "accounts.json").stat().st_mode & 0o777 == 0o600
    assert [c["slug"] for c in laptop.connections] == ["shop"]
    assert laptop.run("private")[0] == 4, "what we said ourselves is nobody's running session"


def test_no_is_an_answer_that_is_remembered(laptop, live_server, dana, nothing_agreed):
    for asked in (True, False):
        screen = laptop.terminal("signin", live_server.url, "--key", "--no-agents")
        screen.expect("Key: ")
        screen.type(dana.secret)
        if asked:
            screen.expect("[3]:")
            screen.type("")
            screen.expect("Nothing is captured here.")
        assert screen.end() == 0
        assert screen.shown.count("Let sessions be captured?") == asked
        assert dana.secret not in screen.shown
    assert laptop.consents == {"connections": [], "refused": [str(laptop.repository / ".git")]}
    assert not Connection.objects.exists()
    assert not Event.objects.exists()


@pytest.mark.parametrize("words", [[], ["--yes"]])
def test_without_a_terminal_nothing_is_agreed_to(laptop, live_server, dana, nothing_agreed, words):
    said = laptop.json("signin", live_server.url, "--key", *words, payload=dana.secret.encode())
    assert (said["user"], said["team"], said["repository"]) == ("dana", "harbour", "nobody asked")
    assert not laptop.connections
    assert not Connection.objects.exists()


def test_a_key_is_read_from_stdin_and_never_from_the_command_line(laptop, live_server, dana, nothing_agreed):
    code, out, err = laptop.run("signin", live_server.url, "--key", payload=dana.secret.encode() + b"\n")
    assert (code, dana.secret in out + err) == (0, False)
    [account] = accounts_of(laptop)["accounts"]
    assert (account["key"], account["user"], account["team"]) == (dana.secret, "dana", "harbour")
    assert laptop.run("signin", live_server.url, "--key", dana.secret)[0] == 2


@pytest.mark.parametrize("key, code", [("", 2), ("stash_short", 2), ("stash_" + "x" * 43, 3)])
def test_a_key_that_does_not_fit_leaves_everything_as_it_was(laptop, live_server, db, key, code):
    assert laptop.run("signin", live_server.url, "--key", payload=key.encode() + b"\n")[0] == code
    assert not (laptop.home / "accounts.json").exists()


@pytest.mark.parametrize(
    "url, code", [("http://127.0.0.1:9", 5), ("ftp://x", 2), ("https://a:b@x.example", 2), ("", 2)]
)
def test_an_address_where_no_server_is(laptop, url, code):
    found, _, err = laptop.run("signin", *([url] if url else []))
    assert (found, "Traceback" in err, bool(err)) == (code, False, True)


def test_signing_in_again_keeps_label_and_machine_and_ends_the_old_key(laptop, live_server, dana, nothing_agreed):
    dana.key.machine = Machine.objects.create(membership=dana.membership, name="old")
    dana.key.save()
    laptop.json("signin", live_server.url, "--key", "--label", "work", payload=dana.secret.encode())
    [first] = accounts_of(laptop)["accounts"]
    signing = laptop.start("signin", live_server.url, "--name", "mbp-dana", "--no-agents")
    confirm(dana, signing.stdout.readline().decode())
    assert signing.wait(30) == 0
    [again] = accounts_of(laptop)["accounts"]
    assert (again["label"], again["machine"]) == (first["label"], first["machine"])
    assert again["key"] != first["key"]
    assert [key.machine.name for key in ApiKey.objects.filter(revoked_at=None)] == ["mbp-dana"]


def test_two_teams_at_one_server_get_two_labels(laptop, live_server, dana, olga):
    for person in (dana, olga):
        laptop.json("signin", live_server.url, "--key", payload=person.secret.encode())
    stored = accounts_of(laptop)
    host = live_server.url.removeprefix("http://")
    assert [a["label"] for a in stored["accounts"]] == [host, f"elsewhere@{host}"]
    assert stored["default"] == host


def test_a_label_never_comes_to_mean_somebody_else(laptop, live_server, dana, olga):
    laptop.json("signin", live_server.url, "--key", "--label", "work", payload=dana.secret.encode())
    code, _, err = laptop.run("signin", live_server.url, "--key", "--label", "work", payload=olga.secret.encode())
    assert (code, "team harbour" in err) == (2, True)
    assert [a["user"] for a in accounts_of(laptop)["accounts"]] == ["dana"]


def test_a_machine_reader_gets_address_and_code_as_json(laptop, live_server, dana):
    signing = laptop.start("signin", live_server.url, "--json", "--no-agents")
    line = json.loads(signing.stderr.readline())
    confirm(dana, line["open"])
    out, _ = signing.communicate(timeout=30)
    assert (signing.returncode, json.loads(out)["user"], len(line["code"]) > 4) == (0, "dana", True)


# ---- a colleague in a repository whose team uses Stash ------------------------------------------------------------


@pytest.fixture
def marked(at_work, live_server, nothing_agreed):
    text = marker.with_project("", server=live_server.url, project=str(nothing_agreed.pk), name="Shop")
    (at_work.repository / ".stash.toml").write_text(text)
    return at_work


@pytest.mark.parametrize("answer", ["no", "yes"])
def test_each_colleague_is_asked_once_by_any_command(marked, answer):
    inside = marked.repository / "deep" / "down"
    inside.mkdir(parents=True)
    screen = marked.terminal("agents", cwd=inside)
    screen.expect("meant to be connected")
    screen.expect("Let sessions be captured?")
    screen.type("3" if answer == "no" else "1")
    if answer == "yes":
        screen.expect("Who may see new sessions?")
        screen.type("2")
    assert screen.end() == 0
    assert [c["visibility"] for c in marked.connections] == (["private"] if answer == "yes" else [])
    again = marked.terminal("agents", cwd=inside)
    assert again.end() == 0
    assert "captured?" not in again.shown


def test_nobody_is_asked_without_a_terminal_and_nothing_is_agreed_to(marked):
    assert marked.run("agents")[0] == 0
    assert marked.consents == {"connections": [], "refused": []}


def test_leaving_the_question_unanswered_asks_again(marked):
    screen = marked.terminal("agents")
    screen.expect("[3]:")
    screen.type("\x03")
    assert screen.end() == 130
    assert marked.consents == {"connections": [], "refused": []}


def test_a_clone_with_a_foreign_server_is_asked_about_the_own_one_only(at_work, nothing_agreed):
    text = marker.with_project("", server="https://evil.example.test", project=str(nothing_agreed.pk), name="Shop")
    (at_work.repository / ".stash.toml").write_text(text)
    screen = at_work.terminal("agents")
    assert "so nothing goes there" in " ".join(screen.expect("[3]:").split())
    screen.type("")
    assert screen.end() == 0
    assert not Connection.objects.exists()
