"""Commands that read a server, against the real API."""

from __future__ import annotations

import json

import pytest

from accounts.models import Team
from tests.client.sessions import capture, tell
from tests.conftest import make_person

pytestmark = pytest.mark.django_db(transaction=True)


def test_sessions_lists_filters_and_speaks_json(signed_in, dana):
    first, second = capture(dana, "s-1"), capture(dana, "s-2", harness="codex")

    lines = signed_in.run("sessions").out.splitlines()
    assert [line.split()[0] for line in lines] == [second[-8:], first[-8:]]
    assert "fix the totals" in lines[0]
    assert [s["id"] for s in signed_in.run("sessions", "ls", "--json").json] == [second, first]
    for words in (("--harness", "codex"), ("ls", "--harness", "codex"), ("--limit", "1"), ("ls", "--limit", "1")):
        assert [s["id"] for s in signed_in.run("sessions", *words, "--json").json] == [second]
    assert signed_in.run("sessions", "--by", "me", "--since", "1h", "--project", "shop", "--json").json
    assert signed_in.run("sessions", "--status", "needs_you").out == "No sessions.\n"
    assert signed_in.run("sessions", "--until", "2d", "--json").json == []
    assert signed_in.run("sessions", "--since", "soon").code == 2


def test_sessions_show_is_readable_and_takes_short_ids(signed_in, dana):
    session = capture(dana, "s-1")
    done = signed_in.run("sessions", "show", session[-8:])
    assert done.code == 0
    said = done.out
    assert said.index("fix the totals") < said.index("shell pytest  exit 1") < said.index("rounded once per ticket")
    told = signed_in.run("sessions", "show", session[-8:], "--json").json
    assert told["session"]["id"] == session
    assert [event["kind"] for event in told["events"]] == ["prompt", "tool_call", "reply", "turn_end"]
    assert "reply" not in signed_in.run("sessions", "show", session, "--kind", "prompt").out
    assert signed_in.run("sessions", "show", session, "--markdown").out.startswith("---\n")
    assert signed_in.run("sessions", "show", "ffffffff").code == 4


def test_the_session_that_ran_here_is_meant_where_none_is_named(signed_in, dana):
    assert signed_in.run("sessions", "show").code == 4
    signed_in.ran_here()
    assert "not reached the server" in signed_in.run("sessions", "show").err
    session = capture(dana, "s-1")
    signed_in.ran_here(session)
    assert signed_in.run("sessions", "show", "--json").json["session"]["id"] == session


def test_text_of_others_cannot_steer_a_terminal(signed_in, dana):
    session = capture(dana, "s-1")
    dana.api.patch(f"/api/v1/sessions/{session}", {"title": "a\x1b]0;owned\x07\x1b[2Jb\x9bc"}, format="json")
    for words in (("sessions",), ("sessions", "show", session), ("top", "--everyone", "--once")):
        out = signed_in.run(*words).out
        assert not {"\x1b", "\x07", "\x9b"} & set(out)


def test_sessions_tail_shows_the_last_and_follows(signed_in, dana):
    session = capture(dana, "s-1")
    assert [e["kind"] for e in signed_in.run("sessions", "tail", "-n", "2", session, "--json").json] == [
        "reply",
        "turn_end",
    ]
    assert signed_in.run("sessions", "tail", session, "-n", "1").out.strip().endswith("#4 turn_end")


def test_sessions_export_writes_whole_files_and_asks_before_it_replaces_one(signed_in, dana, tmp_path):
    session, target = capture(dana, "s-1"), tmp_path / "out.jsonl"
    assert [json.loads(line)["number"] for line in signed_in.run("sessions", "export", session).out.splitlines()] == [
        1, 2, 3, 4,
    ]  # fmt: skip
    told = signed_in.run("sessions", "export", session, "-o", str(target), "--json").json
    assert (told["session"], told["bytes"]) == (session, target.stat().st_size)
    assert target.stat().st_mode & 0o777 == 0o600
    assert signed_in.run("sessions", "export", session, "-o", str(target)).code == 1
    assert signed_in.run("sessions", "export", session, "-o", str(target), "--format", "md", "--yes").code == 0
    assert "fix the totals" in target.read_text()
    assert "jsonl" in signed_in.run("sessions", "export", session, "--json").json


def test_top_shows_who_waits_first_and_nothing_that_is_over(signed_in, dana, ravi):
    over, idle = capture(dana, "over"), capture(dana, "idle")
    tell(dana, "over", [{"uid": "o-9", "n": 9, "kind": "session_end"}])
    waits = tell(
        dana, "waits", [{"uid": "w", "n": 1, "kind": "attention", "text": "run it?", "command": "rm -r build"}]
    )
    runs = tell(dana, "runs", [{"uid": "r", "n": 1, "kind": "prompt", "text": "go"}])

    told = signed_in.run("top", "--json").json
    assert [session["id"] for session in told] == [waits, runs, idle]
    assert over not in {session["id"] for session in told}
    lines = signed_in.run("top").out.splitlines()
    assert lines[0].startswith("needs you")
    assert "rm -r build" in lines[0] or "run it?" in lines[0]
    assert signed_in.run("top", "--project", "shop", "--once", "--json").json == told
    assert signed_in.run("top", "--interval", "0").code == 2


def test_open_says_the_address_where_there_is_no_screen(signed_in, dana, live_server):
    session = capture(dana, "s-1")
    assert signed_in.run("sessions", "open", session[-8:], "--json").json["url"].endswith(f"/sessions/{session}/")
    assert signed_in.run("open").out == f"{live_server.url}/t/harbour/\n"
    signed_in.ran_here(session)
    assert signed_in.run("open", "session").out.strip().endswith(f"/sessions/{session}/")
    assert signed_in.run("open", "project").code == 3
    signed_in.connected()
    told = signed_in.run("open", "project", "--json").json
    assert told == {"url": f"{live_server.url}/t/harbour/sessions/?project=shop", "opened": False}


def test_open_uses_the_browser_of_the_person(signed_in, tmp_path):
    script, seen = tmp_path / "browser", tmp_path / "seen"
    script.write_text(f'#!/bin/sh\necho "$1" > {seen}\n')
    script.chmod(0o755)
    assert signed_in.run("open", BROWSER=f"{script} %s").code == 0
    assert seen.read_text().endswith("/t/harbour/\n")


def test_server_chooses_among_several(signed_in, dana, live_server):
    olga = make_person(Team.objects.create(slug="elsewhere", name="Elsewhere"), "olga")
    known = json.loads((signed_in.home / "accounts.json").read_text())
    other = {**known["accounts"][0], "label": "far", "key": olga.secret, "team": "elsewhere"}
    (signed_in.home / "accounts.json").write_text(json.dumps({**known, "accounts": [*known["accounts"], other]}))
    capture(dana, "s-1")

    assert len(signed_in.run("sessions", "--json").json) == 1
    assert signed_in.run("--server", "far", "sessions", "--json").json == []
    assert signed_in.run("open", STASH_SERVER="far").out.endswith("/t/elsewhere/\n")
    assert signed_in.run("sessions", STASH_SERVER="nowhere").code == 3


def test_a_key_that_was_revoked_is_exit_code_3(signed_in, live_server):
    signed_in.signed_in(live_server.url, "stash_gone")
    done = signed_in.run("sessions", "--json")
    assert (done.code, "stash signin" in json.loads(done.err)["hint"]) == (3, True)
