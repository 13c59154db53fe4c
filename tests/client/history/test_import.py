"""`stash import` as a person runs it: real session files in a home of their own, a real server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sessions_app.models import Event, Session
from stash_client.accounts import Account
from tests.conftest import connect, make_project

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).parents[3]
SAMPLES = ROOT / "tests" / "harness_samples"
CLAUDE = "e4bbcf61-f6fb-4587-adc0-dea7d4307be9"


class Laptop:
    """A home with repositories, agents' session files and a signed-in client."""

    def __init__(self, home: Path, url: str, person) -> None:
        self.home, self.settings = home, home / "settings"
        self.settings.mkdir(parents=True)
        account = Account("lab", url, person.secret, "m1", "laptop", person.user.username, "harbour")
        (self.settings / "accounts.json").write_text(json.dumps({"accounts": [vars(account)], "default": "lab"}))
        self.connections: list[dict] = []

    def repository(self, name: str, *, connected: bool = True) -> Path:
        folder = self.home / "src" / name
        subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
        url = f"git@git.example.test:acme/{name}.git"
        subprocess.run(["git", "-C", folder, "remote", "add", "origin", url], check=True)
        if connected:
            self.connections.append({"server": "lab", "place": os.path.realpath(folder / ".git"), "name": name})
            stored = {"connections": self.connections, "refused": []}
            (self.settings / "connections.json").write_text(json.dumps(stored))
        return folder

    def claude_file(self, cwd: Path, native_id: str = CLAUDE) -> Path:
        folder = self.home / ".claude" / "projects" / "-src"
        folder.mkdir(parents=True, exist_ok=True)
        text = (SAMPLES / "claude-code" / "transcript.jsonl").read_text()
        text = text.replace("/home/mika/projects/orchard-api", str(cwd)).replace(CLAUDE, native_id)
        file = folder / f"{native_id}.jsonl"
        file.write_text(text)
        return file

    def run(self, *words: str) -> tuple[int, dict, str]:
        environ = {name: value for name, value in os.environ.items() if not name.startswith(("STASH_", "XDG_"))}
        environ |= {
            "HOME": str(self.home),
            "STASH_HOME": str(self.settings),
            "PYTHONPATH": str(ROOT / "client" / "src"),
        }
        command = [sys.executable, "-m", "stash_client", "import", "--json", "--yes", "--workers", "1", *words]
        done = subprocess.run(
            command, env=environ, cwd=self.home, capture_output=True, text=True, timeout=120, check=False
        )
        return done.returncode, json.loads(done.stdout or "{}"), done.stderr


@pytest.fixture
def laptop(tmp_path, live_server, dana, shop) -> Laptop:
    return Laptop(tmp_path, live_server.url, dana)


def test_dry_run_counts_and_sends_nothing(laptop):
    laptop.claude_file(laptop.repository("shop"))
    laptop.claude_file(laptop.repository("diary", connected=False), "11111111-1111-4111-8111-111111111111")

    code, told, _ = laptop.run("--dry-run")

    assert code == 0
    assert [(f["name"], f["sessions"], f["known"]) for f in told["import"]] == [("shop", 1, 0)]
    assert [(f["name"], f["sessions"]) for f in told["not_connected"]] == [("diary", 1)]
    assert not Session.objects.exists()


def test_history_arrives_private_with_its_own_times_and_results(laptop, dana, shop):
    laptop.claude_file(laptop.repository("shop"))

    code, card, said = laptop.run()

    assert (code, said) == (0, "")
    session = Session.objects.get(native_id=CLAUDE)
    assert (session.person, session.project, session.visibility) == (dana.user, shop, "private")
    assert session.started_at.isoformat().startswith("2026-11-24T09:15")
    kinds = set(Event.objects.filter(session=session).values_list("kind", flat=True))
    assert {"prompt", "reply", "tool_call"} <= kinds
    assert "thinking" not in kinds
    assert (
        Event.objects.filter(session=session).filter(kind="tool_call", body__exit_code=1).exists()
        or Event.objects.filter(session=session).filter(ok=False).exists()
    )
    assert "sk-proj-EXAMPLE" not in "".join(Event.objects.filter(session=session).values_list("text", flat=True))
    assert (card["sessions"], card["projects"], card["skipped_lines"]) == (1, ["shop"], 0)
    assert card["redactions"]


def test_what_the_team_wants_left_out_is_left_out(laptop):
    laptop.claude_file(laptop.repository("shop"))
    said = {
        "projects": [{"slug": "shop", "identities": ["git.example.test/acme/shop"], "policy": {"output": False}}],
        "patterns": [{"type": "acme-key", "prefix": "RETRY_BUDGET_PER_", "min": 3}],
    }
    (laptop.settings / "configs").mkdir()
    (laptop.settings / "configs" / "lab.json").write_text(json.dumps({"config": said, "etag": "1"}))

    code, card, _ = laptop.run()

    assert (code, card["redactions"]["acme-key"] > 0) == (0, True)
    assert set(Event.objects.filter(kind="tool_call").values_list("output", flat=True)) <= {None, ""}


def test_what_would_be_told_differently_today_stays_as_it_is(laptop):
    laptop.claude_file(laptop.repository("shop"))
    laptop.run()
    before = list(Event.objects.order_by("pk").values_list("text", flat=True))
    (laptop.settings / "imported.jsonl").unlink()
    said = {"projects": [], "patterns": [{"type": "acme-key", "prefix": "RETRY_BUDGET_PER_", "min": 3}]}
    (laptop.settings / "configs").mkdir()
    (laptop.settings / "configs" / "lab.json").write_text(json.dumps({"config": said, "etag": "1"}))

    code, card, _ = laptop.run()

    assert (code, card["new_events"], card["rejected"], card["known_otherwise"] > 0) == (0, 0, {}, True)
    assert list(Event.objects.order_by("pk").values_list("text", flat=True)) == before
    assert laptop.run()[1]["import"][0]["known"] == 1


def test_thinking_and_sharing_come_on_request(laptop):
    laptop.claude_file(laptop.repository("shop"))
    laptop.run("--thinking", "--share")
    session = Session.objects.get(native_id=CLAUDE)
    assert session.visibility == "project"
    assert Event.objects.filter(session=session).filter(kind="thinking").exists()


def test_again_adds_only_what_is_new(laptop):
    file = laptop.claude_file(laptop.repository("shop"))
    laptop.run()
    before = Event.objects.count()

    assert laptop.run()[1]["import"][0]["known"] == 1
    assert Event.objects.count() == before

    (laptop.settings / "imported.jsonl").unlink()
    assert laptop.run()[1]["new_events"] == 0
    assert Event.objects.count() == before

    message = {"role": "user", "content": "one more thing"}
    record = {"type": "user", "uuid": "22222222-2222-4222-8222-222222222222", "message": message}
    record |= {"sessionId": CLAUDE, "timestamp": "2026-11-24T12:00:00Z"}
    with file.open("a") as lines:
        lines.write(json.dumps(record) + "\n")
    assert laptop.run()[1]["new_events"] == 1
    assert Event.objects.get(text="one more thing").session.native_id == CLAUDE


def test_nothing_is_taken_from_folders_nobody_connected(laptop):
    laptop.repository("shop")
    laptop.claude_file(laptop.repository("diary", connected=False))
    code, told, _ = laptop.run()
    assert (code, told["not_connected"][0]["name"]) == (0, "diary")
    assert not Session.objects.exists()


def test_a_project_that_begins_with_the_same_letters_is_another(laptop, dana, team):
    connect(dana, make_project(team, "sho"))
    laptop.claude_file(laptop.repository("shop"))
    laptop.claude_file(laptop.repository("sho"), "11111111-1111-4111-8111-111111111111")
    laptop.run("--project", str(laptop.home / "src" / "sho"))
    assert set(Session.objects.values_list("project__slug", flat=True)) == {"sho"}


def test_broken_lines_are_listed_and_lose_only_themselves(laptop):
    file = laptop.claude_file(laptop.repository("shop"))
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:5], '{"type": "user", "mess', "[1]", *lines[5:]]) + "\n")

    _, card, _ = laptop.run()

    assert card["skipped_lines"] == 2
    assert [(b["line"], b["reason"]) for b in card["broken_lines"]] == [(6, "not JSON"), (7, "not an object")]
    assert Event.objects.filter(session__native_id=CLAUDE).filter(kind="prompt").count() == 3


def test_a_server_that_is_away_loses_nothing_and_the_next_run_goes_on(laptop, live_server):
    laptop.claude_file(laptop.repository("shop"))
    stored = (laptop.settings / "accounts.json").read_text()
    (laptop.settings / "accounts.json").write_text(stored.replace(live_server.url, "http://127.0.0.1:9"))
    code, document, said = laptop.run("--patience", "0")
    assert (code, said) == (5, "")
    assert document["unreachable"]

    (laptop.settings / "accounts.json").write_text(stored)
    assert laptop.run()[0] == 0
    assert Event.objects.filter(session__native_id=CLAUDE).exists()


def test_live_session_that_missed_events_is_repaired_and_stays_as_visible_as_it_was(laptop, dana, shop, live_server):
    repository = laptop.repository("shop")
    file = laptop.claude_file(repository)
    records = [json.loads(line) for line in file.read_text().splitlines()]
    prompt = next(r for r in records if r["type"] == "user" and isinstance(r["message"]["content"], str))
    seen_live = {
        "session": {"harness": "claude-code", "native_id": CLAUDE, "cwd": str(repository),
                    "project": {"identities": ["git.example.test/acme/shop"]}},
        "events": [{"uid": "33333333-3333-4333-8333-333333333333", "n": 1, "kind": "prompt",
                    "occurred_at": prompt["timestamp"], "text": prompt["message"]["content"],
                    "turn_id": prompt.get("promptId")}],
    }  # fmt: skip
    assert dana.api.post("/api/v1/events", seen_live, format="json").json()["accepted"] == 1

    laptop.run()

    session = Session.objects.get(native_id=CLAUDE)
    assert session.visibility == "project"
    assert Event.objects.filter(session=session).filter(kind="prompt", text=prompt["message"]["content"]).count() == 1
    assert Event.objects.filter(session=session).filter(kind="tool_call").exists()


def test_several_processes_bring_the_same_as_one(laptop):
    repository = laptop.repository("shop")
    for n in range(4):
        laptop.claude_file(repository, f"{n}1111111-1111-4111-8111-111111111111")
    code, card, said = laptop.run("--workers", "2")
    assert (code, card["sessions"], said) == (0, 4, "")
    counts = {Event.objects.filter(session=session).count() for session in Session.objects.filter(parent=None)}
    assert len(counts) == 1


def test_other_agents_are_found_too(laptop):
    repository = laptop.repository("shop")
    rollout = laptop.home / ".codex" / "sessions" / "2026" / "11" / "24" / "rollout-2026-11-24T09-00-00-x.jsonl"
    rollout.parent.mkdir(parents=True)
    text = (SAMPLES / "codex" / "transcript.jsonl").read_text()
    rollout.write_text(text.replace("/home/mika/projects/orchard-api", str(repository)))
    laptop.run("--harness", "codex")
    assert set(Session.objects.values_list("harness", flat=True)) == {"codex"}


def test_unknown_agent_and_time_are_told(laptop):
    assert "Known:" in laptop.run("--harness", "nobody")[2]
    assert "is no time" in laptop.run("--since", "soonish")[2]


def test_without_sign_in_it_says_what_to_do(laptop):
    shutil.rmtree(laptop.settings)
    code, _, said = laptop.run()
    assert (code, "stash signin" in said) == (3, True)
