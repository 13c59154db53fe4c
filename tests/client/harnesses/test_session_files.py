"""Session files of the agents without a test file of their own, and that they tell what the hooks told."""

import json
import shutil
import sqlite3
from contextlib import closing

import pytest

from stash_client.events import Compaction, Note, Prompt, Reply, Thinking, ToolCall, Usage
from stash_client.harnesses import HARNESSES, parse_hook, read_transcript
from stash_client.privacy import scrub
from tests.client.harnesses.stories import SAMPLES, events, squeezed, transcript

SESSIONS = {
    "droid": "27d9a3ab-9a50-4592-afbf-e2df07cb8020", "kimi-code": "13e871bc-e30e-4509-a987-abd66bb81e35",
    "grok": "36e0a2b8-ccbd-4df9-a472-586e0e90d327", "crush": "f178114c-0249-42f7-acf4-94d7f539d6ec",
    "command-code": "dc0377d9-3498-41f9-ac91-6a11775361aa", "pi": "7d606088-a2d3-4bf4-a921-2e674a7b736b",
}  # fmt: skip
GIVEN = {"kimi-code", "grok"}
"""Their files do not say whose they are; their folders do."""
SIDECARS = {"settings-sidecar", "state", "summary"}
PROMPTS = [
    "Add a retry budget to the HTTP client – the café-inventory sync keeps timing out ☕",
    "Run the test suite, then show me what the staging env file sets",
    "Have a helper look through docs/ for the レート制限 notes, then fix the failing test",
]


def story(harness):
    native_id = SESSIONS[harness] if harness in GIVEN else None
    read, batches = transcript(harness, SAMPLES / harness / "transcript.jsonl", native_id=native_id)
    return read, events(batches)


def hooks(harness):
    for path in sorted((SAMPLES / harness).glob("*.json")):
        if path.stem not in SIDECARS:
            body = json.loads(path.read_text(encoding="utf-8"))
            if harness == "pi":
                body["sessionId"] = SESSIONS["pi"]
            for batch in parse_hook(harness, body):
                for event in batch.events:
                    yield batch.session.native_id, event


@pytest.mark.parametrize("harness", SESSIONS)
def test_story_is_read_whole(harness):
    read, told = story(harness)
    assert read.session.native_id == SESSIONS[harness]
    assert [event.text for event in told if isinstance(event, Prompt)] == PROMPTS
    assert [event.text[:20] for event in told if isinstance(event, Reply)][-3:] == [
        "Added `RETRY_BUDGET_", "One test fails: the ", "Fixed: the loop comp",
    ]  # fmt: skip
    assert sum(isinstance(event, Thinking) for event in told) == (2 if harness == "pi" else 1)
    assert not any(isinstance(event, Note) for event in told)
    assert read.skipped == {}
    assert len({event.uid for event in told}) == len(told)
    assert [event.n for event in told] == sorted(event.n for event in told)


@pytest.mark.parametrize("harness", sorted(SESSIONS.keys() - {"grok"}))
def test_story_has_its_times(harness):
    _, told = story(harness)
    assert [event.occurred_at[:19] for event in told if isinstance(event, Prompt)] == [
        "2026-11-24T09:15:05", "2026-11-24T09:16:10", "2026-11-24T09:17:30",
    ]  # fmt: skip
    (compaction,) = (event for event in told if isinstance(event, Compaction))
    assert compaction.text.startswith("The user asked for a retry budget")


@pytest.mark.parametrize("harness, calls", [
    ("droid", [("edit", True, None), ("shell", False, None), ("shell", True, None)]),
    ("kimi-code", [("read", True, None), ("edit", True, None), ("shell", False, None), ("shell", True, None),
                   ("agent", True, None), ("edit", True, None), ("shell", True, None)]),
    ("grok", [("edit", None, None), ("shell", None, None), ("shell", None, None), ("web", None, None)]),
    ("crush", [("edit", True, None), ("shell", False, 1), ("shell", True, None)]),
    ("command-code", [("edit", True, None), ("shell", False, None), ("shell", True, None)]),
    ("pi", [("read", True, None), ("edit", True, None), ("shell", False, 1), ("shell", True, None),
            ("agent", True, None), ("edit", True, None), ("shell", True, None)]),
])  # fmt: skip
def test_calls_of_the_story(harness, calls):
    _, told = story(harness)
    made = [event for event in told if isinstance(event, ToolCall)]
    assert [(call.family, call.ok, call.exit_code) for call in made] == calls
    edits = [call for call in made if call.family == "edit"]
    assert "+RETRY_BUDGET_PER_MIN = 20\n" in edits[0].diff
    assert [path.endswith("src/client.py") for path in edits[0].paths] == [True]
    assert made[[call.family for call in made].index("shell")].output.endswith("1 failed, 1 passed in 0.38s")


@pytest.mark.parametrize("harness", SESSIONS)
def test_secrets_end_at_the_boundary(harness):
    _, told = story(harness)
    assert "sk-proj-EXAMPLE" in repr(told)
    clean = repr([scrub(event).value for event in told])
    assert "sk-proj-EXAMPLE" not in clean
    assert "AKIAIOSFODNN7EXAMPLE" not in clean


# Both tell one story


@pytest.mark.parametrize("harness", SESSIONS)
@pytest.mark.parametrize("kind", [Prompt, Reply])
def test_what_was_said_has_the_same_words(harness, kind):
    files = {squeezed(event.text) for event in story(harness)[1] if isinstance(event, kind)}
    said = {(owner, squeezed(event.text)) for owner, event in hooks(harness) if isinstance(event, kind)}
    assert said <= {(SESSIONS[harness], text) for text in files}


def known_by(call):
    """What a server tells a call again by: its id, where both sides have one, else what it did."""
    return (call.family, call.input["command"] if "command" in (call.input or {}) else call.paths)


@pytest.mark.parametrize("harness, ids, count", [
    ("droid", False, 2), ("kimi-code", True, 3), ("grok", False, 3), ("crush", False, 1), ("command-code", True, 3),
    ("pi", True, 2),
])  # fmt: skip
def test_calls_are_known_again(harness, ids, count):
    files = [event for event in story(harness)[1] if isinstance(event, ToolCall)]
    calls = [(owner, event) for owner, event in hooks(harness) if isinstance(event, ToolCall)]
    assert len(calls) == count
    for owner, call in calls:
        assert owner == SESSIONS[harness]
        same = [f for f in files if (f.call_id == call.call_id if ids else known_by(f) == known_by(call))]
        other = same[0]
        assert (other.name, other.family) == (call.name, call.family)
        assert call.output is None or squeezed(other.output) == squeezed(call.output)
        assert call.input is None or (other.paths, other.diff) == (call.paths, call.diff)


def test_answers_of_pi_are_known_by_their_time():
    files = {event.message_id: event.text for event in story("pi")[1] if isinstance(event, Reply)}
    (reply,) = [event for _, event in hooks("pi") if isinstance(event, Reply)]
    assert files[reply.message_id] == reply.text


# What only some of them have


@pytest.mark.parametrize("harness, title, model, cwd", [
    ("droid", "Retry budget", None, "/home/mika/projects/orchard-api"),
    ("pi", "Retry budget", "claude-opus-5", "/home/mika/projects/orchard-api"),
    ("command-code", None, None, "/home/mika/projects/orchard-api"), ("crush", None, "claude-opus-5", None),
])  # fmt: skip
def test_session_is_described(harness, title, model, cwd):
    info = story(harness)[0].session
    assert (info.title, info.model, info.cwd) == (title, model, cwd)


def test_tokens_of_an_answer_without_words_go_to_the_next():
    replies = [event for event in story("pi")[1] if isinstance(event, Reply)]
    assert [reply.usage for reply in replies[:2]] == [
        Usage(6, 212, 0, 18211), Usage(9 + 11, 141 + 58, 18211 + 18613, 402 + 166),
    ]  # fmt: skip


def test_what_lies_beside_a_session_is_read_with_it(tmp_path):
    folder = tmp_path / "%2Fhome%2Fmika" / "s1"
    folder.mkdir(parents=True)
    (folder / "chat_history.jsonl").write_bytes((SAMPLES / "grok/transcript.jsonl").read_bytes())
    assert described("grok", folder / "chat_history.jsonl") == ("s1", None, "/home/mika")
    (folder / "summary.json").write_bytes((SAMPLES / "grok/summary.json").read_bytes())
    assert described("grok", folder / "chat_history.jsonl") == ("s1", "Retry budget", "/home/mika/projects/orchard-api")
    wire = tmp_path / "hash" / "s2" / "agents" / "main" / "wire.jsonl"
    wire.parent.mkdir(parents=True)
    wire.write_bytes((SAMPLES / "kimi-code/transcript.jsonl").read_bytes())
    (wire.parents[2] / "state.json").write_bytes((SAMPLES / "kimi-code/state.json").read_bytes())
    assert described("kimi-code", wire) == ("s2", "Retry budget", "/home/mika/projects/orchard-api")
    (tmp_path / "s3.jsonl").write_bytes((SAMPLES / "droid/transcript.jsonl").read_bytes())
    (tmp_path / "s3.settings.json").write_bytes((SAMPLES / "droid/settings-sidecar.json").read_bytes())
    assert described("droid", tmp_path / "s3.jsonl") == ("s3", "Retry budget", "/home/mika/projects/orchard-api")
    (read,) = HARNESSES["droid"].sources[0].read(str(tmp_path / "s3.jsonl"))
    assert list(read)[0].session.model == "claude-opus-5"


def described(harness, path):
    (read,) = HARNESSES[harness].sources[0].read(str(path))
    info = list(read)[0].session
    return info.native_id, info.title, info.cwd


def database_of(path):
    return [(read.session, events(list(read))) for read in HARNESSES["crush"].sources[0].read(str(path))]


def test_database_of_crush_tells_the_story():
    ((info, told),) = database_of(SAMPLES / "crush/crush.db")
    assert (info.native_id, info.title) == (SESSIONS["crush"], "Retry budget")
    assert told == story("crush")[1]


def test_subagents_and_empty_sessions_in_the_database_of_crush(tmp_path):
    shutil.copy(SAMPLES / "crush/crush.db", tmp_path / "crush.db")
    with closing(sqlite3.connect(tmp_path / "crush.db")) as database:
        database.execute("INSERT INTO sessions (id, parent_session_id, created_at) VALUES ('sub', 'top', 9e9)")
        database.execute("INSERT INTO messages (id, session_id, role, parts) VALUES ('m', 'sub', 'user', x'ff5b')")
        database.commit()
    _, (info, told) = database_of(tmp_path / "crush.db")
    assert (info.native_id, info.parent_native_id) == ("top/sub", "top")
    assert [type(event) for event in told] == [Note]


def test_history_of_cline():
    (read,) = HARNESSES["cline"].sources[-1].read(str(SAMPLES / "cline/api_conversation_history.json"))
    context, prompt, call, reply = events(list(read))
    assert (context.name, "Current Working Directory" in context.text) == ("context", True)
    assert prompt.text == PROMPTS[0]
    assert (call.family, call.paths, call.output) == ("edit", ("src/client.py",), "Saved")
    assert call.diff == (
        "--- a/src/client.py\n+++ b/src/client.py\n@@ -1 +1,2 @@\n MAX_RETRIES = 3\n+RETRY_BUDGET_PER_MIN = 20\n"
    )
    assert reply.text.startswith("Added `RETRY_BUDGET_")


@pytest.mark.parametrize("content", [b"", b"{}", b"[1, {}, [", b'[null, 3, {"role": 7}]'])
def test_broken_history_of_cline_ends_nothing(content, tmp_path):
    path = tmp_path / "api_conversation_history.json"
    path.write_bytes(content)
    for read in HARNESSES["cline"].sources[-1].read(str(path)):
        assert all(isinstance(event, Note) for event in events(list(read)))


def test_qwen_records():
    def record(kind, uuid, **fields):
        head = {"uuid": uuid, "sessionId": "q", "type": kind, "cwd": "/w", "gitBranch": "b", "version": "0.9"}
        return json.dumps({**head, "timestamp": "2026-11-24T09:15:05Z", **fields}).encode()

    call = {"functionCall": {"id": "c1", "name": "run_shell_command", "args": {"command": "ls"}}}
    answer = {"functionResponse": {"id": "c1", "name": "run_shell_command", "response": {"output": "a.py"}}}
    failed = {"functionResponse": {"id": "c2", "name": "edit", "response": {"error": "no such file"}}}
    thought = {"text": "hm", "thought": True}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 3, "cachedContentTokenCount": 4, "thoughtsTokenCount": 2}
    read = read_transcript("qwen", [
        record("user", "1", message={"role": "user", "parts": [{"text": "list"}]}),
        record("assistant", "2", model="q3", message={"role": "model", "parts": [thought, call]}, usageMetadata=usage),
        record("tool_result", "3", message={"parts": [answer]}, toolCallResult={"callId": "c1", "status": "success"}),
        record("assistant", "4", message={"role": "model", "parts": [{"text": "one"}]}, usageMetadata=usage),
        record("tool_result", "5", message={"parts": [failed]}, toolCallResult={"callId": "c2", "status": "error"}),
        record("system", "6", subtype="chat_compression",
               systemPayload={"info": {"originalTokenCount": 9, "newTokenCount": 2}}),
        record("system", "7", subtype="ui_telemetry", systemPayload={}),
        record("user", "8", agentId="a1", message={"role": "user", "parts": [{"text": "look"}]}),
    ])  # fmt: skip
    batches = list(read)
    prompt, thinking, ls, reply, edit, compaction, task = events(batches)
    assert (prompt.text, thinking.text, reply.text, task.name) == ("list", "hm", "one", "task")
    assert (ls.call_id, ls.output, ls.ok, edit.ok, edit.output) == ("c1", "a.py", True, False, "no such file")
    assert (reply.model, reply.usage) == ("q3", Usage(12, 10, 8, 0))
    assert (compaction.tokens_before, compaction.tokens_after) == (9, 2)
    assert (read.session.native_id, read.session.branch) == ("q", "b")
    assert batches[-1].session.native_id == "q/a1"


GOOSE_MESSAGES = [
    ("user", [{"type": "text", "text": PROMPTS[0]}]),
    ("assistant", [
        {"type": "thinking", "thinking": "hm", "signature": "x"}, {"type": "text", "text": "Looking."},
        {"type": "toolRequest", "id": "call_1", "toolCall": {
            "status": "success", "value": {"name": "developer__shell", "arguments": {"command": "pytest -q"}}}},
    ]),
    ("user", [{"type": "toolResponse", "id": "call_1", "toolResult": {
        "status": "success", "value": {"content": [{"type": "text", "text": "1 failed"}], "isError": True}}}]),
    ("user", [{"type": "toolResponse", "id": "call_2", "toolResult": {"status": "error", "error": "no such tool"}}]),
    ("assistant", [{"type": "text", "text": "One test fails."}]),
]  # fmt: skip


def goose_told(read):
    told = events(list(read))
    assert [type(event) for event in told] == [Prompt, Thinking, Reply, ToolCall, ToolCall, Reply]
    _, _, _, shell, lost, reply = told
    assert (shell.call_id, shell.family, shell.output, shell.ok) == ("call_1", "shell", "1 failed", False)
    assert (lost.call_id, lost.output, lost.ok) == ("call_2", "no such tool", False)
    assert (reply.text, reply.occurred_at) == ("One test fails.", "2026-11-24T09:15:09.000+00:00")
    return read.session.native_id, read.session.title, read.session.cwd


def test_database_of_goose(tmp_path):
    with closing(sqlite3.connect(tmp_path / "sessions.db")) as database:
        database.execute("CREATE TABLE sessions (id TEXT, name TEXT, description TEXT, working_dir TEXT)")
        database.execute(
            "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, role, content_json, created_timestamp)"
        )
        database.execute("INSERT INTO sessions VALUES ('20261124_1', '', 'Retry budget', '/w')")
        for n, (role, said) in enumerate(GOOSE_MESSAGES):
            row = ("20261124_1", role, json.dumps(said), 1795511705 + n)
            database.execute(
                "INSERT INTO messages (session_id, role, content_json, created_timestamp) VALUES (?, ?, ?, ?)", row
            )
        database.commit()
    for read in HARNESSES["goose"].sources[0].read(str(tmp_path / "sessions.db")):
        assert goose_told(read) == ("20261124_1", "Retry budget", "/w")


def test_older_file_of_goose(tmp_path):
    lines = [{"working_dir": "/w", "description": "Retry budget", "message_count": 5}]
    lines += [
        {"role": role, "created": 1795511705 + n, "content": said} for n, (role, said) in enumerate(GOOSE_MESSAGES)
    ]
    (tmp_path / "20261124_1.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (read,) = HARNESSES["goose"].sources[1].read(str(tmp_path / "20261124_1.jsonl"))
    assert goose_told(read) == ("20261124_1", "Retry budget", "/w")
