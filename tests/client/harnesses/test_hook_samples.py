"""Every payload the agents without a test file of their own were seen to send, and what is made of it."""

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
)
from stash_client.harnesses import HARNESSES, parse_hook
from stash_client.privacy import scrub
from tests.client.harnesses.stories import SAMPLES, events, hook

CWD = "/home/mika/projects/orchard-api"
PROMPT = "Add a retry budget to the HTTP client – the café-inventory sync keeps timing out ☕"
SECOND = "Run the test suite, then show me what the staging env file sets"
REPLY = "Added `RETRY_BUDGET_PER_MIN = 20` to `src/client.py`. The café sync stops retrying once the budget is spent."
LAST = (
    "Fixed: the loop compared with `<=`, one retry too many. "
    "docs/limits.ja.md says 毎分20回, and both tests pass now ✅"
)
REPORT = "docs/limits.ja.md line 12 says 上限は毎分20回です (the limit is 20 per minute). Nothing else mentions it."
DIFF = "--- a/src/client.py\n+++ b/src/client.py\n@@ -1 +1,2 @@\n MAX_RETRIES = 3\n+RETRY_BUDGET_PER_MIN = 20\n"
WHOLE_PATH = DIFF.replace("src/client.py", "home/mika/projects/orchard-api/src/client.py")
FAILED = "1 failed, 1 passed in 0.38s"

TOLD = {
    "qwen-code": {
        "SessionStart": [SessionStart], "SessionEnd": [SessionEnd], "UserPromptSubmit": [Prompt],
        "UserPromptSubmit.continuation": [Note], "PreToolUse": [Activity], "PostToolUse": [ToolCall],
        "PostToolUseFailure": [ToolCall], "PreCompact": [Activity], "Stop": [Reply, TurnEnd],
        "SubagentStart": [Subagent, SessionStart],
    },
    "droid": {
        "SessionStart": [SessionStart], "SessionEnd": [SessionEnd], "UserPromptSubmit": [Prompt],
        "PreToolUse": [Activity], "PostToolUse": [ToolCall], "PostToolUse.secret": [ToolCall],
        "Notification": [Attention], "PreCompact": [Compaction], "Stop": [TurnEnd], "SubagentStop": [Subagent],
    },
    "kimi-code": {
        "SessionStart": [SessionStart], "SessionEnd": [SessionEnd], "UserPromptSubmit": [Prompt],
        "UserPromptSubmit.string": [Prompt], "PreToolUse": [Activity], "PostToolUse": [ToolCall],
        "PostToolUse.bash_secret": [ToolCall], "PostToolUseFailure": [ToolCall], "PreCompact": [Compaction],
        "Stop": [TurnEnd], "SubagentStart": [Subagent], "SubagentStop": [Subagent],
    },
    "grok": {
        "SessionStart": [SessionStart], "SessionEnd": [SessionEnd], "UserPromptSubmit": [Prompt],
        "PreToolUse": [Activity], "PostToolUse": [ToolCall], "PostToolUse.secret": [ToolCall],
        "PostToolUseFailure": [ToolCall], "PreCompact": [Compaction], "Stop": [Reply, TurnEnd],
        "SubagentStart": [Subagent], "SubagentStop": [Subagent],
    },
    "goose": {
        "SessionStart": [SessionStart], "SessionEnd": [SessionEnd], "UserPromptSubmit": [Prompt],
        "PreToolUse": [Activity], "PostToolUse": [ToolCall], "PostToolUseFailure": [ToolCall], "AfterFileEdit": [],
        "Stop": [Reply, TurnEnd],
    },
    "cline": {
        "TaskStart": [SessionStart], "TaskResume": [SessionStart], "TaskCancel": [TurnEnd],
        "TaskComplete": [Reply, TurnEnd], "UserPromptSubmit": [Prompt], "PreToolUse": [Activity],
        "PostToolUse": [ToolCall], "PostToolUse.failing": [ToolCall], "PreCompact": [Compaction],
    },
    "windsurf": {
        "pre_user_prompt": [Prompt], "pre_run_command": [Activity], "post_run_command": [ToolCall],
        "pre_write_code": [Activity], "post_write_code": [ToolCall], "post_read_code": [ToolCall],
        "post_mcp_tool_use": [ToolCall], "post_cascade_response": [Reply, TurnEnd],
        "post_cascade_response_with_transcript": [], "post_setup_worktree": [Note],
    },
    "vscode-copilot": {
        "SessionStart": [SessionStart], "UserPromptSubmit": [Prompt], "PreToolUse": [Activity],
        "PostToolUse": [ToolCall], "PreCompact": [Compaction], "Stop": [TurnEnd],
        "SubagentStart": [Subagent, SessionStart], "SubagentStop": [Subagent, SessionEnd],
    },
    "antigravity": {
        "SessionStart.UNVERIFIED_BODY": [SessionStart], "PreInvocation": [SessionStart], "PostInvocation": [],
        "PreToolUse": [ToolCall], "PostToolUse": [ToolCall], "Stop": [TurnEnd],
    },
    "devin-cli": {
        "SessionStart": [SessionStart], "SessionEnd": [SessionEnd], "UserPromptSubmit": [Prompt],
        "PreToolUse": [Activity], "PostToolUse": [ToolCall], "PostToolUse.exec_failing": [ToolCall],
        "PostToolUse.exec_secret": [ToolCall], "PostToolUse.run_subagent": [ToolCall], "PostCompaction": [Compaction],
        "Stop": [TurnEnd],
    },
    "pi": {
        "session_start": [SessionStart], "session_start.resume": [SessionStart], "session_shutdown": [SessionEnd],
        "before_agent_start": [Prompt], "tool_call": [Activity], "tool_result": [ToolCall],
        "tool_execution_end": [ToolCall], "message_end": [Reply], "turn_end": [], "agent_end": [],
        "agent_settled": [TurnEnd], "session_compact": [Compaction],
    },
    "omp": {
        "session_start": [SessionStart], "session_switch": [SessionStart], "session_shutdown": [SessionEnd],
        "before_agent_start": [Prompt], "tool_result": [ToolCall], "session_stop": [Reply, TurnEnd],
    },
    "crush": {"PreToolUse": [ToolCall], "PreCompact": [Compaction]},
    "command-code": {
        "SessionStart": [SessionStart], "PreToolUse": [Activity], "PostToolUse": [ToolCall],
        "PostToolUse.shell_failing": [ToolCall], "PostToolUse.shell_secret": [ToolCall], "Stop": [TurnEnd],
    },
    "pool": {"UserPromptSubmit": [Prompt], "Stop": [TurnEnd]},
    "zcode": {"PostToolUseFailure": [ToolCall]},
    "zero": {"sessionStart.UNVERIFIED_BODY": [SessionStart]},
}  # fmt: skip
SIDECARS = {"settings-sidecar", "state", "summary", "api_conversation_history"}
ALL = [(harness, name) for harness, files in TOLD.items() for name in files]


def told(harness, name):
    return hook(harness, name, event=name.partition(".")[0])


def said(harness, name):
    return events(told(harness, name))


def call(harness, name):
    (event,) = said(harness, name)
    return event


def test_no_sample_is_left_out():
    for harness, files in TOLD.items():
        assert {path.stem for path in (SAMPLES / harness).glob("*.json")} - SIDECARS == set(files)


@pytest.mark.parametrize("harness, name", ALL)
def test_each_payload_is_what_it_means(harness, name):
    batches = told(harness, name)
    assert [type(event) for event in events(batches)] == TOLD[harness][name]
    assert {batch.session.harness for batch in batches} <= {harness}


@pytest.mark.parametrize("harness", TOLD)
def test_every_event_seen_is_described(harness):
    seen = {name.partition(".")[0] for name in TOLD[harness]}
    assert seen <= HARNESSES[harness].events.keys()


@pytest.mark.parametrize("harness, session, cwd", [
    ("qwen-code", "e03da155-e635-4da6-a7fd-682596d50cf2", CWD), ("droid", "27d9a3ab-9a50-4592-afbf-e2df07cb8020", CWD),
    ("kimi-code", "13e871bc-e30e-4509-a987-abd66bb81e35", CWD), ("grok", "36e0a2b8-ccbd-4df9-a472-586e0e90d327", CWD),
    ("goose", "20261124_1", None), ("cline", "1795511705000", CWD),
    ("windsurf", "fc0c9158-6949-40bc-abfc-fee7041e16ac", None),
    ("vscode-copilot", "3391465e-567c-428c-a2b4-c392c571e67f", CWD), ("devin-cli", "quiet-orchard-lantern", None),
    ("pool", "72ae8500-12e3-4c3f-a929-985f48b24a67", CWD), ("pi", "unknown", None), ("omp", "unknown", None),
])  # fmt: skip
def test_prompt_belongs_to_its_session(harness, session, cwd):
    name = {"windsurf": "pre_user_prompt", "pi": "before_agent_start", "omp": "before_agent_start"}.get(harness)
    (batch,) = told(harness, name or "UserPromptSubmit")
    assert (batch.session.native_id, batch.session.cwd, batch.session.agent_type) == (session, cwd, None)
    (prompt,) = batch.events
    assert (prompt.text, prompt.extra) == (SECOND if harness == "cline" else PROMPT, {})


@pytest.mark.parametrize("harness, name, text", [
    ("qwen-code", "Stop", REPLY), ("grok", "Stop", REPLY), ("goose", "Stop", REPLY), ("cline", "TaskComplete", LAST),
    ("windsurf", "post_cascade_response", REPLY), ("pi", "message_end", REPLY), ("omp", "session_stop", LAST),
])  # fmt: skip
def test_answer_has_its_words(harness, name, text):
    assert said(harness, name)[0].text == text


@pytest.mark.parametrize("harness, name, tool, call_id, diff, output", [
    ("qwen-code", "PostToolUse", "edit", "toolu_q0", DIFF, "edited"),
    ("droid", "PostToolUse", "Edit", None, DIFF, None),
    ("kimi-code", "PostToolUse", "Edit", "tc_0", DIFF, "File edited"),
    ("grok", "PostToolUse", "search_replace", None, DIFF, "ok"),
    ("goose", "PostToolUse", "developer__edit", "call_0", DIFF, None),
    ("windsurf", "post_write_code", "write_code", None, WHOLE_PATH, None),
    ("devin-cli", "PostToolUse", "edit", None, DIFF, "edited"),
])  # fmt: skip
def test_edit_has_path_and_diff(harness, name, tool, call_id, diff, output):
    event = call(harness, name)
    assert (event.name, event.family, event.call_id, event.ok) == (tool, "edit", call_id, True)
    assert (event.diff, event.output) == (diff, output)
    assert [path.endswith("src/client.py") for path in event.paths] == [True]


@pytest.mark.parametrize("harness, name, tool, ok, code", [
    ("qwen-code", "PostToolUseFailure", "run_shell_command", False, None),
    ("kimi-code", "PostToolUseFailure", "Bash", False, None),
    ("grok", "PostToolUseFailure", "run_terminal_cmd", False, None),
    ("cline", "PostToolUse.failing", "execute_command", False, None),
    ("devin-cli", "PostToolUse.exec_failing", "exec", False, 1),
    ("pi", "tool_result", "bash", False, None), ("omp", "tool_result", "bash", False, None),
    ("command-code", "PostToolUse.shell_failing", "shell_command", None, None),
    ("zcode", "PostToolUseFailure", "Bash", False, None),
])  # fmt: skip
def test_failed_command_is_no_success(harness, name, tool, ok, code):
    event = call(harness, name)
    assert (event.name, event.family, event.input["command"]) == (tool, "shell", "pytest -q")
    assert (event.ok, event.exit_code) == (ok, code)
    assert event.output.endswith(FAILED)


@pytest.mark.parametrize("harness, name", [("goose", "PostToolUseFailure"), ("windsurf", "post_run_command"),
                                           ("crush", "PreToolUse"), ("antigravity", "PreToolUse")])  # fmt: skip
def test_command_without_result_says_what_ran(harness, name):
    event = call(harness, name)
    assert (event.family, event.input["command"], event.output) == ("shell", "pytest -q", None)
    assert event.ok is (False if harness == "goose" else None)


@pytest.mark.parametrize("harness, name", [
    ("droid", "PostToolUse.secret"), ("kimi-code", "PostToolUse.bash_secret"), ("grok", "PostToolUse.secret"),
    ("cline", "PostToolUse"), ("devin-cli", "PostToolUse.exec_secret"), ("pi", "tool_execution_end"),
    ("command-code", "PostToolUse.shell_secret"),
])  # fmt: skip
def test_secrets_end_at_the_boundary(harness, name):
    event = call(harness, name)
    assert event.output.startswith("ORCHARD_ENV=staging\n")
    assert event.output.endswith("GREETING=こんにちは\n")
    clean = repr(scrub(event).value)
    assert "sk-proj-EXAMPLE" not in clean
    assert "AKIAIOSFODNN7EXAMPLE" not in clean
    assert "ORCHARD_REGION=eu-north-1" in clean


def test_only_what_a_person_submitted_is_a_prompt():
    (note,) = said("qwen-code", "UserPromptSubmit.continuation")
    assert (note.name, note.text) == ("continuation", "(tool result text, not typed by the user)")


@pytest.mark.parametrize("harness, name, state, text", [
    ("kimi-code", "SubagentStart", "started", ""), ("kimi-code", "SubagentStop", "finished", REPORT),
    ("grok", "SubagentStart", "started", ""), ("grok", "SubagentStop", "finished", REPORT),
])  # fmt: skip
def test_subagent_without_an_id_is_told_by_its_parent_only(harness, name, state, text):
    (batch,) = told(harness, name)
    (event,) = batch.events
    assert (event.agent_id, event.agent_type, event.state, event.text) == ("", "explore", state, text)
    assert (batch.session.agent_type, batch.session.parent_native_id) == (None, None)


@pytest.mark.parametrize("harness, agent, kind", [
    ("qwen-code", "qsub-1", "Explorer"), ("vscode-copilot", "subagent-9", "Plan"),
])  # fmt: skip
def test_subagent_with_an_id_has_a_session(harness, agent, kind):
    above, own = told(harness, "SubagentStart")
    assert own.session.native_id == f"{above.session.native_id}/{agent}"
    assert (own.session.agent_type, above.session.agent_type) == (kind, None)


def test_task_of_a_subagent_is_known():
    assert call("kimi-code", "SubagentStart").task.startswith("Find every note about レート制限")


@pytest.mark.parametrize("harness, name, trigger, before", [
    ("droid", "PreCompact", "auto", None), ("cline", "PreCompact", "auto", 172000), ("pi", "session_compact",
    "threshold", 41230), ("crush", "PreCompact", None, 103200),
])  # fmt: skip
def test_compaction_tells_what_it_knows(harness, name, trigger, before):
    event = call(harness, name)
    assert (event.trigger, event.tokens_before) == (trigger, before)


def test_permission_is_asked_for():
    (event,) = said("droid", "Notification")
    assert (event.what, event.text) == ("permission", "Droid needs your permission to use Execute")


def test_start_and_end_of_a_cline_task():
    (resumed,) = said("cline", "TaskResume")
    (cancelled,) = said("cline", "TaskCancel")
    assert (resumed.source, cancelled.reason) == ("resume", "interrupted")
    assert HARNESSES["cline"].ends is False


def test_tool_of_a_server_is_named_by_it():
    event = call("windsurf", "post_mcp_tool_use")
    assert (event.name, event.family, event.input) == ("mcp__memory__search", "mcp", {"query": "retry budget"})
    assert event.output == "2 notes found"


@pytest.mark.parametrize("error, ok", [("", True), ("exit status 1", False)])
def test_both_halves_of_an_antigravity_call_are_one(error, ok):
    begun = call("antigravity", "PreToolUse")
    body = {"conversationId": "c", "stepIdx": 3, "error": error}
    (batch,) = parse_hook("antigravity", body, event="PostToolUse")
    (ended,) = batch.events
    assert begun.call_id == ended.call_id == "step 3"
    assert (ended.ok, ended.output, ended.exit_code) == (ok, error or None, 1 if error else None)


@pytest.mark.parametrize("body, kind", [
    ({"invocationNum": 0, "initialNumSteps": 0}, SessionStart),
    ({"invocationNum": 1, "initialNumSteps": 0}, SessionStart),
    ({"invocationNum": 0, "initialNumSteps": 9}, Activity), ({"invocationNum": 2}, Activity),
])  # fmt: skip
def test_only_the_first_invocation_starts_a_conversation(body, kind):
    (batch,) = parse_hook("agy", {"conversationId": "c", **body}, event="PreInvocation")
    assert [type(event) for event in batch.events] == [kind]


@pytest.mark.parametrize("why, reason", [
    ("NO_TOOL_CALL", "completed"), ("USER_CANCELED", "interrupted"), ("MODEL_ERROR", "error"),
])  # fmt: skip
def test_antigravity_says_why_it_stopped(why, reason):
    (batch,) = parse_hook("antigravity", {"conversationId": "c", "terminationReason": why}, event="Stop")
    assert batch.events[0].reason == reason


@pytest.mark.parametrize("reason, kinds", [("quit", [SessionEnd]), ("new", [SessionEnd]), ("reload", [])])
def test_pi_loading_its_extensions_again_ends_nothing(reason, kinds):
    batches = parse_hook("pi", {"type": "session_shutdown", "reason": reason, "sessionId": "s"})
    assert [type(event) for event in events(batches)] == kinds


def test_answers_of_pi_and_omp_count_once():
    """Its own end and the stop bring the same answer: both name the message's time, as the session file does."""
    (reply,) = said("pi", "message_end")
    stopped, _ = said("omp", "session_stop")
    assert (reply.message_id, stopped.message_id) == ("1795511718000", "1795511885000")
    assert (reply.usage.input, reply.usage.output, reply.usage.cache_read) == (11, 58, 18613)


def test_payload_without_session_id_is_kept():
    body = {"event": "beforeTool", "toolName": "bash", "toolArgs": {"command": "ls"}}
    (batch,) = parse_hook("zero", body)
    assert (batch.session.native_id, batch.events[0].text) == ("unknown", "Running ls")
