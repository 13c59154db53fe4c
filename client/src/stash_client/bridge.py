"""The Model Context Protocol for agents that start a program: lines on stdin go to the server, its answers to stdout.

The server speaks the protocol itself (``/mcp``); this only carries messages, with the key of this machine's account, so
that no agent's settings hold one. A message is a JSON-RPC 2.0 object in one line
(https://modelcontextprotocol.io/specification, transports: stdio).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Optional

from stash_client.api.client import Stash
from stash_client.api.errors import NoAccount, Refused, Unreachable
from stash_client.api.http import Answer, Request

_PARSE_ERROR, _TROUBLE = -32700, -32000
_VERSION = "io.modelcontextprotocol/protocolVersion"


class Bridge:
    """``agreed``: the version that the first answer settled, in the older generation of the protocol."""

    def __init__(self) -> None:
        self._stash: Optional[Stash] = None
        self.agreed = ""

    def answers(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """An answer, in one line, for each request; none for what asks for none."""
        for line in lines:
            if line.strip() and (answer := self._answer(line)) is not None:
                yield json.dumps(answer, separators=(",", ":")).encode() + b"\n"

    def _answer(self, line: bytes) -> Optional[dict[str, Any]]:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return _error(None, _PARSE_ERROR, "This line is not JSON.")
        number = message.get("id") if isinstance(message, dict) else None
        try:
            return self._sent(message).object() or None
        except NoAccount as missing:
            trouble = f"Stash: {missing}"
        except Unreachable as away:
            trouble = f"Stash cannot be reached: {away}"
        except Refused as refused:
            if isinstance(refused.problem.get("jsonrpc"), str):
                return refused.problem
            trouble = f"Stash: {refused}"
        return None if number is None else _error(number, _TROUBLE, trouble)

    def _sent(self, message: Any) -> Answer:
        if self._stash is None:
            self._stash = Stash()
        headers = {**self._stash.headers(), "Content-Type": "application/json", **_told(message, self.agreed)}
        body = json.dumps(message).encode()
        answer = self._stash.send(Request("POST", f"{self._stash.url}/mcp", headers, body))
        if isinstance(message, dict) and message.get("method") == "initialize":
            result = answer.object().get("result")
            self.agreed = str(result.get("protocolVersion") or "") if isinstance(result, dict) else ""
        return answer


def _told(message: Any, agreed: str) -> dict[str, str]:
    """What the message says of itself, as the headers that the transport over HTTP wants."""
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    version = meta.get(_VERSION) if isinstance(meta, dict) else None
    if not isinstance(version, str):
        return {"MCP-Protocol-Version": agreed} if agreed else {}
    told = {"MCP-Protocol-Version": version, "Mcp-Method": str(message.get("method"))}
    name = params.get("name") if isinstance(params, dict) else None
    return {**told, "Mcp-Name": name} if isinstance(name, str) else told


def _error(number: Any, code: int, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}
