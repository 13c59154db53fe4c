"""Hermes's sessions: rows of its store, or the lines of ``hermes sessions export`` with all messages of one session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

from stash_client.events import JSON, Compaction, Subagent, Usage
from stash_client.harnesses import content
from stash_client.harnesses.base import UNKNOWN_SESSION, Harness, identifier
from stash_client.harnesses.content import moment, number, text_or
from stash_client.harnesses.handlers import pictures, verdict
from stash_client.harnesses.hermes.family import Family
from stash_client.harnesses.hermes.results import read_result
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Reader, over, plus

_SUMMARY = "[CONTEXT COMPACTION"
_QUIET = frozenset({"system", "session_meta", "developer"})


class HermesReader(Reader):
    def __init__(self, harness: Harness, native_id: Optional[str] = None) -> None:
        super().__init__(harness, native_id)
        self._family = Family()
        self._total = self._counted = Usage()
        self._last_reply = ""
        self._task = self._said = ""
        self._ended = False

    def record(self, record: Mapping[str, JSON]) -> None:
        if isinstance(record.get("messages"), list):
            self._exported(record)
        else:
            self.enter(self.current or self.given or UNKNOWN_SESSION)
            self._message(record)

    def finish(self) -> None:
        self._report()
        super().finish()

    # The session

    def _exported(self, session: Mapping[str, JSON]) -> None:
        self._report()
        native_id = identifier(session.get("id")) or self.given or UNKNOWN_SESSION
        self._family.add({**session, "id": native_id})
        messages = [fields_of(message) for message in _list(session["messages"])]
        spoken = (m for m in reversed(messages) if m.get("role") == "assistant" and m.get("content"))
        last = identifier(next(spoken, {}).get("id"))
        path = self.given if self.given and "/" in self.given else self._family.path(native_id)
        self.enter(path)
        self.begin(session, continues=self._family.continues(native_id), last=last)
        for message in messages:
            self._message(message)

    def begin(self, session: Mapping[str, JSON], *, continues: bool, last: str) -> None:
        """What the session's own row says. ``last``: the id of its last message with words, which gets the tokens no
        other message told."""
        self.enter(
            self.current or self.given or UNKNOWN_SESSION,
            model=text_or(session.get("model")),
            cwd=text_or(session.get("cwd")),
            branch=text_or(session.get("git_branch")),
            title=text_or(session.get("title")),
        )
        self._total, self._counted = _usage(session), Usage()
        self._last_reply, self._ended = last, session.get("ended_at") is not None
        self.at = moment(session.get("started_at"))
        if continues:
            self.key = "continued"
            self.emit(Compaction, trigger="auto")

    def _report(self) -> None:
        """In the session above: that this subagent was started, and what it reported once it is over."""
        if self.is_child and (self._task or self._said):
            parent, _, agent = self.current.rpartition("/")
            state = "finished" if self._ended else "started"
            said = self._said if self._ended else ""
            self.key = agent
            self.enter(parent, cwd=self.info.cwd)
            self.emit(Subagent, "agent", agent_id=agent, state=state, task=self._task, text=said)
        self._task = self._said = ""

    # Its messages

    def _message(self, message: Mapping[str, JSON]) -> None:
        number_ = message.get("id")
        self.n = number(number_) or self.n
        self.key = identifier(number_) or f"line {self.n}"
        self.at = moment(message.get("timestamp")) or self.at
        role = text_or(message.get("role"))
        if role == "user":
            self._user(message)
        elif role == "assistant":
            self._assistant(message)
        elif role == "tool":
            self._result(message)
        elif role in _QUIET:
            self.ignored[role] += 1
        else:
            self.unknown(role or "record", message)

    def _user(self, message: Mapping[str, JSON]) -> None:
        blocks = _blocks(message.get("content"))
        text = _words(blocks)
        if text.startswith(_SUMMARY):
            self.emit(Compaction, text=text)
            return
        self._task = self._task or text
        self.user_parts(blocks, pictures(blocks))

    def _assistant(self, message: Mapping[str, JSON]) -> None:
        thought = text_or(message.get("reasoning")) or text_or(message.get("reasoning_content"))
        self.thought(thought, "thinking")
        text = _words(_blocks(message.get("content")))
        if text.startswith(_SUMMARY):
            self.emit(Compaction, text=text)
        else:
            self._said = text or self._said
            self._count(message)
            self.reply(text, "text", model=self.info.model)
        for i, call in enumerate(_list(content.parse(message.get("tool_calls")))):
            self._call(i, fields_of(call))

    def _count(self, message: Mapping[str, JSON]) -> None:
        own = Usage(output=number(message.get("token_count")) or 0)
        self._counted = plus(self._counted, own)
        self.owe(own)
        if self.key == self._last_reply:
            self.owe(over(self._total, self._counted))

    def _call(self, i: int, call: Mapping[str, JSON]) -> None:
        function = fields_of(call.get("function"))
        call_id = identifier(call.get("id")) or f"{self.key}:{i}"
        self.start_call(
            call_id, text_or(function.get("name")) or "unknown", content.parse(function.get("arguments")), i
        )

    def _result(self, message: Mapping[str, JSON]) -> None:
        call_id, result = identifier(message.get("tool_call_id")), read_result(message.get("content"))
        if call_id not in self.calls:
            self.start_call(call_id, text_or(message.get("tool_name")) or "unknown", None, "call")
        failed = bool(fields_of(result).get("error"))
        code = content.exit_code_of(result)
        self.answered(call_id, result, "result", ok=not failed and verdict(result) is not False, exit_code=code)


def _blocks(value: JSON) -> Sequence[Mapping[str, JSON]]:
    """A text, or blocks written as text when there are pictures among them."""
    if isinstance(value, str) and value.startswith('[{"type"'):
        value = content.parse(value)
    return content.blocks_of(value)


def _words(blocks: Sequence[Mapping[str, JSON]]) -> str:
    return "\n".join(filter(None, (text_or(block.get("text")) for block in blocks)))


def _list(value: JSON) -> Sequence[JSON]:
    return value if isinstance(value, list) else ()


def _usage(session: Mapping[str, JSON]) -> Usage:
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    return Usage(*(number(session.get(name)) or 0 for name in names))
