"""The interpreter's half: sessions that start are told something, in time or not at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from stash_client import home, hookscript, inbox, sender, waking
from tests.client.hooking import SILENT, Machine, Said, git, serving

BRIEFINGS = "/api/v1/briefings"
EVENTS = "/api/v1/events"
TEXT = "Read <this>: é ☕\nfirst."
START = {"hook_event_name": "SessionStart", "session_id": "s-1", "source": "startup"}


@pytest.fixture
def server():
    with serving() as running:
        running.answers = {BRIEFINGS: (200, {"id": "b-1", "text": TEXT}), EVENTS: (200, {"accepted": 1})}
        yield running


@pytest.fixture
def machine(tmp_path, monkeypatch, server) -> Iterator[Machine]:
    monkeypatch.setenv("STASH_HOME", str(tmp_path / "home"))
    for name in ("STASH_URL", "STASH_KEY", "STASH_MEMORY"):
        monkeypatch.delenv(name, raising=False)
    made = Machine(tmp_path)
    made.sign_in(server.url)
    yield made
    made.stop_sender()


@pytest.fixture
def shop(machine):
    path = machine.repository()
    machine.connect(path / ".git")
    with machine.sender_that_lives():
        yield path


def start(machine: Machine, shop, harness="claude-code", event="SessionStart", payload=START, **more) -> Said:
    return machine.hook(harness, event, cwd=shop, payload=json.dumps({**payload, "cwd": str(shop)}).encode(), **more)


def as_claude_reads_it(text: str) -> dict:
    return {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}


def waiting() -> int:
    """Events and records that no server has."""
    left = sender.left()
    return left.records + left.frames


def events_of(record: inbox.Record) -> dict:
    return json.loads(record.payload)


@pytest.mark.parametrize("harness", ["claude-code", "codex"])
def test_session_start_prints_the_briefing_as_the_agent_reads_it(machine, shop, server, harness):
    (shop / "a.txt").write_text("1")
    git("-C", str(shop), "add", "a.txt")
    said = start(machine, shop, harness)
    assert (said.status, json.loads(said.out), said.err) == (0, as_claude_reads_it(TEXT), b"")
    [asked] = server.bodies(BRIEFINGS)
    assert asked["session"]["native_id"] == "s-1"
    assert asked["session"]["project"]["identities"][0].startswith("local:m1:")
    assert (asked["branch"], asked["source"], asked["changed_files"]) == ("main", "startup", ["a.txt"])


BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    "before, root", [(BOM, "{}"), (BOM * 2, "{}"), (b"", "{}/\\Users"), (BOM, "{}/\\Users")], ids=repr
)
def test_where_an_agent_works_is_understood_however_it_writes_json(machine, server, before, root):
    """Marks at the beginning, and backslashes that are no escapes: both come from Windows."""
    shop = machine.repository()
    (shop / "\\Users").mkdir()
    machine.connect(shop / ".git")
    (machine.person / ".cursor").mkdir()
    body = '{"hook_event_name": "beforeSubmitPrompt", "conversation_id": "c", "cursor_version": "3", "prompt": "é",'
    payload = before + f'{body} "workspace_roots": ["{root.format(shop)}"]}}'.encode()
    with machine.sender_that_lives():
        said = machine.hook("cursor", "beforeSubmitPrompt", cwd=machine.person / ".cursor", payload=payload)
    assert said == Said(0, b"{}", b"")
    assert [record.payload for record in machine.records] == [payload]


@pytest.mark.parametrize(
    "capture, told",
    [
        ('ignore = ["secret*"]', [".stash.toml", "[redacted:github-token].txt", "plain.txt"]),
        ("metadata_only = true", []),
        ("nonsense = 1", []),
    ],
)
def test_names_of_changed_files_are_left_out_as_in_any_event(machine, shop, server, capture, told):
    for name in ("plain.txt", "secret-plan.txt", "ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE.txt"):
        (shop / name).write_text("1")
    (shop / ".stash.toml").write_text(f"[capture]\n{capture}\n")
    git("-C", str(shop), "add", "-A")
    start(machine, shop)
    [asked] = server.bodies(BRIEFINGS)
    assert sorted(asked["changed_files"]) == told


def test_cursor_reads_it_in_its_own_form(machine, shop):
    payload = {"hook_event_name": "sessionStart", "conversation_id": "c-1", "workspace_roots": [str(shop)]}
    said = start(machine, shop, "cursor", "sessionStart", payload)
    assert (said.status, json.loads(said.out), said.err) == (0, {"additional_context": TEXT}, b"")


def test_where_context_comes_with_each_turn_only_the_first_of_a_session_brings_it(machine, shop, server):
    def turn(session: str) -> bytes:
        payload = {"hook_event_name": "pre_llm_call", "session_id": session, "extra": {"user_message": "go"}}
        return start(machine, shop, "hermes", "pre_llm_call", payload).out

    first, second, other, again = turn("s-1"), turn("s-1"), turn("s-2"), turn("s-2")
    assert json.loads(first) == json.loads(other) == {"context": TEXT}
    assert (second, again) == (b"", b"")
    assert len(server.bodies(BRIEFINGS)) == 2


@pytest.mark.parametrize(
    "harness, event, payload, answer",
    [
        ("kimi-code", "UserPromptSubmit", {"session_id": "s-1", "prompt": "go"}, TEXT),
        ("pi", "before_agent_start", {"sessionId": "s-1", "prompt": "go"},
         {"message": {"customType": "stash", "content": TEXT, "display": False}}),
        ("omp", "before_agent_start", {"sessionId": "s-1", "prompt": "go"},
         {"message": {"customType": "stash", "content": TEXT, "display": False}}),
        ("antigravity", "PreInvocation", {"conversationId": "s-1", "invocationNum": 0, "initialNumSteps": 0},
         {"injectSteps": [{"ephemeralMessage": TEXT}]}),
    ],
)  # fmt: skip
def test_agents_whose_start_takes_no_context_are_told_with_the_first_turn(
    machine, shop, server, harness, event, payload, answer
):
    first = start(machine, shop, harness, event, payload)
    assert (first.out.decode() if isinstance(answer, str) else json.loads(first.out)) == answer
    later = {**payload, "invocationNum": 1, "initialNumSteps": 3} if harness == "antigravity" else payload
    assert start(machine, shop, harness, event, later) == SILENT
    assert len(server.bodies(BRIEFINGS)) == 1


def test_what_was_unsent_goes_first_then_it_reports_what_it_showed(machine, shop, server):
    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "s-0", "prompt": "before", "cwd": str(shop)}
    machine.hook("claude-code", "UserPromptSubmit", cwd=shop, payload=json.dumps(prompt).encode())
    start(machine, shop)
    paths = [path for path, _ in server.got]
    assert paths.index(BRIEFINGS) > paths.index(EVENTS)
    sent = [event for body in server.bodies(EVENTS) for event in body["events"]]
    assert [event["kind"] for event in sent][:2] == ["prompt", "session_start"]
    [report] = machine.records
    assert (report.harness, report.event) == ("claude-code", "briefing_shown")
    assert events_of(report) == {
        "stash": 1, "event": "briefing_shown", "session": "s-1", "cwd": str(shop), "briefing_id": "b-1",
    }  # fmt: skip


def test_what_was_shown_is_told_of_the_session_that_saw_it_whoevers_hook_it_ran(machine, shop):
    payload = {"hook_event_name": "sessionStart", "conversation_id": "c-1", "cursor_version": "3", "cwd": str(shop)}
    start(machine, shop, "claude-code", "SessionStart", payload)
    [report] = machine.records
    assert (report.harness, events_of(report)["session"]) == ("cursor", "c-1")


@pytest.mark.parametrize(
    "answer",
    [
        (404, {}),
        (401, {"type": "urn:stash:problem:unauthorized"}),
        (429, {}),
        (500, {}),
        (200, b"<html>"),
        (200, b"[]"),
        (200, {"id": "b", "text": ""}),
        (200, {"id": "b", "text": " \n"}),
        (200, {"id": "b", "text": 5}),
        (200, {}),
    ],
)
@pytest.mark.parametrize("harness, event, usual", [("codex", "SessionStart", b""), ("cursor", "sessionStart", b"{}")])
def test_without_a_briefing_it_prints_what_it_always_does(machine, shop, server, answer, harness, event, usual):
    server.answers[BRIEFINGS] = answer
    assert start(machine, shop, harness, event) == Said(0, usual, b"")
    assert not [record for record in machine.records if record.event == "briefing_shown"]


def test_offline_it_prints_nothing_and_keeps_the_event(machine, shop):
    machine.sign_in("http://127.0.0.1:9")
    assert start(machine, shop) == SILENT
    assert waiting() == 1


def test_a_server_that_does_not_answer_is_not_waited_for(machine, shop, server):
    server.held = threading.Event()
    assert start(machine, shop) == SILENT
    assert not server.held.is_set()
    assert waiting() == 1


def test_memory_off_receives_nothing_and_is_captured(machine, shop, server):
    assert start(machine, shop, env={"STASH_MEMORY": "off"}) == SILENT
    assert server.bodies(BRIEFINGS) == []
    assert [record.headers["memory"] for record in machine.records] == ["off"]


@pytest.mark.parametrize("end, captured", [("", 0), ("2999-01-01T00:00:00Z", 0), ("2020-01-01T00:00:00Z", 1)])
@pytest.mark.parametrize("event", ["SessionStart", "PostToolUse"])
def test_while_paused_nothing_is_kept_or_told(machine, shop, server, end, captured, event):
    (home.folder() / "paused").write_text(end)
    said = start(machine, shop, event=event, payload={**START, "hook_event_name": event})
    assert (said.status, said.err) == (0, b"")
    assert bool(said.out) == (captured and event == "SessionStart")
    assert len(server.bodies(BRIEFINGS)) == (captured if event == "SessionStart" else 0)
    assert [r.event for r in machine.records if r.event == "PostToolUse"] == ["PostToolUse"] * (
        captured if event == "PostToolUse" else 0
    )


def test_an_event_named_in_the_payload_only_is_understood(machine, shop):
    said = machine.hook("claude-code", cwd=shop, payload=json.dumps({**START, "cwd": str(shop)}).encode())
    assert json.loads(said.out) == as_claude_reads_it(TEXT)


@pytest.mark.parametrize("payload", [b"", b"{", b"[]", b"\xff\x00", b"5", b'{"session_id": {}}', b"[" * 100_000])
@pytest.mark.parametrize("harness, event, usual", [("codex", "SessionStart", b""), ("cursor", "", b"{}")])
def test_no_payload_breaks_it(machine, shop, server, payload, harness, event, usual):
    server.answers = {}
    assert machine.hook(harness, event, cwd=shop, payload=payload) == Said(0, usual, b"")
    assert server.bodies(BRIEFINGS) == []
    assert [record.payload for record in machine.records] in ([payload], [] if not payload else [payload])


def test_a_session_that_starts_does_not_wait_for_an_agent_that_never_closes_stdin(machine, shop, server):
    process = machine.start("claude-code", "SessionStart", cwd=shop)
    process.stdin.write(json.dumps({**START, "cwd": str(shop)}).encode())
    process.stdin.flush()
    assert json.loads(process.stdout.read()) == as_claude_reads_it(TEXT)
    assert process.wait(timeout=60) == 0
    process.communicate()


def test_a_session_elsewhere_is_neither_kept_nor_told(machine, shop, server):
    assert start(machine, machine.folder) == SILENT
    assert server.got == []
    assert machine.records == []


def run_without_script(machine: Machine, *words: str, cwd, payload: bytes) -> Said:
    """As on Windows, where the installed program is called instead of the script."""
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from stash_client.hook import main; main()"
    command = [sys.executable, "-c", code, waking.library(), *words]
    env = machine.environment(STASH_HOME=str(machine.home))
    done = subprocess.run(command, cwd=cwd, env=env, input=payload, capture_output=True, timeout=60)
    return Said(done.returncode, done.stdout, done.stderr)


def test_where_there_is_no_shell_it_does_all_by_itself(machine, shop):
    payload = b'{"session_id": "s-1"}'
    assert run_without_script(machine, "claude-code", "PostToolUse", cwd=shop, payload=payload) == SILENT
    assert run_without_script(machine, "claude-code", "PostToolUse", cwd=machine.folder, payload=payload) == SILENT
    [record] = machine.records
    assert (record.event, record.cwd, record.payload) == ("PostToolUse", str(shop), payload)


def test_called_wrongly_it_says_nothing(machine, shop):
    assert run_without_script(machine, cwd=shop, payload=b"") == SILENT


@pytest.mark.parametrize("harness, event", [("claude-code", "SessionEnd"), ("cursor", "sessionEnd")])
def test_in_an_environment_with_a_key_the_end_of_a_session_sends_all(machine, server, harness, event):
    shop = machine.repository()
    machine.connect()
    env = {"STASH_URL": server.url, "STASH_KEY": "stash_ci"}
    with machine.sender_that_lives():
        payload = {"session_id": "s-1", "conversation_id": "s-1", "cwd": str(shop), "hook_event_name": event}
        said = machine.hook(harness, event, cwd=shop, payload=json.dumps(payload).encode(), env=env)
    assert (said.status, said.err) == (0, b"")
    assert [e["kind"] for body in server.bodies(EVENTS) for e in body["events"]] == ["session_end"]
    assert waiting() == 0


def test_what_nobody_was_woken_for_goes_when_a_session_starts(machine, server):
    """A hook that was killed between its claim and its start of a sender must not keep all others from it."""
    shop = machine.repository()
    machine.connect(shop / ".git")
    (machine.home / "waking").write_bytes(b"")
    (machine.home / "sender.pid").write_text("999999999\n")
    machine.hook("claude-code", "Stop", cwd=shop, payload=b'{"session_id": "s-1", "cwd": "%s"}' % bytes(shop))
    assert waiting() == 1
    start(machine, shop)
    until = time.monotonic() + 30
    while (waiting() or (machine.home / "waking").exists()) and time.monotonic() < until:
        time.sleep(0.05)
    assert waiting() == 0
    assert not (machine.home / "waking").exists()
    assert {e["kind"] for body in server.bodies(EVENTS) for e in body["events"]} >= {"turn_end", "session_start"}


def test_the_sender_a_hook_starts_is_of_a_session_of_its_own(machine, server):
    """Who ends the agent and all it started does not end what brings its events away."""
    shop = machine.repository()
    machine.connect(shop / ".git")
    assert machine.hook("claude-code", "Stop", cwd=shop, payload=b'{"session_id": "s-1"}') == SILENT
    until = time.monotonic() + 30
    while not waking.alive() and time.monotonic() < until:
        time.sleep(0.01)
    assert os.getsid(waking.told_pid()) == waking.told_pid()


def test_a_sender_brings_the_script_up_to_date(machine):
    """As after an upgrade, when the script is still the one of the version before."""
    shop = machine.repository()
    machine.connect(shop / ".git")
    wanted = hookscript.path().read_bytes()
    hookscript.path().write_bytes(wanted + b"# older\n")
    machine.hook("claude-code", "Stop", cwd=shop, payload=b'{"session_id": "s-1"}')
    until = time.monotonic() + 30
    while hookscript.path().read_bytes() != wanted and time.monotonic() < until:
        time.sleep(0.01)
    assert hookscript.path().read_bytes() == wanted


def test_the_script_knows_which_hooks_inject(machine, shop):
    text = hookscript.path().read_text()
    assert "'claude-code SessionStart' | 'codex SessionStart' | 'cursor sessionStart'" in text
    assert "'claude-code SessionEnd'" in text


def stash(machine: Machine, *words: str) -> tuple[int, str]:
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from stash_client.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, waking.library(), *words]
    env = machine.environment(STASH_HOME=str(machine.home))
    done = subprocess.run(command, env=env, capture_output=True, timeout=60, text=True)
    return done.returncode, done.stdout + done.stderr


def test_flush_stays_until_all_is_sent_or_says_what_is_not(machine, shop, server):
    start(machine, shop, event="Stop", payload={"session_id": "s-1"})
    server.answers[EVENTS] = (500, {})
    code, said = stash(machine, "flush", "--seconds", "0.5")
    assert (code, "1 events are still here" in said) == (5, True)
    server.answers[EVENTS] = (200, {"accepted": 1})
    assert stash(machine, "flush") == (0, "Everything is with the server.\n")
    assert waiting() == 0
