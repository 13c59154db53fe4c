"""Gemini CLI, OpenCode, OpenClaw, Hermes, Copilot CLI and Kiro tell one story: in hooks, files and databases alike."""

import json
from collections import Counter

import pytest

from stash_client.events import FAMILIES, Note, Prompt, Reply, Subagent, Thinking, ToolCall, Usage, to_wire
from stash_client.harnesses import HARNESSES, Transcript, hook_answer, parse_hook, read_transcript, session_told
from stash_client.privacy import scrub
from tests.client.harnesses.stories import SAMPLES, events, squeezed, transcript

SESSIONS = {
    "gemini-cli": "47e6d9f6-54b3-43ee-ad61-72e519a94d39", "opencode": "ses_d337ad990003ffefb2c7b13ce3",
    "openclaw": "ce183f09-256d-4f09-a93a-4df0c23f2a9e", "hermes": "20261124_091500_4ab11a",
    "copilot-cli": "aa5feab3-2c2d-41ff-ab56-eda8dfeb77ef", "kiro": "7b48af57-e566-4d2c-a48a-c28bb3e5a18b",
}  # fmt: skip
AGENTS = {
    "gemini-cli": "b657946c-1a2f-4ef5-abe3-8cba9b850dfd", "opencode": "ses_ba7a99277ba9ffe79895e93fda",
    "openclaw": "f55d6b00-3eb1-44fe-a3bf-29238e7d7621", "hermes": "20261124_091735_77ea32", "copilot-cli": "tc_k",
}  # fmt: skip
DATABASES = {"opencode": "opencode.db", "openclaw": "openclaw-agent.sqlite", "hermes": "state.db"}
FORMS = [*((harness, "transcript.jsonl") for harness in SESSIONS), *DATABASES.items()]
PROMPTS = [
    "Add a retry budget to the HTTP client – the café-inventory sync keeps timing out ☕",
    "Run the test suite, then show me what the staging env file sets",
    "Have a helper look through docs/ for the レート制限 notes, then fix the failing test",
]
TASK = "Find every note about レート制限 (rate limits) under docs/ and report file and line."
REPORT = "docs/limits.ja.md line 12 says 上限は毎分20回です (the limit is 20 per minute). Nothing else mentions it."
SECRETS = ("sk-proj-EXAMPLEonlyNotReal", "AKIAIOSFODNN7EXAMPLE")


def told(harness, name):
    """Pairs of (native id, event) of one of the session's forms, its subagent's file with it."""
    batches = []
    if harness == "kiro":  # its folder stands in the file beside
        reader = HARNESSES[harness].reader(HARNESSES[harness], SESSIONS[harness])
        reader.enter(SESSIONS[harness], cwd="/home/mika/projects/orchard-api")
        batches += Transcript(reader, (SAMPLES / harness / name).read_bytes().splitlines())
    elif name.endswith(".jsonl"):
        batches += transcript(harness, SAMPLES / harness / name, native_id=SESSIONS[harness])[1]
        if harness in ("gemini-cli", "openclaw"):
            path = (
                SAMPLES
                / harness
                / ("subagent.jsonl" if harness == "openclaw" else f"subagents/{AGENTS[harness]}.jsonl")
            )
            batches += transcript(harness, path, native_id=f"{SESSIONS[harness]}/{AGENTS[harness]}")[1]
    else:
        source = next(source for source in HARNESSES[harness].sources if source.kind == "sqlite")
        for read in source.read(str(SAMPLES / harness / name)):
            batches += list(read)
    return [(batch.session.native_id, event) for batch in batches for event in batch.events]


def of_kind(pairs, kind, harness):
    return [event for owner, event in pairs if type(event) is kind and owner == SESSIONS[harness]]


@pytest.fixture(params=FORMS, ids=lambda form: "-".join(form))
def form(request):
    harness, name = request.param
    return harness, told(harness, name)


def test_three_things_were_asked_and_nothing_else(form):
    harness, pairs = form
    assert [event.text for event in of_kind(pairs, Prompt, harness)] == PROMPTS
    assert all(owner == SESSIONS[harness] for owner, event in pairs if isinstance(event, Prompt))


def test_the_answers_end_alike(form):
    harness, pairs = form
    replies = [event.text for event in of_kind(pairs, Reply, harness)]
    assert [text[:16] for text in replies[-3:]] == ["Added `RETRY_BUD", "One test fails: ", "Fixed: the loop "]
    assert replies[-1].endswith("毎分20回, and both tests pass now ✅")


def test_one_command_failed_and_one_showed_a_secret(form):
    harness, pairs = form
    calls = {event.input.get("command"): event for event in reversed(of_kind(pairs, ToolCall, harness))
             if event.family == "shell"}  # fmt: skip
    failed, shown = calls["pytest -q"], calls["cat .env.staging"]
    assert (failed.ok, failed.exit_code) in ((False, 1), (False, None))
    assert failed.output.startswith("F. ")
    assert "21 == 20" in failed.output
    assert (shown.ok, shown.exit_code) in ((True, 0), (True, None))
    assert all(secret in shown.output for secret in SECRETS)
    assert shown.output.rstrip().endswith("GREETING=こんにちは")


def test_the_first_edit_is_a_diff_of_one_file(form):
    harness, pairs = form
    edit = next(event for event in of_kind(pairs, ToolCall, harness) if event.family == "edit")
    (path,) = edit.paths
    assert path.endswith("src/client.py")
    assert edit.diff.splitlines()[:2] == ["--- a/src/client.py", "+++ b/src/client.py"]
    assert edit.diff.endswith(" MAX_RETRIES = 3\n+RETRY_BUDGET_PER_MIN = 20\n")


def test_the_subagent_is_a_session_below(form):
    harness, pairs = form
    if harness == "kiro":  # tells of none
        assert {owner for owner, _ in pairs} == {SESSIONS[harness]}
        return
    child = f"{SESSIONS[harness]}/{AGENTS[harness]}"
    own = [event for owner, event in pairs if owner == child]
    assert [event.text for event in own if isinstance(event, Note)] == ([TASK])
    assert [squeezed(event.text) for event in own if isinstance(event, Reply)] == [REPORT]
    finished = [event for event in of_kind(pairs, Subagent, harness) if event.state == "finished"]
    assert [(event.agent_id, squeezed(event.text), event.task) for event in finished] == [
        (AGENTS[harness], REPORT, TASK)
    ]


def test_every_event_has_a_time_in_the_order_of_the_story(form):
    harness, pairs = form
    times = [event.occurred_at for owner, event in pairs if owner == SESSIONS[harness]]
    assert all(time.startswith("2026-11-24T09:1") for time in times)
    asked = [event.occurred_at[:19] for event in of_kind(pairs, Prompt, harness)]
    assert asked == ["2026-11-24T09:15:05", "2026-11-24T09:16:10", "2026-11-24T09:17:30"]


def test_tokens_and_model_are_told_where_the_harness_knows_them(form):
    harness, pairs = form
    usages = [event.usage for event in of_kind(pairs, Reply, harness) if event.usage]
    if harness == "kiro":
        assert usages == []
        return
    assert sum(usage.output for usage in usages) > 0
    assert all(isinstance(usage, Usage) for usage in usages)
    assert all(event.model for event in of_kind(pairs, Reply, harness))


def test_ids_are_its_own_and_stay_the_same_when_read_again(form):
    harness, pairs = form
    uids = [event.uid for _, event in pairs]
    assert max(Counter(uids).values()) == 1
    name = dict(FORMS)[harness]
    assert [event.uid for _, event in told(harness, name)] == [event.uid for _, event in told(harness, name)]


# Secrets


def test_no_secret_of_a_session_survives_the_boundary(form):
    _, pairs = form
    wire = json.dumps([to_wire(scrub(event).value) for _, event in pairs], ensure_ascii=False)
    assert not any(secret in wire for secret in SECRETS)
    assert "こんにちは" in wire


@pytest.mark.parametrize("harness", SESSIONS)
def test_no_secret_of_a_hook_survives_the_boundary(harness):
    paths = [path for path in sorted((SAMPLES / harness).glob("**/*.json")) if "secret" in path.stem]
    assert paths
    for path in paths:
        batches = parse_hook(harness, path.read_bytes(), event=event_of(path))
        assert any(SECRETS[0] in str(event) for event in events(batches))
        wire = json.dumps([to_wire(scrub(event).value) for event in events(batches)], ensure_ascii=False)
        assert not any(secret in wire for secret in SECRETS)
        assert "こんにちは" in wire


# Hooks


def event_of(path):
    name = path.stem.removeprefix("hook.")
    if name.startswith(("tool.execute.after", "chat.", "experimental.", "tool.")):
        return name.removesuffix(".secret")
    return name.partition(".")[0]


def told_by_hooks(harness):
    for path in sorted((SAMPLES / harness).glob("**/*.json")):
        if path.stem not in ("legacy-session", "agent.v2", "hookfile.v3", "session.v2", "session.v3"):
            for batch in parse_hook(harness, path.read_bytes(), event=event_of(path)):
                for event in batch.events:
                    yield batch.session.native_id, event


@pytest.mark.parametrize("harness", SESSIONS)
@pytest.mark.parametrize("kind", [Prompt, Reply, Thinking])
def test_hooks_say_nothing_that_the_session_does_not(harness, kind):
    file = {squeezed(event.text) for _, event in told(harness, "transcript.jsonl") if type(event) is kind}
    hooks = {squeezed(event.text) for _, event in told_by_hooks(harness) if type(event) is kind}
    assert hooks <= file
    assert hooks or kind is Thinking or (kind is Reply and harness in ("copilot-cli", "opencode"))


@pytest.mark.parametrize("harness", SESSIONS)
def test_calls_of_hooks_are_recognised_in_the_session(harness):
    """By their id where hooks have one, else by what was done."""
    pairs = told(harness, "transcript.jsonl")
    by_id = {event.call_id: event for _, event in pairs if isinstance(event, ToolCall)}
    by_deed = {_deed(event): event for _, event in reversed(pairs) if isinstance(event, ToolCall)}
    compared = 0
    for owner, event in told_by_hooks(harness):
        if not isinstance(event, ToolCall) or event.family in ("mcp", "web") or owner != SESSIONS[harness]:
            continue
        has_id = event.call_id and harness != "openclaw"  # whose samples number their calls twice
        other = by_id[event.call_id] if has_id else by_deed[_deed(event)]
        assert (event.family, event.name, event.ok, event.paths) == (other.family, other.name, other.ok, other.paths)
        if event.family == "shell":
            assert squeezed(event.output) == squeezed(other.output)
            assert event.exit_code == other.exit_code or None in (event.exit_code, other.exit_code)
        else:
            assert event.diff == other.diff or harness == "openclaw"
        compared += 1
    assert compared >= 2


def _deed(call):
    told_by = call.input.get("command") if call.family == "shell" else call.paths[:1]
    return (call.family, str(told_by))


@pytest.mark.parametrize("harness, name", FORMS)
def test_a_line_or_row_of_any_shape_is_read(harness, name):
    odd = [b"[]", b"null", b"7", b'"text"', b"{}", b"{", b"\xff\xfe", b'{"type": 7, "id": [], "data": "x"}', b""]
    read = read_transcript(harness, odd, native_id="s")
    assert all(event.kind == "note" for event in events(read))
    assert sum(read.skipped.values()) == 6


# What they say of themselves


def test_every_name_is_its_harness():
    assert [harness.name for harness in HARNESSES.values()] == list(HARNESSES)
    assert "nobody" not in HARNESSES


@pytest.mark.parametrize("harness", SESSIONS)
def test_a_harness_says_what_it_can(harness):
    known = HARNESSES[harness]
    assert known.result_events <= known.events.keys()
    assert known.injects <= known.events.keys()
    assert set(known.tools.values()) <= set(FAMILIES)
    assert known.ends == (harness not in ("opencode", "kiro"))
    assert "{session}" in known.resume or harness == "openclaw"


@pytest.mark.parametrize("harness", SESSIONS)
def test_context_is_printed_for_the_events_that_take_it_and_nothing_else(harness):
    known = HARNESSES[harness]
    for event in known.events:
        said = hook_answer(harness, event, "what was learnt")
        assert (b"what was learnt" in said) or not said
        assert said or event not in known.injects
        assert hook_answer(harness, event, None) == b""
        assert not said.startswith(b"{") or json.loads(said)


def test_the_briefing_is_asked_for_in_a_sessions_first_turn_only():
    first = json.loads((SAMPLES / "hermes/pre_llm_call.json").read_text(encoding="utf-8"))
    assert HARNESSES["hermes"].begins(first)
    assert not HARNESSES["hermes"].begins({**first, "extra": {**first["extra"], "is_first_turn": False}})


@pytest.mark.parametrize("harness, body, event", [
    ("opencode", {"input": {"sessionID": "s"}, "directory": "/w"}, "experimental.chat.system.transform"),
    ("openclaw", {"event": {"prompt": "x"}, "ctx": {"sessionId": "s", "workspaceDir": "/w"}}, "before_prompt_build"),
])  # fmt: skip
def test_a_call_that_says_nothing_still_belongs_to_a_session(harness, body, event):
    assert parse_hook(harness, body, event=event) == ()
    info = session_told(harness, body, event=event)
    assert (info.harness, info.native_id, info.cwd) == (harness, "s", "/w")
