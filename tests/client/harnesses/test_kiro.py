import json
import os

import pytest

from stash_client.events import Activity, Compaction, Note, Prompt, Reply, SessionStart, Thinking, ToolCall, TurnEnd
from stash_client.harnesses import HARNESSES, hook_answer, parse_hook, read_transcript
from tests.client.harnesses.stories import SAMPLES, events, hook, only, transcript

KIRO = SAMPLES / "kiro"
SESSION, SESSION_3 = "7b48af57-e566-4d2c-a48a-c28bb3e5a18b", "sess_68fbfda4-1277-4099-a207-cbecaab6e1a4"
FILE = "/home/mika/projects/orchard-api/src/client.py"


@pytest.mark.parametrize("name, kinds", [
    ("v2/agentSpawn", [SessionStart]), ("v2/userPromptSubmit", [Prompt]), ("v2/preToolUse", [Activity]),
    ("v2/stop", [Reply, TurnEnd]), ("v3/SessionStart.UNVERIFIED", [SessionStart]),
    ("v3/UserPromptSubmit.UNVERIFIED", [Prompt]), ("v3/PostToolUse.UNVERIFIED", [ToolCall]),
    ("v3/Stop.UNVERIFIED", [Reply, TurnEnd]), ("v3/PostCompact.UNVERIFIED", [Compaction]),
])  # fmt: skip
def test_hooks_mean(name, kinds):
    batches = hook("kiro", name)
    assert [type(event) for event in events(batches)] == kinds
    assert {b.session.native_id for b in batches} == {SESSION if name.startswith("v2") else SESSION_3}


def test_exit_status_is_text_inside_the_result():
    failed, fine = (only(hook("kiro", f"v2/postToolUse.shell_{how}")) for how in ("failing", "secret"))
    assert (failed.family, failed.ok, failed.exit_code) == ("shell", False, 1)
    assert failed.output.endswith("1 failed, 1 passed in 0.38s")
    assert (fine.ok, fine.exit_code) == (True, 0)


def test_an_edit_has_a_diff_and_a_server_its_family():
    edit, other = only(hook("kiro", "v2/postToolUse")), only(hook("kiro", "v2/postToolUse.mcp"))
    assert (edit.family, edit.paths, edit.ok) == ("edit", (FILE,), True)
    assert "+RETRY_BUDGET_PER_MIN = 20" in edit.diff
    assert (other.family, other.output) == ("mcp", "2 notes found")


@pytest.mark.parametrize("response, output, ok", [
    ("plain text", "plain text", True), (None, None, True), ({"success": False, "result": "no"}, "no", False),
    ({"result": [{"exit_status": 3, "stdout": "", "stderr": "bad"}]}, "bad", False),
    ([1, {"a": 2}], '1\n{"a": 2}', True),
])  # fmt: skip
def test_a_result_may_have_any_shape(response, output, ok):
    body = {"session_id": "s", "tool_name": "execute_bash", "tool_input": {"command": "x"}, "tool_response": response}
    call = only(parse_hook("kiro", body, event="postToolUse"))
    assert (call.output, call.ok) == (output, ok)


@pytest.fixture
def on_disk(tmp_path, monkeypatch):
    """A home with both sessions; returns the folder of version 2's."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KIRO_HOME", raising=False)
    old, new = tmp_path / ".kiro/sessions/cli", tmp_path / f".kiro/sessions/bucket/{SESSION_3}"
    for place, sample in [
        (old / f"{SESSION}.jsonl", "transcript.jsonl"), (old / f"{SESSION}.json", "session.v2.json"),
        (new / "messages.jsonl", "messages.v3.jsonl"), (new / "session.json", "session.v3.json"),
    ]:  # fmt: skip
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes((KIRO / sample).read_bytes())
    return old


def test_a_payload_without_a_session_belongs_to_the_one_last_written_to_in_its_folder(on_disk):
    other = on_disk / "older.json"
    other.write_text(json.dumps({"cwd": "/home/mika/projects/orchard-api"}))
    os.utime(other, (1, 1))
    (batch,) = hook("kiro", "v2/agentSpawn.no_session_id", on_its_machine=True)
    assert batch.session.native_id == SESSION
    os.utime(on_disk / f"{SESSION}.json", (0, 0))
    os.utime(on_disk / f"{SESSION}.jsonl", (0, 0))
    (batch,) = hook("kiro", "v2/agentSpawn.no_session_id", on_its_machine=True)
    assert batch.session.native_id == "older"


def test_without_such_a_session_it_is_unknown(on_disk):
    for path in on_disk.iterdir():
        path.unlink()
    (batch,) = hook("kiro", "v2/agentSpawn.no_session_id", on_its_machine=True)
    assert batch.session.native_id == "unknown"


def test_both_versions_are_found_with_what_stands_beside_them(on_disk):
    found = [read for source in HARNESSES["kiro"].sources for path in source.files() for read in source.read(path)]
    assert [len(events(read, Prompt)) for read in found] == [3, 3]
    assert [(read.session.native_id, read.session.title, read.session.cwd) for read in found] == [
        (SESSION, "Retry budget", "/home/mika/projects/orchard-api"),
        (SESSION_3, None, "/home/mika/projects/orchard-api"),
    ]  # fmt: skip


def test_story_of_version_2():
    read, batches = transcript("kiro", KIRO / "transcript.jsonl", native_id=SESSION)
    told = events(batches)
    assert [type(event) for event in told] == [
        Prompt, Reply, ToolCall, ToolCall, Reply, Prompt, ToolCall, ToolCall, Reply, Prompt, ToolCall, ToolCall,
        ToolCall, Reply,
    ]  # fmt: skip
    assert [(c.name, c.family, c.ok) for c in events(batches, ToolCall)] == [
        ("fs_read", "read", True), ("fs_write", "edit", True), ("execute_bash", "shell", False),
        ("execute_bash", "shell", True), ("use_subagent", "agent", True), ("fs_write", "edit", True),
        ("execute_bash", "shell", True),
    ]  # fmt: skip
    assert events(batches, ToolCall)[0].paths == (FILE,)
    assert told[0].occurred_at == "2026-11-24T09:15:05.000+00:00"
    assert len({event.uid for event in told}) == len(told)
    assert read.skipped == {}


def test_story_of_version_3():
    read, batches = transcript("kiro", KIRO / "messages.v3.jsonl", native_id=SESSION_3)
    assert [type(event) for event in events(batches)] == [
        Prompt, ToolCall, Reply, Prompt, ToolCall, ToolCall, Reply, Prompt, ToolCall, Reply,
    ]  # fmt: skip
    assert [(c.family, c.ok) for c in events(batches, ToolCall)] == [
        ("edit", True), ("shell", False), ("shell", True), ("agent", True),
    ]  # fmt: skip
    assert "+RETRY_BUDGET_PER_MIN = 20" in events(batches, ToolCall)[0].diff
    assert read.session.model == "claude-opus-5"


def test_other_spellings_of_the_same():
    lines = [
        {"kind": "Prompt", "data": {"content": "hello", "meta": {"timestamp": 1795511705}}},
        {"kind": "AssistantMessage", "data": {"content": [
            {"kind": "toolUse", "data": {"tool_use_id": "t", "name": "shell", "input": {"command": "ls"}}}]}},
        {"kind": "ToolResults", "data": {"content": [
            {"kind": "toolResult", "data": {"tool_use_id": "t", "content": "a.py", "is_error": True}}]}},
        {"kind": "Novelty", "data": {"what": "fjord"}},
        {"payload": {"type": "assistant", "operationType": "Think", "content": "hm"}},
    ]  # fmt: skip
    told = events(read_transcript("kiro", [json.dumps(line).encode() for line in lines], native_id="s"))
    assert [type(event) for event in told] == [Prompt, ToolCall, Note, Thinking]
    assert told[0].occurred_at == "2026-11-24T09:15:05.000+00:00"
    assert (told[1].call_id, told[1].ok, told[1].output) == ("t", False, "a.py")
    assert "fjord" in told[2].text


def test_context_is_cut_at_a_line_before_it_would_become_a_file():
    context = "\n".join(f"line {i} ☕" for i in range(1000))
    answer = hook_answer("kiro", "agentSpawn", context).decode()
    assert len(answer) <= 3000
    assert answer.endswith("☕\n…")
    assert context.startswith(answer[:-2])


def test_a_broken_line_loses_only_itself():
    lines = (KIRO / "transcript.jsonl").read_bytes().splitlines()
    lines[9] = lines[9][:90]
    read = read_transcript("kiro", lines, native_id=SESSION)
    assert len(events(read)) == 13
    assert read.skipped == {"not JSON": 1}
