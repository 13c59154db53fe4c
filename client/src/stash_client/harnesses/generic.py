"""Any harness nobody described: the names of events and fields that agents have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stash_client.events import JSON
from stash_client.harnesses import content
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import UNKNOWN_SESSION, Batches, Handler, Harness, Hook, first, identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.messages import ROLES, MessageReader
from stash_client.harnesses.tools import fields_of

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


class GenericReader(MessageReader):
    """Lines with a role and content, under ``message`` or at the top; what has no role is kept as a note."""

    def record(self, record: Mapping[str, JSON]) -> None:
        message = fields_of(record.get("message")) or fields_of(record.get("payload")) or record
        self.at = content.moment(record.get("timestamp") or record.get("created_at"))
        self.key = identifier(record.get("uuid") or record.get("id")) or f"line {self.n}"
        known = self.main or identifier(first(record, "session"))
        self.enter(self.given or known or UNKNOWN_SESSION, cwd=text_or(record.get("cwd")))
        role = text_or(message.get("role"))
        if role in ROLES:
            self.message(role, message)
        else:
            self.unknown(text_or(record.get("type")) or role or "record", record)


def generic(name: str) -> Harness:
    """A harness known by its name alone; nobody promised that it says when a session ends."""
    return Harness(name=name, label=name, events={}, fallback=by_name, reader=GenericReader, ends=False)
