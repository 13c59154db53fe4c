"""What holds for all of them: who sent it, what is answered, and that no content whatever ends the reading."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stash_client.events import FAMILIES, KINDS, Note, Prompt, Reply, SessionStart, ToolCall, TurnEnd, to_wire
from stash_client.harnesses import HARNESSES, detect, harness_named, hook_answer, parse_hook, read_transcript
from tests.client.harnesses.stories import SAMPLES, events, only


@pytest.mark.parametrize("name", ["claude-code", "codex", "cursor"])
def test_a_harness_says_what_it_can(name):
    harness = HARNESSES[name]
    assert (harness.name, harness.ends) == (name, True)
    assert harness.result_events <= harness.events.keys()
    assert "{session}" in harness.resume
    assert set(harness.tools.values()) <= set(FAMILIES)


@pytest.mark.parametrize("harness", HARNESSES.values(), ids=lambda harness: harness.name)
def test_what_a_harness_declares_fits_together(harness):
    assert harness.injects <= harness.events.keys()
    assert all(b"briefing" in harness.answer(event, "briefing") for event in harness.injects)
    assert harness.result_events <= harness.events.keys()
    assert set(harness.tools.values()) <= set(FAMILIES)
    assert not harness.resume or "{session}" in " ".join(harness.resume)
    assert harness.label


@pytest.mark.parametrize("alias, name", [
    ("claude", "claude-code"), ("codex-cli", "codex"), ("Cursor Agent", "cursor"), ("qwen", "qwen-code"),
    ("factory", "droid"), ("kimi", "kimi-code"), ("agy", "antigravity"), ("devin", "devin-cli"), ("oh-my-pi", "omp"),
    ("cmdc", "command-code"), ("cascade", "windsurf"), ("VS Code Copilot", "vscode-copilot"),
])  # fmt: skip
def test_aliases_find_their_harness(alias, name):
    assert harness_named(alias) is HARNESSES[name]


def test_every_sample_is_told_apart_under_any_shared_flag():
    for name in ("cursor", "claude-code"):
        for path in (SAMPLES / name).glob("*.json"):
            body = json.loads(path.read_text(encoding="utf-8"))
            if "hook_event_name" in body:
                assert detect(body, "claude-code") == name


@pytest.mark.parametrize("body, flag, name", [
    ({"cursor_version": "3"}, "claude", "cursor"),
    ({"trajectory_id": "t"}, "claude", "windsurf"),
    ({"clineVersion": "3"}, "cline", "cline"),
    ({"event": "Stop", "matcher_context": ""}, "claude", "goose"),
    ({"turn_id": "t", "model": "m", "hook_event_name": "Stop"}, "claude", "codex"),
    ({"turn_id": "t", "model": "m", "hook_event_name": "Stop"}, "qwen", "qwen-code"),
    ({"sessionId": "s", "hookEventName": "Stop", "tool_name": "x"}, "claude", "droid"),
    ({"sessionId": "s", "hookEventName": "Stop", "tool_name": "x", "timestamp": "t"}, "claude", "vscode-copilot"),
    ({"hookEventName": "Stop", "workspaceRoot": "/w"}, "cursor", "grok"),
    ({"hook_event_name": "Stop"}, "Droid", "droid"),
    ([], "claude", "claude-code"),
])  # fmt: skip
def test_the_body_decides_before_the_flag(body, flag, name):
    assert detect(body, flag) == name


SENT_BY_A_HOOK = frozenset(("hook_event_name", "hookEventName", "trajectory_id", "clineVersion"))


@pytest.mark.parametrize("name", ["cursor", "windsurf", "cline", "grok", "vscode-copilot", "droid", "devin-cli"])
@pytest.mark.parametrize("flag", ["claude-code", "copilot-cli"])
def test_agents_that_load_the_configuration_of_others_are_told_apart(name, flag):
    """By each of their payloads, except where one alone says too little."""
    flag = "claude-code" if name == "devin-cli" else flag
    for path in (SAMPLES / name).glob("*.json"):
        body = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(body, dict) and SENT_BY_A_HOOK & body.keys():
            assert detect(body, flag) == name, path.name


@pytest.mark.parametrize("name", sorted(HARNESSES))
def test_an_agent_with_hooks_of_its_own_is_believed(name):
    for path in (SAMPLES / name).glob("*.json"):
        body = json.loads(path.read_text(encoding="utf-8"))
        assert detect(body, name) == name, path.name


def test_session_of_another_sender_is_filed_under_it():
    body = {"cursor_version": "3", "conversation_id": "c", "hook_event_name": "beforeSubmitPrompt", "prompt": "hi"}
    (batch,) = parse_hook("claude-code", body)
    assert batch.session.harness == "cursor"


def specific(event):
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "x"}}


@pytest.mark.parametrize("harness, event, answer", [
    ("claude-code", "SessionStart",
     {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "x"}}),
    ("codex", "UserPromptSubmit",
     {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "x"}}),
    ("cursor", "sessionStart", {"additional_context": "x"}),
    ("cursor", "beforeSubmitPrompt", {}),
    ("qwen-code", "SessionStart", specific("SessionStart")), ("droid", "SessionStart", specific("SessionStart")),
    ("droid", "UserPromptSubmit", specific("UserPromptSubmit")), ("grok", "PostToolUse", specific("PostToolUse")),
    ("vscode-copilot", "SessionStart", specific("SessionStart")),
    ("vscode-copilot", "SubagentStart", specific("SubagentStart")),
    ("devin-cli", "SessionStart", specific("SessionStart")), ("command-code", "SessionStart", specific("SessionStart")),
    ("zcode", "SessionStart", specific("SessionStart")),
    ("cline", "TaskStart", {"cancel": False, "contextModification": "x"}), ("cline", "PreToolUse", {"cancel": False}),
    ("antigravity", "PreInvocation", {"injectSteps": [{"ephemeralMessage": "x"}]}),
    ("pi", "before_agent_start", {"message": {"customType": "stash", "content": "x", "display": False}}),
    ("omp", "before_agent_start", {"message": {"customType": "stash", "content": "x", "display": False}}),
])  # fmt: skip
def test_context_is_handed_back_where_it_is_taken(harness, event, answer):
    assert json.loads(hook_answer(harness, event, "x")) == answer


@pytest.mark.parametrize("harness, event, context, answer", [
    ("claude-code", "Stop", "x", b""), ("claude-code", "SessionStart", None, b""), ("codex", "Stop", "x", b""),
    ("kimi-code", "SessionStart", "x", b""), ("kimi-code", "UserPromptSubmit", "x", b"x"),
    ("grok", "SessionStart", "x", b""), ("grok", "UserPromptSubmit", "x", b""), ("goose", "SessionStart", "x", b""),
    ("goose", "PreToolUse", "x", b""), ("windsurf", "pre_user_prompt", "x", b""), ("crush", "PreToolUse", "x", b""),
    ("pool", "SessionStart", "x", b""), ("zero", "sessionStart", "x", b""),
    ("cline", "Stop", None, b'{"cancel": false}'),
    ("vscode-copilot", "Stop", "x", b""), ("antigravity", "Stop", "x", b""), ("pi", "agent_end", "x", b""),
    ("cursor", "stop", None, b"{}"), ("anything", "SessionStart", "x", b""), ("codex", None, None, b""),
])  # fmt: skip
def test_nothing_is_answered_where_it_would_disturb(harness, event, context, answer):
    assert hook_answer(harness, event, context) == answer


def test_an_agent_nobody_described_is_read_by_common_names():
    batches = [
        parse_hook("New Agent", body, event=event)
        for event, body in [
            (None, {"sessionId": "s", "hookEventName": "SessionStart", "cwd": "/w", "source": "startup"}),
            ("userPromptSubmitted", {"sessionId": "s", "prompt": "hello"}),
            ("after_tool_call", {"sessionId": "s", "toolName": "bash", "toolArgs": '{"command": "ls"}',
                                 "toolResult": {"textResultForLlm": "a.py"}}),
            ("Stop", {"sessionId": "s", "lastAssistantMessage": "done"}),
        ]
    ]  # fmt: skip
    assert {batch.session.native_id for (batch,) in batches} == {"s"}
    assert {batch.session.harness for (batch,) in batches} == {"new-agent"}
    told = [event for (batch,) in batches for event in batch.events]
    assert [type(event) for event in told] == [SessionStart, Prompt, ToolCall, Reply, TurnEnd]
    assert (told[2].family, told[2].input, "a.py" in told[2].output) == ("shell", {"command": "ls"}, True)


def test_event_name_comes_with_the_request_when_the_body_has_none():
    assert (
        only(parse_hook("antigravity", {"conversationId": "c", "prompt": "hi"}, event="UserPromptSubmit")).text == "hi"
    )


def test_session_file_of_an_agent_nobody_described():
    lines = [
        b'{"type": "session", "sessionId": "s", "cwd": "/w"}',
        b'{"role": "user", "content": "hello", "sessionId": "s"}',
        b'{"message": {"role": "assistant", "content": [{"type": "text", "text": "hi"}, {"type": "tool_use", "id": "t",'
        b' "name": "bash", "input": {"command": "ls"}}]}}',
        b'{"role": "tool", "tool_call_id": "t", "content": "a.py"}',
    ]
    read = read_transcript("new-agent", lines)
    told = events(read)
    assert [type(event) for event in told] == [Note, Prompt, Reply, ToolCall]
    assert (told[3].call_id, told[3].output, told[3].input) == ("t", "a.py", {"command": "ls"})
    assert (read.session.native_id, read.session.cwd) == ("s", "/w")


@pytest.mark.parametrize("harness", ["claude-code", "codex", "cursor", "new-agent"])
def test_output_without_end_is_kept_and_pictures_are_not(harness):
    data = "iVBORw0KGgo" + "QUJD" * 700_000
    body = {
        "session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "screenshot", "tool_input": {},
        "tool_response": [
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}},
            {"type": "text", "text": f"data:image/png;base64,{data} tail fjord-lantern-41"},
        ],
    }  # fmt: skip
    event = next(event for batch in parse_hook(harness, body) for event in batch.events)
    text = event.output
    assert "fjord-lantern-41" in text
    assert "QUJDQUJD" not in text


WITH_STORY = [name for name in HARNESSES if (SAMPLES / name / "transcript.jsonl").exists()]

# Whatever arrives

_names = sorted({name for harness in HARNESSES.values() for name in harness.events} | {"Stop", "PostToolUse", "x"})
_keys = st.sampled_from(sorted({
    "session_id", "conversation_id", "hook_event_name", "tool_name", "tool_input", "tool_response", "tool_output",
    "prompt", "source", "cwd", "agent_id", "agent_type", "error", "duration_ms", "edits", "command", "file_path",
    "last_assistant_message", "attachments", "questions", "message", "content", "text", "type", "role", "payload",
    "sessionId", "uuid", "parentUuid", "isSidechain", "isMeta", "origin", "toolUseResult", "structuredPatch", "lines",
    "usage", "input_tokens", "id", "name", "input", "tool_use_id", "call_id", "output", "arguments", "info", "summary",
    "total_token_usage", "last_token_usage", "turn_id", "timestamp", "stdout", "exitCode", "metadata", "status", "git",
    "agentId", "attachment", "compactMetadata", "subtype", "thinking", "action", "images", "local_images", "model",
    "tool_info", "command_line", "mcp_tool_arguments", "toolCall", "args", "stepIdx", "compactionEntry", "parts",
    "data", "part", "event", "result", "tool_calls", "function", "functionCall", "functionResponse", "response",
    "isError",
    "toolCallResult", "usageMetadata", "systemPayload", "taskMetadata", "postToolUse", "preCompact", "initialNumSteps",
    "meta", "summaryText", "messages", "created_at", "time", "diff", "before", "after", "contextSize", "workspaceRoots",
    "agent_transcript_path", "parent_conversation_id", "workspace_roots", "old_string", "new_string", "stop_reason",
}))  # fmt: skip
_words = st.sampled_from([
    "user", "assistant", "system", "attachment", "summary", "tool_use", "tool_result", "text", "thinking", "image",
    "response_item", "event_msg", "session_meta", "turn_context", "compacted", "message", "function_call",
    "function_call_output", "custom_tool_call", "reasoning", "user_message", "agent_message", "token_count",
    "task_complete", "compact_boundary", "queued_command", "apply_patch", "Bash", "Edit", "Write", "spawn_agent",
    "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Move to: b\n", '{"output": 1, "metadata": 3}', "\udc9f\0",
    "toolRequest", "toolResponse",
    "context.append_message", "context.append_loop_event", "content.part", "tool.call", "tool.result", "toolResult",
    "toolCall", "session", "compaction", "model_change", "backend_tool_call", "chat_compression", "tool", "finish",
    "------- SEARCH\na\n=======\nb\n+++++++ REPLACE", "x\n\nExit code 1", "<task>\nx\n</task>",
    "<command-name>/x</command-name>", "Exit code 1\nno", "<user_query>", "C:\\a",
])  # fmt: skip
_anything = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**20) | st.floats() | _words | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_keys | st.text(max_size=3), inner, max_size=7),
    max_leaves=30,
)
_harness = st.sampled_from([*HARNESSES, "nobody-described"])


def check(batches):
    for batch in batches:
        assert batch.session.native_id
        for event in batch.events:
            assert KINDS[event.kind] is type(event)
            json.dumps(to_wire(event))
            for text in (event.turn_id, event.message_id, getattr(event, "text", ""), getattr(event, "name", "")):
                assert text is None or isinstance(text, str)


@settings(max_examples=150, deadline=None)
@given(_harness, st.dictionaries(_keys, _anything, max_size=10), st.sampled_from(_names))
def test_no_hook_payload_raises(harness, body, event):
    check(parse_hook(harness, {"hook_event_name": event, **body}))
    check(parse_hook(harness, body, event=event))


@settings(max_examples=100, deadline=None)
@given(_harness, st.binary(max_size=60) | _anything)
def test_no_bytes_or_values_raise(harness, payload):
    check(parse_hook(harness, payload))


_records = st.dictionaries(_keys, _anything, max_size=8)
_typed = st.builds(
    lambda kind, inner, rest: {**rest, "type": kind, "message": inner, "payload": inner, "role": kind},
    _words,
    _anything,
    _records,
)
_lines = st.lists(
    st.binary(max_size=30) | (_typed | _records | _anything).map(lambda v: json.dumps(v).encode()), max_size=8
)


@settings(max_examples=150, deadline=None)
@given(_harness, _lines, st.none() | st.just("given") | st.just("a/b"))
def test_no_line_raises_and_batches_are_bounded(harness, lines, native_id):
    read = read_transcript(harness, lines, native_id=native_id, limit=3)
    batches = list(read)
    check(batches)
    assert read.session.harness == harness
    assert all(len(batch.events) <= 3 for batch in batches)


@given(st.lists(st.text(alphabet="uaser:\n [Toolcht]ink", max_size=30), max_size=8))
def test_no_legacy_text_raises(texts):
    check(read_transcript("cursor", [b"x", *[text.encode() for text in texts]], native_id="c"))


@pytest.mark.parametrize("harness", WITH_STORY)
def test_a_broken_line_loses_only_itself(harness):
    lines = (SAMPLES / harness / "transcript.jsonl").read_bytes().splitlines(keepends=True)
    whole = [event.uid for event in events(read_transcript(harness, lines, native_id="s"))]
    broken = [lines[0], b'{"type": "mess\n', b"\xff\xfe\n", b"[1]\n", *lines[1:]]
    read = read_transcript(harness, broken, native_id="s")
    assert len(events(read)) == len(whole)
    assert sum(read.skipped.values()) == 3
