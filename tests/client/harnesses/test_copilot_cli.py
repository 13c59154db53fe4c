import json

import pytest

from stash_client.events import (
    Activity,
    Attention,
    Compaction,
    Note,
    Prompt,
    Reply,
    SessionEnd,
    SessionStart,
    Subagent,
    Thinking,
    ToolCall,
    TurnEnd,
    Usage,
)
from stash_client.harnesses import HARNESSES, detect, parse_hook, read_transcript
from tests.client.harnesses.stories import SAMPLES, events, only, transcript

COPILOT = SAMPLES / "copilot-cli"
SESSION = "aa5feab3-2c2d-41ff-ab56-eda8dfeb77ef"
FILE = "/home/mika/projects/orchard-api/src/client.py"


def hook(name, flag="copilot", **options):
    body = (COPILOT / f"{name}.json").read_bytes()
    return parse_hook(flag, body, event=name.rpartition("/")[2].partition(".")[0], **options)


@pytest.mark.parametrize("name, kinds", [
    ("sessionStart", [SessionStart]), ("userPromptSubmitted", [Prompt]), ("preToolUse", [Activity]),
    ("agentStop", [TurnEnd]), ("preCompact", [Compaction]), ("sessionEnd", [SessionEnd]), ("subagentStop", []),
    ("permissionRequest", [Attention]), ("notification", [Attention]), ("subagentStart", [Activity]),
])  # fmt: skip
def test_hooks_mean(name, kinds):
    batches = hook(name)
    assert [type(event) for event in events(batches)] == kinds
    assert {(b.session.harness, b.session.native_id) for b in batches} <= {("copilot-cli", SESSION)}


@pytest.mark.parametrize("camel, pascal", [
    ("sessionStart", "SessionStart"), ("userPromptSubmitted", "UserPromptSubmit"), ("preToolUse", "PreToolUse"),
    ("postToolUseFailure", "PostToolUseFailure"), ("preCompact", "PreCompact"),
])  # fmt: skip
def test_both_spellings_mean_the_same(camel, pascal):
    one, other = only(hook(camel)), only(hook(f"pascal/{pascal}"))
    assert one == other or (one.kind, one.name) == (other.kind, other.name)


def test_the_first_prompt_is_not_told_with_the_start():
    start = only(hook("sessionStart"))
    assert (start.source, start.extra) == ("startup", {})


def test_a_failing_command_is_a_success_with_an_exit_code_in_its_last_line():
    call = only(hook("postToolUse.bash_failing"))
    assert (call.family, call.ok, call.exit_code) == ("shell", False, 1)
    assert call.output.endswith("1 failed, 1 passed in 0.38s")
    assert only(hook("pascal/PostToolUse.bash_secret")).exit_code == 0


def test_an_edit_has_a_diff():
    call = only(hook("postToolUse"))
    assert (call.family, call.ok, call.paths) == ("edit", True, (FILE,))
    assert "+RETRY_BUDGET_PER_MIN = 20" in call.diff


def test_an_error_the_agent_recovers_from_does_not_end_the_turn():
    assert type(only(hook("errorOccurred"))) is Note
    body = json.loads((COPILOT / "errorOccurred.json").read_text())
    ended = only(parse_hook("copilot", {**body, "recoverable": False}, event="errorOccurred"))
    assert (type(ended), ended.reason, ended.text) == (TurnEnd, "error", "rate limited")


@pytest.mark.parametrize("path", sorted((COPILOT / "pascal").glob("*.json")), ids=lambda path: path.stem)
def test_claude_codes_hooks_run_by_copilot_are_copilots(path):
    assert detect(json.loads(path.read_text()), "claude") == "copilot-cli"


def test_a_dated_payload_with_claude_codes_file_stays_claude_codes():
    body = {"session_id": "s", "hook_event_name": "Stop", "timestamp": "t", "transcript_path": "/h/.claude/x.jsonl"}
    assert detect(body, "claude") == "claude-code"


@pytest.fixture
def on_disk(tmp_path, monkeypatch):
    """A home with this session; returns the path of its events."""
    folder = tmp_path / ".copilot/session-state" / SESSION
    folder.mkdir(parents=True)
    for name, sample in [("events.jsonl", "transcript.jsonl"), ("workspace.yaml", "workspace.yaml")]:
        (folder / name).write_bytes((COPILOT / sample).read_bytes())
    monkeypatch.setenv("HOME", str(tmp_path))
    return folder / "events.jsonl"


def test_the_answer_of_a_turn_is_looked_up_on_its_machine(on_disk):
    body = {"sessionId": SESSION, "transcriptPath": str(on_disk), "stopReason": "end_turn"}
    reply, end = events(parse_hook("copilot", body, event="agentStop", on_its_machine=True))
    assert (reply.text[:6], reply.message_id) == ("Fixed:", "a0e9ca00-1e94-49c7-a1f5-621350672bbb")
    assert type(end) is TurnEnd
    assert [type(event) for event in events(parse_hook("copilot", body, event="agentStop"))] == [TurnEnd]


@pytest.mark.parametrize("path", ["{0}/../other/events.jsonl", "/etc/passwd", "{0}/absent.jsonl", 7, None])
def test_no_other_file_is_read_for_it(on_disk, path):
    named = path.format(on_disk.parent) if isinstance(path, str) else path
    body = {"sessionId": SESSION, "transcriptPath": named}
    assert [type(e) for e in events(parse_hook("copilot", body, event="agentStop", on_its_machine=True))] == [TurnEnd]


def test_an_answer_that_is_not_written_yet_is_not_the_one_before(on_disk):
    with on_disk.open("ab") as file:
        file.write(b'{"type": "user.message", "data": {"content": "and now?"}}\n')
    body = {"sessionId": SESSION, "transcriptPath": str(on_disk)}
    assert [type(e) for e in events(parse_hook("copilot", body, event="agentStop", on_its_machine=True))] == [TurnEnd]


def test_story():
    read, batches = transcript("copilot", COPILOT / "transcript.jsonl")
    own = [batch for batch in batches if batch.session.native_id == SESSION]
    assert [type(event) for event in events(own)] == [
        Prompt, Thinking, Reply, ToolCall, ToolCall, Reply, Prompt, ToolCall, ToolCall, Reply, Compaction,
        Prompt, Thinking, Subagent, Subagent, ToolCall, ToolCall, ToolCall, ToolCall, Reply,
    ]  # fmt: skip
    assert [(c.name, c.family, c.ok, c.exit_code) for c in events(own, ToolCall)] == [
        ("view", "read", True, None), ("edit", "edit", True, None), ("bash", "shell", False, 1),
        ("bash", "shell", True, 0), ("task", "agent", True, None), ("web_fetch", "web", False, None),
        ("edit", "edit", True, None), ("bash", "shell", True, 0),
    ]  # fmt: skip
    info = read.session
    assert (info.model, info.branch, info.harness_version) == ("claude-sonnet-5", "feat/retry-budget", "1.0.102")
    assert read.skipped == {}
    assert len({event.uid for event in events(batches)}) == len(events(batches))


def test_a_subagent_is_a_child_with_its_own_model():
    _, batches = transcript("copilot", COPILOT / "transcript.jsonl")
    child = [batch for batch in batches if batch.session.native_id == f"{SESSION}/tc_k"]
    assert [type(event) for event in events(child)] == [Note, ToolCall, Reply]
    assert (child[-1].session.parent_native_id, child[-1].session.agent_type) == (SESSION, "explore")
    assert child[-1].session.model == "claude-haiku-5"
    started, finished = events(batches, Subagent)
    assert (started.state, finished.state, finished.text[:17]) == ("started", "finished", "docs/limits.ja.md")


def test_the_run_costs_what_its_end_says():
    """Output is told with each message, the rest at the end of the run only; a resume begins a new run."""
    _, batches = transcript("copilot", COPILOT / "transcript.jsonl")
    last = events(batches, Reply)[-1]
    assert last.usage == Usage(61200 - 55200, last.usage.output, 55200, 2180)
    after = [reply for reply in events(batches, Reply) if reply.occurred_at > "2026-11-24T09:17:20"]
    assert sum(reply.usage.output for reply in after) == 690


def test_an_answer_whose_usage_is_told_has_it_once():
    _, batches = transcript("copilot", COPILOT / "transcript.jsonl")
    assert events(batches, Reply)[1].usage == Usage(9800 - 9300, 60 + 60, 9300, 210)


def test_title_folder_and_branch_come_from_the_file_beside(on_disk):
    (source,) = HARNESSES["copilot-cli"].sources
    (read,) = source.read(next(source.files()))
    assert len(events(read, Prompt)) == 3
    assert (read.session.title, read.session.native_id) == ("Retry budget for the café sync", SESSION)


@pytest.mark.parametrize("text, title", [
    ('summary: "Quoted: title"\n', "Quoted: title"), ("summary: |-\n  Several lines\n  more\n", "Several lines"),
    ("summary: null\n", None), ("- what\n\tis: this", None), ("", None),
])  # fmt: skip
def test_titles_are_read_from_simple_yaml(on_disk, text, title):
    (on_disk.parent / "workspace.yaml").write_text(text)
    (source,) = HARNESSES["copilot-cli"].sources
    (read,) = source.read(str(on_disk))
    assert read.session.title == title


def test_a_broken_line_loses_only_itself():
    lines = (COPILOT / "transcript.jsonl").read_bytes().splitlines()
    whole = len(events(read_transcript("copilot", lines)))
    lines[18] = lines[18][:150]
    read = read_transcript("copilot", lines)
    assert len(events(read)) == whole - 1
    assert read.skipped == {"not JSON": 1}
