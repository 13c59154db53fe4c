"""The endpoint by the protocol's own client: each tool, each scope, and what is said when something is wrong."""

from __future__ import annotations

import asyncio
import json

import httpx2
import pytest
from django.conf import settings
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from accounts.services.keys import create_key
from sessions_app.models import Event
from stash.mcp_server.tools import TOOLS
from stash.recall.indexer import Indexer
from tests.conftest import Person
from tests.recall.test_search import told
from tests.sessions_app.wire import prompt, reply

pytestmark = pytest.mark.django_db


def posted(person, message: dict | bytes, version: str = "2025-11-25"):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return person.api.generic(
        "POST", "/mcp", body, "application/json",
        HTTP_ACCEPT="application/json, text/event-stream", HTTP_MCP_PROTOCOL_VERSION=version,
    )  # fmt: skip


def asked(person, method: str, **params) -> dict:
    answer = posted(person, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    assert answer.status_code == 200, answer.content
    return json.loads(answer.content)


def called(person, name: str, **given) -> tuple[str, bool]:
    result = asked(person, "tools/call", name=name, arguments=given)["result"]
    (content,) = result["content"]
    return content["text"], bool(result.get("isError"))


def test_the_tools_are_flat_and_few(dana):
    told_of = asked(dana, "tools/list")["result"]["tools"]
    assert [one["name"] for one in told_of] == [one.name for one in TOOLS]
    for tool in told_of:
        assert tool["inputSchema"]["type"] == "object"
        assert len(tool["description"]) > 40
        for name, field in tool["inputSchema"]["properties"].items():
            assert set(field) == {"type", "description"}, name
            assert field["type"] in ("string", "integer", "boolean")


def test_search_read_brief_and_note(dana, shop):
    session = told(dana, prompt("Why does the till round up?"), reply("Float prices; use integer cents."))
    Indexer().run_out()
    text, failed = called(dana, "search", query="integer cents")
    assert not failed
    assert text.startswith("Why does the till round up?\nDana")
    assert f"/sessions/{session.pk}/" in text
    assert "- reply #2: Float prices; use integer cents." in text
    listing, failed = called(dana, "read", command="ls /projects")
    assert (listing, failed) == ("shop", False)
    wrong, failed = called(dana, "read", command="cat /nowhere")
    assert "[exit code 1]" in wrong
    assert not failed
    assert called(dana, "brief", project="shop")[0].startswith("<")
    said = f"Noted in {settings.URL}/t/harbour/sessions/{session.pk}/"
    for _ in range(2):
        assert called(dana, "note", project="shop", text="The clock was wrong.") == (said, False)
    (noted,) = Event.objects.filter(session=session, kind="note")
    assert noted.text == "The clock was wrong."


def test_nobody_reads_or_writes_more_by_tool_than_elsewhere(dana, ravi, shop):
    mine = told(dana, prompt("A private thought"), visibility="private")
    Indexer().run_out()
    assert "private thought" not in called(ravi, "search", query="private thought")[0]
    text, failed = called(ravi, "note", project="shop", session=str(mine.pk), text="hello")
    assert failed
    assert "nothing here that you can see" in text


def test_a_key_is_offered_what_it_may(dana):
    key, secret = create_key(actor=dana.actor, name="reads", scopes=["read"])
    reader = Person(dana.user, dana.membership, key, secret)
    assert [one["name"] for one in asked(reader, "tools/list")["result"]["tools"]] == ["search", "read", "brief"]
    text, failed = called(reader, "note", project="shop", text="no")
    assert failed
    assert "scope capture" in text


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("nothing", {}, "There is no tool 'nothing'. There are: search, read"),
        ("search", {}, "search needs query"),
        ("search", {"query": 3}, "query is to be of type string"),
        ("search", {"query": "a", "depth": 3}, "not depth"),
        ("brief", {"project": "\x00"}, "nothing here that you can see"),
        ("note", {"project": "shop", "text": " "}, "says nothing"),
        ("note", {"project": "shop", "text": "x", "session": "1; drop"}, "nothing here that you can see"),
    ],
)
def test_what_is_wrong_is_said_to_the_agent(dana, name, given, said):
    text, failed = called(dana, name, **given)
    assert failed
    assert said in text


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"jsonrpc": "2.0", "id": 1}', b"[" * 5000])
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28", "nonsense"])
def test_nonsense_is_refused_and_never_a_fault(dana, body, version):
    assert 400 <= posted(dana, body, version).status_code < 500


def test_only_posts_with_a_key(dana, client):
    assert dana.api.get("/mcp").status_code == 405
    assert client.post("/mcp", b"{}", "application/json").status_code == 401


@pytest.mark.django_db(transaction=True)
def test_its_own_client_speaks_with_it(dana, shop, live_server):
    """Whatever version the client of the SDK prefers today."""

    async def story() -> list[str]:
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {dana.secret}"})
        async with Client(streamable_http_client(f"{live_server.url}/mcp", http_client=http)) as client:
            names = [one.name for one in (await client.list_tools()).tools]
            answer = await client.call_tool("read", {"command": "ls /projects"})
            return [*names, *(getattr(part, "text", "") for part in answer.content)]

    assert asyncio.run(story()) == [*(one.name for one in TOOLS), "shop"]
