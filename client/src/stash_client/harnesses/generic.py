"""Any harness nobody described: the names of events and fields that agents have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Optional

from stash_client.events import JSON, Note, Prompt, Reply, Thinking
from stash_client.harnesses import content, machine_text
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import UNKNOWN_SESSION, Batches, Handler, Harness, Hook, first, identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.handlers import pictures
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Reader

_MEANINGS: Mapping[str, Handler] = {
    **dict.fromkeys(("sessionstart", "onsessionstart", "agentspawn", "taskstart", "taskresume"), h.session_start),
    **dict.fromkeys(("sessionend", "onsessionfinalize", "taskcomplete", "taskcancel"), h.session_end),
    **dict.fromkeys(("userpromptsubmit", "userpromptsubmitted", "beforesubmitprompt", "beforeagent"), h.prompt),
    **dict.fromkeys(("pretooluse", "beforetool", "pretoolcall", "beforetoolcall"), h.tool_starts),
    **dict.fromkeys(("posttooluse", "aftertool", "posttoolcall", "aftertoolcall"), h.tool_done),
    **dict.fromkeys(("posttoolusefailure",), h.tool_failed),
    **dict.fromkeys(("stop", "afteragent", "agentstop", "turnend", "agentend"), h.turn_end),
    **dict.fromkeys(("stopfailure", "erroroccurred"), h.turn_failed),
    **dict.fromkeys(("interrupt",), h.interrupted),
    **dict.fromkeys(("permissionrequest",), h.permission),
    **dict.fromkeys(("notification",), h.notification),
    **dict.fromkeys(("precompact", "precompress", "beforecompaction"), h.compacting),
    **dict.fromkeys(("postcompact", "postcompaction", "sessioncompacted", "aftercompaction"), h.compacted),
    **dict.fromkeys(("subagentstart", "subagentspawned"), h.subagent_starts),
    **dict.fromkeys(("subagentstop", "subagentended"), h.subagent_stops),
}
_NO_LETTER = re.compile(r"[^a-z]")


def by_name(hook: Hook) -> Batches:
    """The handler for an event by its bare letters, so that PreToolUse, preToolUse and pre_tool_use are one."""
    return _MEANINGS.get(_NO_LETTER.sub("", hook.event.lower()), h.note)(hook)


class GenericReader(Reader):
    """Lines with a role and content, under ``message`` or at the top; what has no role is kept as a note."""

    def record(self, record: Mapping[str, JSON]) -> None:
        message = fields_of(record.get("message")) or fields_of(record.get("payload")) or record
        self.at = text_or(record.get("timestamp") or record.get("created_at"))
        self.key = identifier(record.get("uuid") or record.get("id")) or f"line {self.n}"
        known = self.given or next(iter(self.sessions), "") or identifier(first(record, "session"))
        self.enter(known or UNKNOWN_SESSION, cwd=text_or(record.get("cwd")), model=text_or(message.get("model")))
        role = text_or(message.get("role"))
        if role not in ("user", "assistant", "tool", "human", "model"):
            self.unknown(text_or(record.get("type")) or role or "record", record)
            return
        for i, block in enumerate(content.blocks_of(message.get("content", message.get("parts")))):
            self._block("user" if role == "human" else role, i, block, message)

    def _block(self, role: str, i: int, block: Mapping[str, JSON], message: Mapping[str, JSON]) -> None:
        kind = text_or(block.get("type"), "text")
        text = text_or(block.get("text"))
        if kind in ("tool_use", "toolCall", "tool_call"):
            call_id = identifier(block.get("id") or first(block, "call")) or f"{self.key}:{i}"
            name = text_or(block.get("name")) or "unknown"
            self.start_call(call_id, name, block.get("arguments", first(block, "input")), i)
        elif kind in ("tool_result", "toolResult") or role == "tool":
            call_id = identifier(first(block, "call") or first(message, "call"))
            self.answered(call_id, block.get("content", text), i, ok=not block.get("is_error"))
        elif kind in ("thinking", "reasoning"):
            self.emit(Thinking, i, text=text_or(block.get("thinking")) or text)
        elif role == "user":
            self._user(i, text, pictures((block,)))
        elif text.strip():
            self.emit(Reply, i, text=text, model=self.info.model)

    def _user(self, i: int, text: str, attached: tuple[str, ...]) -> None:
        machine: Optional[str] = machine_text.machine_name(text)
        if machine or self.is_child:
            self.emit(Note, i, name=machine or "task", text=text)
        elif text.strip() or attached:
            self.emit(Prompt, i, text=text, attachments=attached)


def generic(name: str) -> Harness:
    """A harness known by its name alone; nobody promised that it says when a session ends."""
    return Harness(name=name, label=name, events={}, fallback=by_name, reader=GenericReader, ends=False)
