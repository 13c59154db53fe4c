"""What becomes of one record: whether it may be kept, where it belongs, what is left out, what it says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import stash_client.capture
from stash_client import accounts, client_config, consent, home, inbox, pausing, recent
from stash_client.capture import Capture
from stash_client.checkout import checkout_of
from stash_client.consent import Connection, Consents
from stash_client.events import Batch, Prompt, SessionInfo
from stash_client.harnesses import HARNESSES, parse_hook
from stash_client.wiring import records
from tests.client.conftest import connect, sign_in, sign_out
from tests.client.records import put, put_raw

SAMPLES = Path(__file__).parent.parent / "harness_samples"
SECRET = "ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE"


def frames(path: Path, capture: Capture | None = None):
    return (capture or Capture()).captured(inbox.read(path)).frames


@pytest.fixture
def machine(stash_home):
    sign_in("http://127.0.0.1:9")


@pytest.fixture
def shop(machine, tmp_path) -> Path:
    """A connected repository."""
    folder = repository(tmp_path / "shop", "git@git.example.test:acme/shop.git")
    connect(folder / ".git")
    return folder


def repository(folder: Path, remote: str = "") -> Path:
    subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
    if remote:
        subprocess.run(["git", "-C", folder, "remote", "add", "origin", remote], check=True)
    return folder.resolve()


def commit(folder: Path, name: str, text: str, *, at: float = 0) -> str:
    (folder / name).write_text(text)
    when = f"@{int(at or time.time())} +0000"
    environ = {**os.environ, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    who = ["-c", "user.name=dana", "-c", "user.email=dana@example.test"]
    subprocess.run(["git", "-C", folder, "add", name], check=True)
    subprocess.run(["git", "-C", folder, *who, "commit", "-qm", f"Add {name}"], check=True, env=environ)
    return git(folder, "rev-parse", "HEAD")


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", folder, *words], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def test_a_prompt_in_a_connected_repository(shop):
    sha = commit(shop, "a.txt", "a")
    [frame] = frames(put(shop, prompt="fix the totals", at=1_790_000_000.25))
    assert (frame.server, frame.place) == ("lab", str(shop / ".git"))
    assert frame.event["text"] == "fix the totals"
    assert (frame.event["occurred_at"], frame.event["n"]) == ("2026-09-21T14:13:20.250000+00:00", 1790000000250000000)
    assert frame.session["project"] == {"identities": ["git.example.test/acme/shop"], "name": "shop"}
    assert (frame.session["branch"], frame.session["commit"], frame.session["machine"]) == ("main", sha, "laptop")
    assert "visibility" not in frame.session


@pytest.mark.parametrize("visibility, said", [("private", "private"), ("project", None)])
def test_a_connection_may_keep_sessions_private(machine, tmp_path, visibility, said):
    connect(tmp_path, visibility=visibility)
    [frame] = frames(put(tmp_path, prompt="x"))
    assert frame.session.get("visibility") == said


def test_nothing_is_captured_where_nobody_agreed(machine, tmp_path):
    assert frames(put(tmp_path, prompt="x")) == ()


def test_where_everything_is_connected_a_refused_place_is_not(shop, tmp_path):
    other = repository(tmp_path / "other")
    everything = Connection("lab", "", visibility="project")
    consent.save(Consents((everything,), (str(other / ".git"),)))
    assert len(frames(put(shop, prompt="x"))) == 1
    assert frames(put(other, prompt="x")) == ()


@pytest.mark.parametrize("connected", ["", "notes"])
@pytest.mark.parametrize("refused, inside", [("notes/diary", "notes/diary"), ("notes/diary", "notes/diary/2026")])
def test_a_refused_folder_is_not_captured_below_a_connected_one(machine, tmp_path, connected, refused, inside):
    (tmp_path / inside).mkdir(parents=True)
    place = str(tmp_path.resolve() / connected) if connected else ""
    consent.save(Consents((Connection("lab", place, visibility="project"),), (str(tmp_path.resolve() / refused),)))
    assert frames(put(tmp_path / inside, prompt="x")) == ()
    assert len(frames(put(tmp_path / "notes", prompt="x"))) == 1


def test_a_connected_folder_below_a_refused_one_is_captured(machine, tmp_path):
    (tmp_path / "notes" / "work").mkdir(parents=True)
    work = str(tmp_path.resolve() / "notes" / "work")
    consent.save(Consents((Connection("lab", work), Connection("lab", "")), (str(tmp_path.resolve() / "notes"),)))
    assert len(frames(put(work, prompt="x"))) == 1
    assert frames(put(tmp_path / "notes", prompt="x")) == ()
    assert consent.load().refuses(checkout_of(str(tmp_path / "notes"), "m1"))


def test_the_payload_knows_better_where_it_happened_than_the_hook(shop, tmp_path):
    assert frames(put(tmp_path, prompt="x", headers={"cwd": str(shop)})) == ()
    assert len(frames(put(shop, prompt="x", headers={"cwd": str(tmp_path)}))) == 1


def test_without_a_folder_in_the_payload_the_hook_says_it(shop, tmp_path):
    assert len(frames(put(prompt="x", headers={"cwd": str(shop)}))) == 1
    assert len(frames(put(prompt="x", headers={"cwd": str(tmp_path), "project_dir": str(shop)}))) == 1
    assert frames(put(prompt="x")) == ()


def test_a_folder_that_is_gone_belongs_to_the_project_its_agent_names(shop, tmp_path):
    gone = str(tmp_path / "gone")
    assert len(frames(put(gone, prompt="x", headers={"project_dir": str(shop)}))) == 1
    assert frames(put(gone, prompt="x")) == ()


def test_agreeing_and_disagreeing_hold_at_once(machine, tmp_path):
    capture = Capture()
    assert frames(put(tmp_path, prompt="x"), capture) == ()
    connect(tmp_path)
    assert len(frames(put(tmp_path, prompt="x"), capture)) == 1
    consent.save(consent.load().without(str(tmp_path)))
    assert frames(put(tmp_path, prompt="x"), capture) == ()


def test_a_confirmed_project_comes_before_what_git_says(shop):
    connect(shop / ".git", project="0198-confirmed")
    [frame] = frames(put(shop, prompt="x"))
    assert frame.session["project"]["identities"] == ["marker:0198-confirmed", "git.example.test/acme/shop"]


def test_a_marker_in_a_clone_names_no_project_and_no_server(shop):
    (shop / ".stash.toml").write_text('[stash]\nserver = "https://evil.example.test"\nproject = "theirs-12345"\n')
    [frame] = frames(put(shop, prompt="x"))
    assert (frame.server, frame.session["project"]["identities"]) == ("lab", ["git.example.test/acme/shop"])


@pytest.mark.parametrize(
    "table, text",
    [("", "hello"), ("[capture]\nprompts = false\n", None), ("[capture]\nprompts = 1\n", None), ("[capture\n", None)],
)
def test_the_repository_may_leave_prompts_out_and_a_broken_policy_leaves_out_all(shop, table, text):
    (shop / ".stash.toml").write_text(table)
    [frame] = frames(put(shop, prompt="hello"))
    assert frame.event.get("text") == text
    assert frame.session.get("policy", {}).get("prompts", True) is (text is not None)


def test_a_policy_holds_from_the_next_record_on(shop):
    capture = Capture()
    assert frames(put(shop, prompt="hello"), capture)[0].event["text"] == "hello"
    (shop / ".stash.toml").write_text("[capture]\nprompts = false\n")
    assert "text" not in frames(put(shop, prompt="hello"), capture)[0].event


def test_the_server_may_leave_out_more(shop):
    said = {
        "projects": [{"slug": "shop", "identities": ["git.example.test/acme/shop"], "policy": {"output": False}}],
        "patterns": [{"type": "acme-key", "prefix": "acme_", "min": 10}, {"type": "from the future", "magic": 1}],
    }
    home.write_private(client_config.path("lab"), json.dumps({"config": said, "etag": "1"}).encode())
    done = {"tool_name": "Bash", "tool_input": {"command": "echo"}, "tool_response": {"stdout": "hello"}}
    [frame] = frames(put(shop, "PostToolUse", **done))
    assert ("output" in frame.event, frame.session["policy"]) == (False, {"output": False})
    [frame] = frames(put(shop, prompt="use acme_0123456789abc now"))
    assert frame.event["text"] == "use [redacted:acme-key] now"


def test_secrets_are_gone_before_anything_is_kept(shop):
    [frame] = frames(put(shop, prompt=f"use {SECRET}"))
    assert SECRET not in json.dumps([frame.event, frame.session])


def test_a_home_away_from_the_usual_places_is_not_told_either(shop, monkeypatch):
    monkeypatch.setenv("HOME", str(shop.parent))
    [frame] = frames(put(shop, prompt=f"read {shop}/notes.md"))
    assert frame.event["text"] == "read ~/shop/notes.md"
    assert str(shop.parent) not in json.dumps([frame.event, frame.session])


@pytest.mark.parametrize("payload", [b"{broken", b"\xff\xfe{", b'"text"', b"[1, 2]", b"{" * 100_000])
def test_what_cannot_be_read_is_kept_as_clean_text(shop, payload):
    [frame] = frames(put_raw(payload + SECRET.encode(), cwd=str(shop)))
    assert (frame.kind, frame.event["name"], frame.session["native_id"]) == ("note", "unreadable", "unreadable")
    assert SECRET not in frame.event["text"]


def test_a_fault_of_ours_costs_the_text_of_one_record_and_holds_up_nothing(shop, monkeypatch):
    """What is not JSON cannot come out of a parser; if it ever does, the record must not come back for ever."""
    broken = Batch(SessionInfo("claude-code", "s-1", cwd=str(shop)), (Prompt(text=f"{SECRET}", extra={"x": {1, 2}}),))
    monkeypatch.setattr(stash_client.capture, "parse_hook", lambda *_, **__: (broken,))
    [frame] = frames(put(shop, prompt="x"))
    assert frame.event["name"] == "unreadable"
    assert frame.event["text"].endswith("bytes could not be read: TypeError")


@pytest.mark.parametrize("payload", [b"", b"\xef\xbb\xbf", b"null"])
def test_nothing_is_made_of_nothing(shop, payload):
    assert frames(put_raw(payload, cwd=str(shop))) == ()


def test_the_same_record_has_the_same_uid_and_another_moment_another(shop):
    path = put(shop, prompt="x", at=1_790_000_000)
    first, again = frames(path), frames(path)
    os.utime(path, (1_790_000_001, 1_790_000_001))
    assert first[0].uid == again[0].uid != frames(path)[0].uid


def test_every_event_of_a_record_has_its_own_uid(shop):
    found = frames(put(shop, "Stop", last_assistant_message="done"))
    assert [frame.kind for frame in found] == ["reply", "turn_end"]
    assert len({frame.uid for frame in found}) == 2


def test_sessions_of_one_harness_never_mix(shop):
    capture = Capture()
    paths = [put(shop, prompt=f"{n}", session=f"s-{n % 3}") for n in range(9)]
    found = [frames(path, capture)[0] for path in paths]
    assert [(f.session["native_id"], f.event["text"]) for f in found] == [(f"s-{n % 3}", f"{n}") for n in range(9)]


def test_a_private_session_says_so_and_its_subagents_too(shop):
    recent.make_private("claude-code", "s-1")
    assert frames(put(shop, prompt="x"))[0].session["visibility"] == "private"
    child = frames(put(shop, "PostToolUse", agent_id="a1", tool_name="Read", tool_input={}, tool_response="y"))
    assert {f.session["native_id"]: f.session.get("visibility") for f in child} == {"s-1/a1": "private"}
    assert "visibility" not in frames(put(shop, prompt="x", session="s-2"))[0].session
    recent.share("claude-code", "s-1")
    assert "visibility" not in frames(put(shop, prompt="x"))[0].session


def test_while_it_is_paused_nothing_is_kept_but_what_came_before_is(shop):
    now = time.time()
    before = put(shop, prompt="before", at=now - 60)
    pausing.pause(datetime.now(UTC) + timedelta(minutes=30))
    assert len(frames(before)) == 1
    assert frames(put(shop, prompt="during", at=now + 60)) == ()
    assert len(frames(put(shop, prompt="after", at=now + 3600))) == 1


def test_signed_out_it_is_kept_for_the_server_by_its_label(shop):
    sign_out()
    [frame] = frames(put(shop, prompt="x"))
    assert frame.server == "lab"


def test_with_two_servers_each_checkout_goes_to_its_own(shop, tmp_path):
    sign_in("http://127.0.0.1:8", label="other")
    other = repository(tmp_path / "other")
    connect(other / ".git", label="other")
    assert [frames(put(folder, prompt="x"))[0].server for folder in (shop, other)] == ["lab", "other"]
    assert accounts.load().default == "lab"


def test_worktrees_of_a_repository_are_told_apart(shop, tmp_path):
    commit(shop, "a.txt", "a")
    git(shop, "worktree", "add", "-q", str(tmp_path / "tree"))
    one, two = (frames(put(folder, prompt="x"))[0] for folder in (shop, tmp_path / "tree"))
    assert one.place == two.place
    assert (one.session["branch"], two.session["branch"]) == ("main", "tree")
    assert one.session["checkout"] != two.session["checkout"]


class TestCommits:
    """At the end of a turn the event says what was committed since the turn before."""

    def turn(self, capture: Capture, folder: Path, **facts):
        return frames(put(folder, "Stop", **facts), capture)[-1].event.get("extra", {}).get("commits")

    def test_made_in_the_turn_are_told_once(self, shop):
        commit(shop, "old.txt", "old", at=time.time() - 1000)
        capture = Capture()
        frames(put(shop, prompt="go"), capture)
        first, second = commit(shop, "a.txt", "a"), commit(shop, "b.txt", "b")
        told = self.turn(capture, shop)
        assert [(one["sha"], one["subject"]) for one in told] == [(first, "Add a.txt"), (second, "Add b.txt")]
        assert len({one["patch_id"] for one in told}) == 2
        assert all(len(one["patch_id"]) == 40 for one in told)
        capture.heads.save()
        assert self.turn(Capture(), shop) is None

    def test_the_same_change_has_the_same_patch_id_on_another_branch(self, shop):
        commit(shop, "old.txt", "old", at=time.time() - 1000)
        capture = Capture()
        frames(put(shop, prompt="go"), capture)
        commit(shop, "a.txt", "a")
        [one] = self.turn(capture, shop)
        git(shop, "checkout", "-q", "-b", "side", "HEAD~1")
        commit(shop, "c.txt", "c", at=time.time() - 1000)
        frames(put(shop, prompt="go", session="s-2"), capture)
        commit(shop, "a.txt", "a")
        [again] = self.turn(capture, shop, session="s-2")
        assert (one["patch_id"], one["sha"] == again["sha"]) == (again["patch_id"], False)

    def test_checked_out_or_fetched_are_not_of_the_turn(self, shop):
        commit(shop, "old.txt", "old", at=time.time() - 1000)
        git(shop, "checkout", "-q", "-b", "side")
        commit(shop, "theirs.txt", "theirs", at=time.time() - 900)
        git(shop, "checkout", "-q", "main")
        capture = Capture()
        frames(put(shop, prompt="go"), capture)
        git(shop, "checkout", "-q", "side")
        assert self.turn(capture, shop) is None

    def test_found_when_the_records_are_read_much_later(self, shop):
        start = time.time() - 5000
        commit(shop, "old.txt", "old", at=start)
        mine = commit(shop, "mine.txt", "mine", at=start + 150)
        commit(shop, "later.txt", "later", at=start + 900)
        capture = Capture()
        frames(put(shop, prompt="go", at=start + 100), capture)
        [one] = self.turn(capture, shop, at=start + 200)
        assert one["sha"] == mine

    def test_are_bounded(self, shop):
        commit(shop, "old.txt", "old", at=time.time() - 1000)
        capture = Capture()
        frames(put(shop, prompt="go"), capture)
        for number in range(53):
            last = commit(shop, f"{number}.txt", "x")
        told = self.turn(capture, shop)
        assert (len(told), told[-1]["sha"]) == (50, last)

    def test_are_left_out_where_only_metadata_is_kept(self, shop):
        (shop / ".stash.toml").write_text("[capture]\nmetadata_only = true\n")
        commit(shop, "old.txt", "old", at=time.time() - 1000)
        capture = Capture()
        frames(put(shop, prompt="go"), capture)
        commit(shop, "a.txt", "a")
        assert self.turn(capture, shop) is None


def test_a_fault_of_ours_is_kept_without_the_words_it_quotes(shop, monkeypatch):
    def failing(*_args, **_kwargs):
        raise ValueError(f"no number: {SECRET}") from KeyError(SECRET)

    capture, real = Capture(), stash_client.capture.scrub
    told = iter([failing])
    monkeypatch.setattr(stash_client.capture, "scrub", lambda *a, **k: next(told, real)(*a, **k))
    [frame] = frames(put(shop, prompt="x"), capture)
    assert frame.event["name"] == "unreadable"
    fault = (home.folder() / "fault.txt").read_text()
    assert {"ValueError", "capture.py"} <= set(re.split(r'[\s"/]+', fault))
    assert SECRET not in fault


def wired(*harnesses: str, at: float = 1.0) -> None:
    """As after ``stash hooks install``."""
    for harness in harnesses:
        (home.made("settings") / harness).write_text("/bin/stash-hook")
    files = {harness: str(home.folder() / "settings" / harness) for harness in harnesses}
    records.save({files[harness]: records.Record(harness, "", at=at) for harness in harnesses})


def sample(harness: str, name: str, folder: Path, *, flag: str) -> Path:
    """A payload of that agent, told by the hook that was wired for ``flag``."""
    payload = json.loads((SAMPLES / harness / f"{name}.json").read_bytes())
    event = name.rpartition("/")[2].split(".")[0]
    return put_raw(json.dumps(payload).encode(), harness=flag, event=event, cwd=str(folder))


READERS = [
    ("cursor", "claude-code", "beforeSubmitPrompt"),
    ("grok", "claude-code", "UserPromptSubmit"),
    ("grok", "cursor", "UserPromptSubmit"),
    ("copilot-cli", "claude-code", "pascal/UserPromptSubmit"),
    ("devin-cli", "claude-code", "UserPromptSubmit"),
    ("vscode-copilot", "claude-code", "UserPromptSubmit"),
]


@pytest.fixture
def all_connected(machine):
    connect(Path())


@pytest.mark.parametrize("harness, flag, name", READERS)
def test_an_agent_that_runs_the_hooks_of_another_is_heard_once(all_connected, tmp_path, harness, flag, name):
    told = sample(harness, name, tmp_path, flag=flag)
    wired(flag)
    [kept] = {frame.session["harness"] for frame in frames(told)}
    assert kept == harness
    wired(flag, harness)
    assert frames(told) == ()
    wired(flag, harness, at=time.time() + 60)
    assert frames(told) != (), "what came before its own hook was there comes from nowhere else"
    wired(flag, harness)
    (home.folder() / "settings" / harness).write_text("{}")
    assert frames(told) != (), "its person took our call out of its settings"


@pytest.mark.parametrize("harness", sorted(path.name for path in SAMPLES.iterdir() if path.is_dir()))
def test_nothing_an_agent_tells_by_its_own_hook_is_taken_for_a_copy(all_connected, tmp_path, harness):
    wired(*HARNESSES)
    for path in sorted((SAMPLES / harness).glob("*.json")):
        if not parse_hook(harness, path.read_bytes(), event=path.stem.split(".")[0]):
            continue
        assert frames(sample(harness, path.stem, tmp_path, flag=harness)), path.name
