"""What is where, under which name, and for whom."""

from __future__ import annotations

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Project, ProjectGrant
from sessions_app.models import Session
from stash.audit.models import AuditEntry
from stash.vfs.budget import ROWS
from stash.vfs.mounts import root_of
from stash.vfs.shell.running import run_in
from stash.vfs.tree import Reader
from tests.conftest import connect, make_person, make_project
from tests.sessions_app.wire import event, prompt, reply
from tests.vfs.tree import out, run, tell

pytestmark = pytest.mark.django_db


def test_a_session_is_found_by_project_person_and_in_me(told, dana, ravi):
    name = f"0915-fix-the-totals-of-receipts-{told['totals'][-8:]}"
    for above in ("/projects/shop", "/people/dana", "/me"):
        assert out(dana, f"ls {above}/sessions/2026-11-24") == f"{name}\n"
    assert out(dana, f"ls /me/sessions/2026-11-24/{name}") == "events.jsonl\nmeta.json\nsummary.md\ntranscript.md\n"
    meta = json.loads(out(dana, "cat /me/sessions/*/*/meta.json"))
    assert (meta["id"], meta["project"]) == (told["totals"], "shop")
    assert out(dana, "wc -l < /me/sessions/2026-11-24/*/events.jsonl").strip() == "4"
    recent = [json.loads(line) for line in out(dana, "cat /recent.jsonl").splitlines()]
    assert [line["title"] for line in recent] == ["Deploy the shop to staging", "Fix the totals of receipts"]
    assert out(dana, f"ls {recent[0]['path']}")


def test_files_are_the_downloads_to_the_byte(told, dana):
    for name, path in (("transcript.md", "transcript.md"), ("events.jsonl", "events.jsonl")):
        download = b"".join(dana.api.get(f"/api/v1/sessions/{told['totals']}/{path}"))
        assert run(dana, f"cat /me/sessions/*/*/{name}").stdout == download


def test_a_name_stays_whatever_happens_to_the_session(told, dana):
    before = out(dana, "find /me")
    dana.api.patch(f"/api/v1/sessions/{told['totals']}", {"title": "Another title"}, format="json")
    tell(dana, "s-1", prompt("And now for something else", at=-500), reply("ok", at=600))
    assert out(dana, "find /me") == before


def test_a_name_made_of_what_was_forgotten_goes_with_it(dana, shop):
    session = tell(dana, "s-1", prompt("zebra password", at=50), prompt("plain words", at=10, uid="later"))
    assert "zebra" in out(dana, "ls /me/sessions/*")
    dana.api.post(f"/api/v1/sessions/{session}/forget", {"since": "2026-11-24T09:15:40Z"}, format="json")
    assert out(dana, "find /me -name '*-*-*-*'").count("plain-words") == 1
    assert "zebra" not in out(dana, "find / | sort; rg . /me; cat /recent.jsonl")


def test_names_are_safe_in_every_script(dana, shop):
    for number, (text, slug) in enumerate(
        [
            ("../../etc/passwd; rm -rf $HOME `x`", "etc-passwd-rm-rf-home-x"),
            ("締め処理を直した", "締め処理を直した"),
            ("Größe\x1b[31m\u202e prüfen", "grösse-prüfen"),
            ("!!!", "untitled"),
            ("a" * 500, "a" * 40),
        ]
    ):
        tell(dana, f"n-{number}", prompt(text, at=number * 60))
        assert f"-{slug}-" in out(dana, "ls /me/sessions/2026-11-24"), text
    listed = out(dana, "ls /me/sessions/2026-11-24").splitlines()
    assert all("/" not in name and len(name.encode()) < 255 for name in listed)
    assert out(dana, "cat /me/sessions/*/*/meta.json | grep -c native_id") == "5\n"


def test_what_has_no_prompt_is_there_once_its_first_turn_is_over(dana, shop):
    tell(dana, "s-1", reply("hello"))
    assert out(dana, "ls /me/sessions") == ""
    tell(dana, "s-1", event("turn_end", at=60))
    assert "0916-untitled-" in out(dana, "ls /me/sessions/2026-11-24")


def test_private_sessions_are_their_persons_alone(told, dana, ravi):
    assert run(dana, "rg zebra /").exit_code == 1
    assert "zebra" not in out(dana, "find / ; cat /recent.jsonl; grep -rh . /")
    assert "zebra" in out(ravi, "rg zebra /")
    assert "secret-plan" in out(ravi, "ls /projects/shop/sessions/2026-11-24")
    name = out(ravi, "ls /me/sessions/2026-11-24").strip()
    for path in (f"/projects/shop/sessions/2026-11-24/{name}", f"/people/ravi/sessions/2026-11-24/{name}"):
        assert run(dana, f"ls {path}").stderr == f"ls: cannot access '{path}': No such file or directory\n"


def test_sharing_and_withdrawing_take_effect_at_once(told, dana, ravi):
    change = f"/api/v1/sessions/{told['private']}"
    ravi.api.patch(change, {"visibility": "project"}, format="json")
    assert "zebra" in out(dana, "rg zebra /projects")
    ravi.api.patch(change, {"visibility": "private"}, format="json")
    assert run(dana, "rg zebra /projects").exit_code == 1


def test_another_team_sees_nothing_of_it(told, olga):
    assert out(olga, "ls /projects /people") == "/people:\nolga\n\n/projects:\n"
    assert run(olga, "rg -i 'totals|deploy' /").exit_code == 1
    assert run(olga, "ls /projects/shop").exit_code == 2


def test_a_restricted_project_is_there_for_those_with_a_grant(told, team, dana, ravi):
    vault = make_project(team, "vault", visibility="restricted")
    ProjectGrant.objects.create(project=vault, membership=ravi.membership)
    connect(ravi, vault)
    tell(ravi, "v-1", prompt("Open the vault"), project="vault")
    assert out(ravi, "ls /projects") == "shop\nvault\n"
    assert out(dana, "ls /projects") == "shop\n"
    assert run(dana, "rg vault /").exit_code == 1
    owner = make_person(team, "odin", "owner")
    assert "Open the vault" in out(owner, "rg 'Open the vault' /projects")
    assert AuditEntry.objects.filter(verb="session.opened_by_admin").count() == 1


def test_a_renamed_project_is_still_found_by_its_old_name(told, dana):
    answer = dana.api.patch("/api/v1/projects/shop", {"slug": "store"}, format="json")
    assert answer.status_code == 200, answer.content
    assert Project.objects.get().slug == "store"
    assert out(dana, "ls /projects") == "store\n"
    assert out(dana, "ls /projects/shop/sessions") == out(dana, "ls /projects/store/sessions")


def test_one_fact_shows_once(told, dana):
    found = out(dana, "rg -l 'TimeoutError' /").splitlines()
    assert [path.split("/")[1:5] for path in found] == [["projects", "shop", "sessions", "2026-11-25"]]
    assert found[0].endswith("/transcript.md")
    assert out(dana, "rg -l TimeoutError /people").count("\n") == 1
    folder = found[0].rpartition("/")[0]
    assert out(dana, f"rg -l -g '*.jsonl' TimeoutError {folder}") == f"{folder}/events.jsonl\n"
    assert out(dana, f"rg -c TimeoutError {folder}/events.jsonl") == "1\n"
    assert out(dana, f"rg -l -u TimeoutError {folder}").count("\n") == 2


def test_a_session_of_no_project_is_in_me(dana):
    connect(dana, None)
    told = tell(dana, "loose", prompt("lonely walrus"), project="")
    Session.objects.filter(pk=told).update(project=None, visibility="private")
    assert out(dana, "rg -l walrus /").startswith("/me/sessions/2026-11-24/0915-lonely-walrus-")


def test_a_month_reads_that_month(dana, shop):
    for month in (9, 10, 11):
        for day in range(1, 6):
            moment = f"2026-{month:02}-{day:02}T10:00:00Z"
            tell(dana, f"s-{month}-{day}", {**prompt(f"work {month} {day}"), "occurred_at": moment})
    actor = dana.actor
    with CaptureQueriesContext(connection) as queries:
        reader = Reader(actor)
        listed = run_in(root_of(reader), reader, "ls -d /projects/shop/sessions/2026-10-*").stdout
    assert listed.count(b"\n") == 5
    assert len(queries) == 2  # the project, and the days of this month
    assert reader.budget.rows == ROWS - 5
    with CaptureQueriesContext(connection) as queries:
        assert out(dana, "ls /projects/shop/sessions/2026-10-*").count("work-10") == 5
    asked = " ".join(query["sql"] for query in queries)
    assert "2026-10-01" in asked
    assert "2026-11-0" not in asked
