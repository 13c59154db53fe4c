"""Session files that keep messages: a role and blocks of text, thinking, tool calls and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

from stash_client.events import JSON, Usage
from stash_client.harnesses import content
from stash_client.harnesses.base import first, identifier
from stash_client.harnesses.content import number, text_or
from stash_client.harnesses.handlers import pictures
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Reader

ROLES = frozenset({"user", "human", "assistant", "model", "tool", "toolResult"})
_CALLS = frozenset({"tool_use", "toolCall", "tool_call"})
_RESULTS = frozenset({"tool_result", "toolResult"})
_THOUGHTS = frozenset({"thinking", "reasoning", "think"})
_COUNTS = (
    ("input", "input_tokens", "inputTokens"),
    ("output", "output_tokens", "outputTokens"),
    ("cacheRead", "cache_read_input_tokens", "cacheReadTokens"),
    ("cacheWrite", "cache_creation_input_tokens", "cacheCreationTokens"),
)
Block = tuple[int, Mapping[str, JSON]]


class MessageReader(Reader):
    """``marks_failures``: an unmarked result went well. ``ends_with_code``: outputs end with their exit code."""

    marks_failures = True
    ends_with_code = False

    def message(self, role: str, message: Mapping[str, JSON], message_id: Optional[str] = None) -> None:
        """The events of one message; ``message_id`` is one its hooks tell, too."""
        blocks = list(enumerate(content.blocks_of(message.get("content", message.get("parts")))))
        if role in ("user", "human"):
            self._from_user(blocks)
        elif role in ("tool", "toolResult"):
            self._from_tool(blocks, message)
        else:
            self._from_model(blocks, message, message_id)

    def _from_tool(self, blocks: Sequence[Block], message: Mapping[str, JSON]) -> None:
        """One result is the whole message, unless its blocks say that they are results."""
        if any(text_or(block.get("type")) in _RESULTS for _, block in blocks):
            self._from_user(blocks)
        else:
            self.result({**message, "content": message.get("content", message.get("parts"))}, 0)

    def _from_user(self, blocks: Sequence[Block]) -> None:
        said = []
        for i, block in blocks:
            if text_or(block.get("type")) in _RESULTS:
                self.result(block, i)
            else:
                said.append(block)
        self.user_parts(said, pictures(said))

    def _from_model(self, blocks: Sequence[Block], message: Mapping[str, JSON], message_id: Optional[str]) -> None:
        model = text_or(message.get("model"))
        self.enter(self.current, model=model)
        self.owe(usage_of(fields_of(message.get("usage"))))
        for i, block in blocks:
            self.block(i, block, message_id)

    def block(self, i: int, block: Mapping[str, JSON], message_id: Optional[str]) -> None:
        kind, text = text_or(block.get("type"), "text"), text_or(block.get("text"))
        if kind in _CALLS:
            given = block.get("arguments", first(block, "input"))
            self.called(identifier(block.get("id") or first(block, "call")), text_or(block.get("name")), given, i)
        elif kind in _RESULTS:
            self.result(block, i)
        elif kind in _THOUGHTS:
            self.thought(
                text_or(block.get("thinking")) or text_or(block.get("think")) or text, i, message_id=message_id
            )
        elif kind == "text":
            self.reply(text, i, model=self.info.model, message_id=message_id)
        else:
            self.unknown(kind, block, i)

    def called(self, call_id: str, name: str, given: JSON, block: object = 0) -> None:
        """A call whose result is still to come; ``given`` may be an object or the JSON of one."""
        parsed = content.parse(given)
        value = parsed if isinstance(parsed, Mapping) else given
        self.start_call(call_id or f"{self.key}:{block}", name or "unknown", value, block)

    def result(self, block: Mapping[str, JSON], i: object) -> None:
        call_id = identifier(first(block, "call"))
        failed = block.get("is_error") is True or block.get("isError") is True
        result, code = block.get("content"), content.exit_code_of(block.get("content"))
        if self.ends_with_code and code is None:
            result, code = content.exit_line(content.output_of(result) or "")
        ok = False if failed or code else True if self.marks_failures or code == 0 else None
        self.answered(call_id, result, i, ok=ok, exit_code=code)


def usage_of(fields: Mapping[str, JSON]) -> Usage:
    """Token counts under any of the usual names."""
    return Usage(*(next((n for n in (number(fields.get(key)) for key in keys) if n), 0) for keys in _COUNTS))
