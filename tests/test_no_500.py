"""Whatever is sent, the answer is never a fault of ours: bodies, headers, addresses and queries, made up at random."""

# ruff: noqa: E501, SIM905 - tables read better than columns
from __future__ import annotations

import gzip
import json
from urllib.parse import quote, urlencode
from uuid import uuid4

import pytest
from django.test import Client
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from accounts.models import Connection
from sessions_app.models import Event, Session
from stash_client.events import KINDS
from tests.sessions_app.wire import body, edit, event, prompt, reply

pytestmark = pytest.mark.django_db
quick = settings(
    max_examples=25,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)

NASTY = [
    "", " ", "\0", "a\0b", "\ud800", "\udc9f\ud83d", "\ufeff", "\ufeff\ufeffx", "é", "日本", "\x1b[31m", "\u202e", "%00",
    "%", "'", '"', "\\u0000", "../../..", "http://" + "@" * 3000, "a" * 5000, "-1", "1e999", "null", "NaN",
    "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-11-24T09:15:00", "2026-02-30T00:00:00Z",
    "00000000-0000-0000-0000-000000000000", "marker:\0\0\0\0\0\0\0\0", "local:x:y",
]  # fmt: skip
texts = st.sampled_from(NASTY) | st.text(max_size=20)
numbers = st.sampled_from([0, -1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 10**30, 10**300, 1.5, 1e308, -0.0])
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
_FIELDS = [
    "uid", "n", "occurred_at", "turn_id", "message_id", "text", "name", "family", "input", "output", "ok", "exit_code",
    "duration_ms", "call_id", "paths", "diff", "reason", "what", "command", "trigger", "tokens_before", "agent_id",
    "agent_type", "state", "task", "model", "usage", "attachments", "source", "briefing_id", "extra",
]  # fmt: skip
_TYPED = {
    "uid": texts, "n": numbers, "exit_code": numbers, "duration_ms": numbers, "tokens_before": numbers, "input": values,
    "ok": st.booleans(), "paths": st.lists(texts, max_size=3), "attachments": st.lists(texts, max_size=2),
    "extra": st.dictionaries(texts | st.just("unknown"), values, max_size=2),
    "usage": st.fixed_dictionaries({"input": numbers, "output": numbers}),
    "family": st.sampled_from(["edit", "shell", "read", "agent"]) | texts,
}  # fmt: skip
items = st.fixed_dictionaries(
    {"uid": st.uuids().map(str), "kind": st.sampled_from([*KINDS]) | texts},
    optional={name: _TYPED.get(name, texts) | values for name in _FIELDS if name != "uid"},
)
_SESSION = (
    "cwd checkout branch commit model machine parent_native_id agent_type title harness_version client_version"
).split()
sessions = st.fixed_dictionaries(
    {"harness": st.sampled_from(["claude-code", "codex", "cursor"]) | texts, "native_id": texts},
    optional={
        "project": st.fixed_dictionaries(
            {"identities": st.lists(texts | st.just("git.example.test/acme/shop"), max_size=3)},
            optional={"name": texts},
        ),
        "interactive": st.booleans() | values,
        "policy": st.dictionaries(st.sampled_from(["ignore", "prompts", "output", "x"]), values, max_size=2),
        **dict.fromkeys(_SESSION, texts),
    },
)
bodies = st.fixed_dictionaries(
    {"session": sessions, "events": st.lists(items, max_size=4)},
    optional={"sent_at": texts | values, "origin": texts | st.just("transcript"), "user": texts},
)


@pytest.fixture
def api(dana, shop) -> Client:
    """Dana's key; faults are answered, not raised. Everything may be captured, so that made-up projects get in too."""
    Connection.objects.create(membership=dana.membership, project=None, visibility="project", raw_hooks=True)
    Connection.objects.filter(project=shop).update(raw_hooks=True)
    return Client(raise_request_exception=False, HTTP_AUTHORIZATION=f"Bearer {dana.secret}")


def post(api: Client, path: str, data: bytes, **headers: str):
    answer = api.post(path, data, content_type="application/json", **headers)
    assert answer.status_code < 500, (path, data[:2000], answer.content[:500])
    return answer


@quick
@given(bodies)
@example({"session": {"harness": "x", "native_id": "\0" * 1_000_000}, "events": [], "user": "a\0b"})
@example({"session": {"harness": "x", "native_id": "u"}, "events": [prompt("x")], "user": "\ud800 b"})
@example(body(*(reply("y", usage={"input": 2**63 - 1, "output": -(2**70)}) for _ in range(3))))
@example(body(event("compaction", tokens_before=10**300), edit("\0", "\ud800"), event("subagent", agent_id="\0")))
def test_events_of_any_form(api, made):
    answer = post(api, "/api/v1/events", json.dumps(made).encode())
    if answer.status_code == 200:
        said = answer.json()
        counted = said["accepted"] + said["completed"] + said["duplicates"] + len(said["rejected"])
        assert counted == len(made["events"])


_WHOLE = json.dumps(body(prompt("hello"), edit("shop.py"))).encode()
_BROKEN = [
    b"", b"\xef\xbb\xbf", b"null", b"[]", b'"', b"{" * 100_000, b"[" * 100_000, b'{"a":' * 50_000, b"\xff\xfe\0", b"NaN",
    b'{"session":{"harness":"x","native_id":"a","native_id":2},"events":[]}',
    b'{"session":{"harness":"x","native_id":"a"},"events":[' + b"[" * 5000 + b"]" * 5000 + b"]}",
    b'{"session":{"harness":"x","native_id":"a"},"events":[{"kind":"note","uid":"u","extra":{"a":'
    + b"[" * 900 + b"]" * 900 + b"}}]}",
    b'{"session":{"harness":"x","native_id":"a"},"events":[{"kind":"note","uid":"u","n":' + b"9" * 5000 + b"}]}",
    b'{"session":{"harness":"x","native_id":"a"},"events":[{"kind":"note","uid":"u","extra":{"a":' + b"9" * 4000 + b"}}]}",
    b'{"session":{"harness":"x","native_id":"a"},"events":[{"kind":"note","uid":"u","extra":{"a":1e999}}]}',
]  # fmt: skip
_ENDPOINTS = [
    "/api/v1/events", "/api/v1/hooks/claude-code?event=Stop", "/api/v1/hooks/%00", "/api/v1/transcripts?harness=codex",
    "/api/v1/transcripts?harness=cursor", "/api/v1/transcripts?harness=%ff", "/api/v1/transcripts?harness=claude-code",
    "/api/v1/projects/connect", "/api/v1/me/keys", "/api/v1/machines", "/api/v1/briefings",
]  # fmt: skip


@quick
@given(
    path=st.sampled_from(_ENDPOINTS),
    data=st.sampled_from(_BROKEN) | st.binary(max_size=60) | values.map(lambda value: json.dumps(value).encode()),
    packed=st.sampled_from(["", "gzip", "cut", "twice", "zeros", "deflate", "GZIP"]),
    cut=st.integers(0, 80),
    project=st.sampled_from(["git.example.test/acme/shop", "", "é", "x\tb"]),
)
def test_bodies_of_any_bytes(api, path, data, packed, cut, project):
    headers = {"HTTP_X_STASH_PROJECT": project, "HTTP_IDEMPOTENCY_KEY": project}
    if packed:
        headers["HTTP_CONTENT_ENCODING"] = "gzip" if packed in ("cut", "twice", "zeros") else packed
        data = gzip.compress(b"0" * 1_000_000 if packed == "zeros" else data)
        data = data[:cut] if packed == "cut" else data + data if packed == "twice" else data
    post(api, path, data, **headers)


@pytest.mark.parametrize("path", _ENDPOINTS)
@pytest.mark.parametrize("data", _BROKEN, ids=range(len(_BROKEN)))
def test_broken_bodies(api, path, data):
    post(api, path, data, HTTP_X_STASH_PROJECT="git.example.test/acme/shop")


@quick
@given(cut=st.integers(0, len(_WHOLE)), place=st.integers(0, len(_WHOLE) - 1), byte=st.integers(0, 255))
def test_damaged_bodies(api, cut, place, byte):
    post(api, "/api/v1/events", _WHOLE[:cut])
    post(api, "/api/v1/events", _WHOLE[:place] + bytes([byte]) + _WHOLE[place + 1 :])
    packed = gzip.compress(_WHOLE, mtime=0)
    place %= len(packed)
    damaged = packed[:place] + bytes([byte]) + packed[place + 1 :]
    post(api, "/api/v1/events", damaged, HTTP_CONTENT_ENCODING="gzip")


@quick
@given(
    harness=st.sampled_from(["claude-code", "codex", "cursor", "gemini-cli"]),
    name=st.sampled_from(
        ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStop", "Notification",
         "afterShellExecution", "beforeSubmitPrompt", "afterFileEdit", "agent-turn-complete", "SessionEnd", "x"]
    ),
    fields=st.dictionaries(
        st.sampled_from(
            ["session_id", "conversation_id", "cwd", "prompt", "tool_name", "tool_input", "tool_response", "tool_output",
             "workspace_roots", "agent_id", "command", "edits", "attachments", "source", "reason", "transcript_path",
             "turn_id", "message", "thread-id", "generation_id", "model", "error", "type", "status", "tool_use_id"]
        )
        | texts,
        st.sampled_from(["Bash", "Edit", "Task", "apply_patch"]) | values,
        max_size=6,
    ),
)  # fmt: skip
def test_hooks_of_any_form(api, harness, name, fields):
    payload = json.dumps({"hook_event_name": name, **fields}).encode()
    post(api, f"/api/v1/hooks/{harness}?event={name}", payload, HTTP_X_STASH_PROJECT="git.example.test/acme/shop")


@quick
@given(
    harness=st.sampled_from(["claude-code", "codex", "cursor", "x", ""]),
    records=st.lists(
        st.dictionaries(
            st.sampled_from(
                ["type", "uuid", "parentUuid", "sessionId", "timestamp", "message", "payload", "role", "content", "cwd",
                 "isMeta", "toolUseResult", "gitBranch", "version", "agentId", "isSidechain", "summary", "origin"]
            ),
            st.sampled_from(["user", "assistant", "event_msg", "response_item", "session_meta", "tool_use"])
            | st.fixed_dictionaries(
                {"role": st.just("assistant") | values, "type": values, "content": st.lists(values, max_size=2) | texts},
                optional={"usage": st.fixed_dictionaries({"input_tokens": values}), "id": values, "call_id": values},
            )
            | values,
            max_size=6,
        )
        | values,
        max_size=5,
    ),
    header=st.sampled_from(["", "{}", "[]", "{", '{"native_id":"a"}', '{"native_id":"a\\u0000"}', '{"native_id":"\\ud800"}'])
    | sessions.map(lambda made: json.dumps(made).replace("\n", "")),
)  # fmt: skip
def test_transcripts_of_any_form(api, harness, records, header):
    data = b"\n".join(json.dumps(record).encode() for record in records)
    post(api, f"/api/v1/transcripts?harness={harness}", data, HTTP_STASH_SESSION=header)


_ADDRESSES = [
    "/api/v1/sessions", "/api/v1/sessions/{id}", "/api/v1/sessions/{id}/events", "/api/v1/sessions/{id}/events.jsonl",
    "/api/v1/sessions/{id}/transcript.md", "/api/v1/projects", "/api/v1/projects/{any}", "/api/v1/projects/{any}/members",
    "/api/v1/client-config", "/api/v1/brief", "/api/v1/team/patterns", "/api/v1/audit", "/api/v1/audit.csv", "/api/v1/audit.jsonl", "/api/v1/me", "/api/v1/me/keys", "/api/v1/sessions/{any}",
    "/api/v1/{any}", "/api/v1/sessions/{id}/{any}", "/api/{any}", "/api/v1/me/keys/{any}",
]  # fmt: skip
_PARAMETERS = ["cursor", "since", "until", "limit", "after", "kind", "q", "project", "by", "harness", "status", "actor",
               "action", "format", "page"]  # fmt: skip
queries = st.dictionaries(
    st.sampled_from(_PARAMETERS), texts | numbers.map(str) | st.sampled_from(["prompt,reply", "cD0x", "me"]), max_size=4
)


def a_session(api: Client) -> Session:
    """A new one: one that an earlier example deleted stays away."""
    told = body(prompt("hello"), edit("shop.py"), native_id=str(uuid4()))
    answer = api.post("/api/v1/events", told, content_type="application/json")
    return Session.objects.get(pk=answer.json()["session"])


def encoded(query: dict[str, str]) -> str:
    return urlencode({name: value.encode("utf-8", "surrogatepass") for name, value in query.items()})


@quick
@given(
    address=st.sampled_from(_ADDRESSES),
    method=st.sampled_from(["get", "head", "options", "put", "patch", "delete", "post", "trace"]),
    anything=texts,
    query=queries,
    accept=st.sampled_from(["*/*", "text/html", "application/xml", "text/markdown", "é", ""]),
    kind=st.sampled_from(
        ["application/json", "text/plain", "multipart/form-data", "x", "multipart/form-data; boundary=x"]
    ),
    data=st.binary(max_size=20) | values.map(lambda value: json.dumps(value).encode()),
)
def test_addresses_and_queries(api, dana, address, method, anything, query, accept, kind, data):
    known = a_session(api)
    place = quote(anything.encode("utf-8", "surrogatepass"), safe="")
    path = address.format(id=known.pk, any=place)
    answer = api.generic(
        method.upper(), f"{path}?{encoded(query)}", data, content_type=kind, HTTP_ACCEPT=accept, HTTP_X_ACTOR=accept
    )
    assert answer.status_code < 500, (method, path, query, accept, kind, data)


@quick
@given(
    change=st.dictionaries(
        st.sampled_from(["title", "visibility", "since", "user", "identities", "name", "all"]), values
    ),
    path=st.sampled_from(["", "/forget"]),
)
def test_changes_of_any_form(api, change, path):
    known = a_session(api)
    method = "PATCH" if not path else "POST"
    data = json.dumps(change).encode()
    answer = api.generic(method, f"/api/v1/sessions/{known.pk}{path}", data, content_type="application/json")
    assert answer.status_code < 500, (change, path)
    post(api, "/api/v1/projects/connect", data)


@quick
@given(given_=st.fixed_dictionaries({"command": values}, optional={"cwd": values, "x": values}) | values)
def test_command_lines_of_any_form(api, given_):
    post(api, "/api/v1/vfs", json.dumps(given_).encode())


@quick
@given(place=texts | st.lists(texts, max_size=5).map("/".join))
def test_places_of_any_name(dana, place):
    browser = Client(raise_request_exception=False)
    browser.force_login(dana.user, backend="django.contrib.auth.backends.ModelBackend")
    answer = browser.get(f"/t/harbour/files/{quote(place.encode('utf-8', 'surrogatepass'), safe='/')}")
    assert answer.status_code < 500, place


@quick
@given(made=bodies)
def test_what_was_stored_can_be_read(api, made):
    """Nothing that gets in makes a page, a download or the list fail afterwards."""
    made["session"]["native_id"] = "s-1"
    api.post("/api/v1/events", json.dumps(made).encode(), content_type="application/json")
    for pk in Session.objects.order_by("-created_at").values_list("pk", flat=True)[:2]:
        for path in ("", "/events", "/events.jsonl", "/transcript.md"):
            answer = api.get(f"/api/v1/sessions/{pk}{path}")
            assert answer.status_code == 200, (path, made)
            assert answer.getvalue() is not None
    assert api.get("/api/v1/sessions").status_code == 200
    told = post(api, "/api/v1/vfs", json.dumps({"command": "find /me | xargs stat; cat /me/*/*/*/*"}).encode())
    assert told.json()["truncated"] is False
    Event.objects.all().delete()
