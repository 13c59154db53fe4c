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
    ToolCall,
    TurnEnd,
)  # fmt: skip
from stash_client.harnesses import parse_hook
from tests.client.harnesses.stories import CASES, SAMPLES, case_lines, events, hook, only

SESSION = "e4bbcf61-f6fb-4587-adc0-dea7d4307be9"
AGENT = f"{SESSION}/a7c31f09e2d4"
TURN = "e3738576-3347-4db2-a49d-e2c747183e5c"
FILE = "/home/mika/projects/orchard-api/src/client.py"
REPORT = "docs/limits.ja.md line 12 says 上限は毎分20回です (the limit is 20 per minute). Nothing else mentions it."
ANSWER = "Added `RETRY_BUDGET_PER_MIN = 20` to `src/client.py`. The café sync stops retrying once the budget is spent."
NOTES = (
    "ConfigChange", "CwdChanged", "FileChanged", "InstructionsLoaded", "PermissionDenied", "Setup", "TaskCompleted",
    "TaskCreated", "WorktreeCreate",
)  # fmt: skip


def claude(name):
    return hook("claude-code", name)


@pytest.mark.parametrize("name, source", [
    ("SessionStart", "startup"), ("SessionStart.resume", "resume"), ("SessionStart.compact", "compact"),
    ("SessionStart.clear", "clear"),
])  # fmt: skip
def test_session_start_tells_source_and_model(name, source):
    event = only(claude(name))
    assert (type(event), event.source, event.model) == (SessionStart, source, "claude-opus-5")


def test_session_start_brings_folder_and_title():
    (batch,) = claude("SessionStart.resume")
    info = batch.session
    assert (info.harness, info.native_id, info.cwd, info.title, info.parent_native_id) == (
        "claude-code", SESSION, "/home/mika/projects/orchard-api", "Retry budget", None,
    )  # fmt: skip
    assert batch.events[0].extra["context_tokens"] == 41230


def test_prompt_is_what_was_typed():
    event = only(claude("UserPromptSubmit"))
    assert event == Prompt(
        turn_id=TURN, text="Add a retry budget to the HTTP client – the café-inventory sync keeps timing out ☕"
    )


def test_slash_command_is_a_prompt_as_typed():
    assert only(claude("UserPromptExpansion")).text == "/review src/client.py"


@pytest.mark.parametrize("source", ["sdk", "system", "loop_wakeup", "schedule_wakeup", "poll_event"])
def test_prompt_of_another_source_is_a_note(source):
    body = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "go on", "source": source}
    assert only(parse_hook("claude-code", body)) == Note(name=source, text="go on")


def test_edit_has_paths_and_diff():
    event = only(claude("PostToolUse"))
    assert (event.name, event.family, event.call_id, event.ok, event.duration_ms, event.paths, event.output) == (
        "Edit", "edit", "toolu_01af7db1a1f70c3f3984e08b", True, 14, (FILE,), None,
    )  # fmt: skip
    assert event.diff == (
        "--- a/src/client.py\n+++ b/src/client.py\n@@ -1,1 +1,2 @@\n MAX_RETRIES = 3\n+RETRY_BUDGET_PER_MIN = 20\n"
    )


def test_shell_output_is_stdout():
    event = only(claude("PostToolUse.bash_secret"))
    assert (event.name, event.family, event.input["command"], event.ok) == ("Bash", "shell", "cat .env.staging", True)
    assert event.output.startswith("ORCHARD_ENV=staging\n")
    assert event.output.endswith("GREETING=こんにちは\n")


def test_failed_command_has_its_exit_code():
    event = only(claude("PostToolUseFailure"))
    assert (type(event), event.ok, event.exit_code, event.duration_ms) == (ToolCall, False, 1, 912)
    assert event.output.endswith("1 failed, 1 passed in 0.38s")


def test_tool_of_a_subagent_belongs_to_its_own_session():
    (batch,) = claude("PostToolUse.in_subagent")
    assert (batch.session.native_id, batch.session.parent_native_id, batch.session.agent_type) == (
        AGENT, SESSION, "Explore",
    )  # fmt: skip
    assert batch.events[0].output == "docs/limits.ja.md:12:上限は毎分20回です"


@pytest.mark.parametrize("name", ["PostToolBatch", "MessageDisplay"])
def test_repetitions_are_dropped(name):
    assert claude(name) == ()


@pytest.mark.parametrize("name, text", [
    ("PreToolUse", "Editing src/client.py"), ("PreToolUse.mcp", "Using memory search"),
    ("PreCompact", "Compacting the conversation"),
])  # fmt: skip
def test_what_runs_now_is_activity(name, text):
    event = only(claude(name))
    assert (type(event), event.text) == (Activity, text)


def test_permission_request_shows_the_whole_command():
    event = only(claude("PermissionRequest"))
    assert (type(event), event.what, event.command) == (Attention, "permission", "pytest -q")


def test_permission_notice_asks_for_attention():
    event = only(claude("Notification"))
    assert (type(event), event.text) == (Attention, "Claude needs your permission to use Bash")


def test_stop_is_reply_and_end_of_turn():
    (batch,) = claude("Stop")
    assert batch.events == (Reply(turn_id=TURN, text=ANSWER), TurnEnd(turn_id=TURN))


def test_failed_turn_says_why():
    event = only(claude("StopFailure"))
    assert (type(event), event.reason, event.text) == (TurnEnd, "error", "API Error: Rate limit reached")
    assert event.extra["error_details"] == "429 from the API"


def test_compaction_keeps_the_summary():
    event = only(claude("PostCompact"))
    assert (type(event), event.trigger) == (Compaction, "auto")
    assert event.text.startswith("The user asked for a retry budget")


def test_subagent_start_is_seen_in_both_sessions():
    above, own = claude("SubagentStart")
    assert (above.session.native_id, own.session.native_id) == (SESSION, AGENT)
    assert above.events == (Subagent(turn_id=TURN, agent_id="a7c31f09e2d4", agent_type="Explore"),)
    assert [type(event) for event in own.events] == [SessionStart]


def test_subagent_stop_reports_to_the_parent_and_ends_the_child():
    above, own = claude("SubagentStop")
    assert above.events == (
        Subagent(turn_id=TURN, agent_id="a7c31f09e2d4", agent_type="Explore", state="finished", text=REPORT),
    )
    assert own.session.native_id == AGENT
    assert own.events == (Reply(turn_id=TURN, text=REPORT), SessionEnd(turn_id=TURN, reason="completed"))


def test_session_end_tells_the_reason():
    assert only(claude("SessionEnd")) == SessionEnd(turn_id=TURN, reason="prompt_input_exit")


def test_fields_of_a_note_keep_their_names():
    event = only(claude("FileChanged"))
    assert event.extra == {"file_path": "/home/mika/projects/orchard-api/.env.staging", "event": "change"}
    assert event.text == "file_path: /home/mika/projects/orchard-api/.env.staging\nevent: change"


@pytest.mark.parametrize("name", NOTES)
def test_other_events_are_kept_as_notes(name):
    event = only(claude(name))
    assert (type(event), event.name) == (Note, name)
    assert event.text


KINDS = {
    "SessionStart": [SessionStart], "SessionStart.clear": [SessionStart], "SessionStart.compact": [SessionStart],
    "SessionStart.resume": [SessionStart], "SessionEnd": [SessionEnd], "UserPromptSubmit": [Prompt],
    "UserPromptExpansion": [Prompt], "PreToolUse": [Activity], "PreToolUse.mcp": [Activity],
    "PostToolUse": [ToolCall], "PostToolUse.bash_secret": [ToolCall], "PostToolUse.in_subagent": [ToolCall],
    "PostToolUseFailure": [ToolCall], "PostToolBatch": [], "MessageDisplay": [], "PermissionRequest": [Attention],
    "Notification": [Attention], "Stop": [Reply, TurnEnd], "StopFailure": [TurnEnd], "PreCompact": [Activity],
    "PostCompact": [Compaction], "SubagentStart": [Subagent, SessionStart],
    "SubagentStop": [Subagent, Reply, SessionEnd], **{name: [Note] for name in NOTES},
}  # fmt: skip


def test_every_sample_is_known():
    assert {path.stem for path in (SAMPLES / "claude-code").glob("*.json")} == KINDS.keys()


@pytest.mark.parametrize("name", KINDS)
def test_every_sample_says_this_much_and_no_more(name):
    assert [type(event) for event in events(claude(name))] == KINDS[name]


def test_every_sample_names_its_harness():
    for path in (SAMPLES / "claude-code").glob("*.json"):
        for batch in parse_hook("claude-code", path.read_bytes(), occurred_at="2026-11-24T09:15:05Z", n=7):
            assert batch.session.harness == "claude-code"
            assert {(event.n, event.occurred_at) for event in batch.events} == {(7, "2026-11-24T09:15:05Z")}


def test_events_before_a_start_stay_in_one_session():
    batches = [batch for body in case_lines("S01.no-start.jsonl") for batch in parse_hook("claude-code", body)]
    assert {batch.session.native_id for batch in batches} == {"5e550000-0000-4000-8000-000000000001"}
    assert [type(event) for event in events(batches)] == [Prompt, ToolCall, SessionStart, Reply, TurnEnd]


def test_stop_ends_turns_and_only_session_end_the_session():
    batches = [
        batch
        for line in case_lines("S02.stop-per-turn.jsonl")
        for batch in parse_hook("claude-code", line["stdin"], occurred_at=line["at"])
    ]
    assert [(type(event).__name__, event.occurred_at[11:19]) for event in events(batches)] == [
        ("SessionStart", "09:00:00"), ("Prompt", "09:00:10"), ("Reply", "09:00:40"), ("TurnEnd", "09:00:40"),
        ("Prompt", "09:41:00"), ("ToolCall", "09:41:05"), ("Reply", "09:41:30"), ("TurnEnd", "09:41:30"),
        ("SessionEnd", "09:50:00"), ("ToolCall", "09:50:01"),
    ]  # fmt: skip


def test_parallel_subagents_keep_their_own_words():
    batches = [batch for body in case_lines("S05.hooks.jsonl") for batch in parse_hook("claude-code", body)]
    parent = "5e550000-0000-4000-8000-000000000001"
    said = {(b.session.native_id, e.text) for b in batches for e in b.events if isinstance(e, Reply)}
    assert said == {
        (f"{parent}/a1b2c3", "a.py leaks a handle"), (f"{parent}/d4e5f6", "b.py is fine"),
        (parent, "One problem found, in a.py."),
    }  # fmt: skip
    assert len(events(batches, Prompt)) == 1
    ended = [b.session.native_id for b in batches for e in b.events if isinstance(e, SessionEnd)]
    assert ended == [f"{parent}/d4e5f6", f"{parent}/a1b2c3"]
    reports = [e.text for b in batches for e in b.events if isinstance(e, Subagent) and e.state == "finished"]
    assert reports == ["b.py is fine", "a.py leaks a handle"]


def test_hostile_characters_pass_through():
    event = only(parse_hook("claude-code", (CASES / "T05.hook.json").read_bytes()))
    assert (event.name, event.output, event.call_id) == ("Bash\0", "a\0b\udcffc", "t-nul")
    assert event.family == "shell"


def test_picture_in_a_result_becomes_a_note():
    event = only(parse_hook("claude-code", (CASES / "T09.image-hook.json").read_bytes()))
    assert (event.output, event.family) == ("page loaded\n[image image/png]", "mcp")
