"""``stash mcp``: agents are told of it and untold again, byte for byte; and what they start carries their messages."""

from __future__ import annotations

import asyncio
import json
import sys

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

SETTINGS = {
    "claude-code": (".claude.json", '{\n  "numStartups": 7,\n  "mcpServers": {"other": {"command": "x"}}\n}\n'),
    "cursor": (".cursor/mcp.json", '// mine\n{\n}\n'),
    "kimi-code": (".kimi-code/mcp.json", None),
    "droid": (".factory/mcp.json", ""),
    "kiro": (".kiro/settings/mcp.json", '{"mcpServers": {}}'),
}  # fmt: skip


@pytest.mark.parametrize("harness", SETTINGS)
def test_an_agent_is_told_and_untold_without_a_trace(laptop, harness):
    name, text = SETTINGS[harness]
    path = laptop.user_home / name
    if text is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    code, out, err = laptop.run("mcp", "install", harness, "--yes")
    assert (code, err) == (0, ""), out
    written = path.read_text()
    assert '"args": ["-m", "stash_client", "mcp"]' in " ".join(written.split()).replace("[ ", "[").replace(" ]", "]")
    assert laptop.run("mcp", "install", harness)[1] == "Nothing to change.\n"
    assert laptop.run("mcp", "uninstall", harness, "--yes")[0] == 0
    assert (path.read_text() if path.exists() else None) == text


def test_a_server_of_that_name_is_left_alone(laptop):
    path = laptop.user_home / ".claude.json"
    path.write_text('{"mcpServers": {"stash": {"command": "another"}}}')
    code, out, _ = laptop.run("mcp", "install", "claude-code", "--yes")
    assert code == 1
    assert "was left alone" in out
    assert "another" in path.read_text()


def test_others_are_told_by_hand(laptop):
    code, _, err = laptop.run("mcp", "install", "gemini-cli")
    assert code == 2
    assert "stash mcp show" in err
    shown = json.loads(laptop.run("--json", "mcp", "show")[1])
    assert shown["entry"]["mcpServers"]["stash"]["args"] == ["-m", "stash_client", "mcp"]


def _talk(laptop) -> list[str]:
    server = StdioServerParameters(command=sys.executable, args=["-m", "stash_client", "mcp"], env=laptop.environ)

    async def story() -> list[str]:
        async with Client(stdio_client(server)) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            answer = await client.call_tool("read", {"command": "ls /projects"})
            return [*names, *(getattr(part, "text", "") for part in answer.content)]

    return asyncio.run(story())


@pytest.mark.django_db(transaction=True)
def test_an_agent_that_starts_it_reads_the_memory(at_work, shop):
    assert _talk(at_work) == ["search", "read", "brief", "note", "shop"]


def test_trouble_is_an_answer_not_an_end(laptop):
    asked = b'{"jsonrpc":"2.0","id":7,"method":"tools/list"}\n{"jsonrpc":"2.0","method":"notifications/x"}\nnonsense\n'
    first, second = (json.loads(line) for line in laptop.run("mcp", payload=asked)[1].splitlines())
    assert first["id"] == 7
    assert "run: stash signin" in first["error"]["message"]
    assert second["error"]["code"] == -32700
