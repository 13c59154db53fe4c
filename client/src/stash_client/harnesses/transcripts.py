"""Reading a session's file line by line into batches, with bounded memory and without ever giving up on a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Optional, Union

from stash_client import ids
from stash_client.events import (
    JSON,
    Batch,
    Event,
    Note,
    Prompt,
    Reply,
    SessionInfo,
    Thinking,
    ToolCall,
    Usage,
)
from stash_client.harnesses import content, diffs, machine_text, tools
from stash_client.harnesses.base import UNKNOWN_SESSION, Harness, Made, findable, identifier
from stash_client.harnesses.handlers import MAX_NOTE, tool_family
from stash_client.harnesses.reading import Empty, Unreadable, decode

BATCH = 200
Line = Union[bytes, Mapping[str, JSON]]
"""A line of a file, or a record that another store holds as such."""
MAX_OPEN_CALLS = 500
MAX_LISTED = 20


class Transcript:
    """Batches of one file, made while they are asked for; iterate once.

    ``skipped``: reason to number of lines nothing could be made of; ``broken``: the first of them, as (line, reason).
    ``ignored``: record types left out on purpose. ``bytes_read``: of the file so far.
    ``session``: what is known of the file's session so far. ``limit``: events per batch at most.
    """

    def __init__(self, reader: Reader, lines: Iterable[Line], limit: int = BATCH) -> None:
        self._reader, self._lines, self._limit = reader, lines, limit
        self.bytes_read = 0

    @property
    def skipped(self) -> Counter[str]:
        return self._reader.skipped

    @property
    def broken(self) -> Sequence[tuple[int, str]]:
        return self._reader.broken

    @property
    def ignored(self) -> Counter[str]:
        return self._reader.ignored

    @property
    def session(self) -> SessionInfo:
        return self._reader.session

    def peek(self, records: int) -> SessionInfo:
        """The session as the first records tell it, up to where they name its folder. Not to be iterated afterwards."""
        for n, line in enumerate(islice(self._lines, records), 1):
            self._reader.line(n, line)
            self._reader.take()
            if self.session.cwd:
                break
        return self.session

    def __iter__(self) -> Iterator[Batch]:
        told: dict[str, SessionInfo] = {}
        waiting: list[Event] = []
        owner = ""
        for native_id, event in self._events():
            if waiting and (native_id != owner or len(waiting) >= self._limit):
                yield self._batch(owner, waiting, told)
                waiting = []
            owner = native_id
            waiting.append(event)
        if waiting:
            yield self._batch(owner, waiting, told)
        for native_id, info in self._reader.sessions.items():
            if native_id in told and told[native_id] != info:
                yield Batch(info)

    def _events(self) -> Iterator[tuple[str, Event]]:
        for n, line in enumerate(self._lines, 1):
            self.bytes_read += _size(line)
            self._reader.line(n, line)
            yield from self._reader.take()
        for _ in self._reader.held():
            yield from self._reader.take()
        self._reader.finish()
        yield from self._reader.take()

    def _batch(self, native_id: str, events: Sequence[Event], told: dict[str, SessionInfo]) -> Batch:
        told[native_id] = self._reader.sessions[native_id]
        return Batch(told[native_id], tuple(events))  # type: ignore[arg-type]


def _size(line: Line) -> int:
    """Bytes; of a record roughly, by its texts."""
    return len(line) if isinstance(line, bytes) else sum(len(item) for item in line.values() if isinstance(item, str))


@dataclass
class Call:
    """A tool call whose result has not been read yet."""

    native_id: str
    name: str
    input: JSON
    key: str
    at: str
    n: int
    turn: Optional[str]
    message: Optional[str] = None


class Reader:
    """What all transcript readers share. A harness's reader says what a record means (``record``)."""

    def __init__(self, harness: Harness, native_id: Optional[str] = None) -> None:
        self.harness = harness
        self.given = identifier(native_id) or None
        self.sessions: dict[str, SessionInfo] = {}
        self.skipped: Counter[str] = Counter()
        self.broken: list[tuple[int, str]] = []
        self.ignored: Counter[str] = Counter()
        self.calls: dict[str, Call] = {}
        self.owed: dict[str, Usage] = {}
        self.turns: dict[str, Optional[str]] = {}
        self.n = 0
        self.raw: Optional[bytes] = None
        self.at = ""
        self.key = ""
        self.current = ""
        self._out: list[tuple[str, Event]] = []

    @property
    def session(self) -> SessionInfo:
        """The file's own session: the first one a record named."""
        named = next((name for name in self.sessions if name != UNKNOWN_SESSION), self.given or UNKNOWN_SESSION)
        return self.sessions.get(named) or SessionInfo(self.harness.name, named)

    @property
    def main(self) -> str:
        """The id of the file's own session or of the parent of its subagent; "" while no record named it."""
        named = self.given or next((name for name in self.sessions if name != UNKNOWN_SESSION), "")
        return named.partition("/")[0]

    def line(self, n: int, raw: Line) -> None:
        try:
            record = decode(raw) if isinstance(raw, bytes) else raw
        except Empty:
            return None
        except Unreadable:
            return self._skip(n, "not JSON")
        if not isinstance(record, Mapping):
            return self._skip(n, "not an object")
        self.n = n
        self.key = f"line {n}"
        self.raw = raw if isinstance(raw, bytes) else None
        return self.record(record)

    def _skip(self, n: int, reason: str) -> None:
        self.skipped[reason] += 1
        if len(self.broken) < MAX_LISTED:
            self.broken.append((n, reason))

    def record(self, record: Mapping[str, JSON]) -> None:
        raise NotImplementedError

    def held(self) -> Iterator[None]:
        """At the end of the file: tell what was kept back until then, some with each step."""
        return iter(())

    def finish(self) -> None:
        """The end of the file: calls without a result are told as they are."""
        for call_id in list(self.calls):
            self.unanswered(call_id)

    def take(self) -> Sequence[tuple[str, Event]]:
        out, self._out = self._out, []
        return out

    def enter(self, native_id: str, **known: Any) -> None:
        """Make this the session of the record at hand and note what is known of it."""
        parent = native_id.rpartition("/")[0] or None
        info = self.sessions.get(native_id) or SessionInfo(self.harness.name, native_id, parent_native_id=parent)
        fresh = {name: value for name, value in known.items() if value and value != getattr(info, name)}
        if info.cwd:
            fresh.pop("cwd", None)
        self.sessions[native_id] = replace(info, **fresh) if fresh else info
        self.current = native_id

    @property
    def is_child(self) -> bool:
        return "/" in self.current

    @property
    def info(self) -> SessionInfo:
        return self.sessions[self.current]

    def make(self, cls: type[Made], block: object = 0, **fields: Any) -> Made:
        """An event of the record at hand; ``block`` tells several of one record apart."""
        fields.setdefault("turn_id", self.turns.get(self.current))
        uid = ids.import_uid(self.harness.name, self.current, f"{self.key}:{block}")
        return cls(uid=uid, n=self.n, occurred_at=self.at, **fields)

    def emit(self, cls: type[Made], block: object = 0, **fields: Any) -> None:
        self.put(self.current, self.make(cls, block, **fields))

    def put(self, native_id: str, event: Event) -> None:
        self._out.append((native_id, event))

    def owe(self, usage: Usage) -> None:
        """Tokens of an answer that may have no words: the session's next reply carries them."""
        if usage != Usage():
            self.owed[self.current] = plus(self.owed.get(self.current, Usage()), usage)

    def reply(self, text: str, block: object = 0, **fields: Any) -> None:
        if text.strip():
            self.emit(Reply, block, text=text, usage=self.owed.pop(self.current, None), **fields)

    def thought(self, text: str, block: object = 0, **fields: Any) -> None:
        if text.strip():
            self.emit(Thinking, block, text=text, **fields)

    def user_said(self, text: str, block: object = 0, attached: Sequence[str] = (), **fields: Any) -> None:
        """Text of a user record: a prompt if a person typed it, else a note that names the maker."""
        machine = machine_text.machine_name(text)
        if machine or (self.is_child and text.strip()):
            self.emit(Note, block, name=machine or "task", text=text)
        elif (text.strip() or attached) and not self.is_child:
            self.emit(Prompt, block, text=text, attachments=tuple(attached), **fields)

    def user_parts(self, blocks: Sequence[Mapping[str, JSON]], attached: Sequence[str], **fields: Any) -> None:
        """The parts of one user record: what machines wrote part by part, what the person typed as one prompt."""
        typed = []
        for i, block in enumerate(blocks):
            text = content.text_or(block.get("text"))
            if machine_text.machine_name(text):
                self.user_said(text, i)
            elif text.strip():
                typed.append(text)
        self.user_said("\n".join(typed), "prompt", attached, **fields)

    def unknown(self, name: str, fields: Mapping[str, JSON], block: object = 0) -> None:
        """A record or block nobody described: kept with its fields as text, and whole where small."""
        extra = {key: value for key, value in fields.items() if key != "type" and content.small(value)}
        self.emit(Note, block, name=name, text=findable(fields)[:MAX_NOTE], extra=extra)

    def start_call(
        self, call_id: str, name: str, tool_input: JSON, block: object, message: Optional[str] = None
    ) -> None:
        if len(self.calls) >= MAX_OPEN_CALLS:
            self.unanswered(next(iter(self.calls)))
        key = f"{self.key}:{block}"
        turn = self.turns.get(self.current)
        self.calls[call_id] = Call(self.current, name, tool_input, key, self.at, self.n, turn, message)

    def unanswered(self, call_id: str) -> None:
        call = self.calls.pop(call_id)
        uid = ids.import_uid(self.harness.name, call.native_id, call.key)
        event = self.tool_call(call, call_id, None, uid=uid, n=call.n, occurred_at=call.at)
        self.put(call.native_id, event)

    def answered(self, call_id: str, result: JSON, block: object, **fields: Any) -> Optional[Call]:
        """A result: the call becomes an event now. Returns the call, None where its start was not read."""
        call = self.calls.pop(call_id, None)
        known = call or Call(self.current, "unknown", None, "", "", 0, self.turns.get(self.current))
        uid = ids.import_uid(self.harness.name, known.native_id, f"{self.key}:{block}")
        event = self.tool_call(known, call_id, result, uid=uid, n=self.n, occurred_at=self.at, **fields)
        self.put(known.native_id, event)
        return call

    def tool_call(self, call: Call, call_id: Optional[str], result: JSON, **fields: Any) -> ToolCall:
        family = tool_family(self.harness.family(call.name), call.input)
        info = self.sessions[call.native_id]
        changed = family == "edit" and fields.get("ok") is not False
        return ToolCall(
            turn_id=call.turn,
            message_id=call.message,
            name=call.name,
            family=family,
            input=call.input,
            call_id=call_id,
            paths=tools.paths_of(call.name, family, call.input),
            output=content.output_of(result),
            diff=diffs.diff_of(call.input, result, info.cwd) if changed else None,
            **fields,
        )


def over(total: Usage, counted: Usage) -> Usage:
    """What a total holds beyond what was counted already."""
    return Usage(
        max(total.input - counted.input, 0),
        max(total.output - counted.output, 0),
        max(total.cache_read - counted.cache_read, 0),
        max(total.cache_write - counted.cache_write, 0),
    )


def plus(one: Usage, other: Usage) -> Usage:
    return Usage(
        one.input + other.input,
        one.output + other.output,
        one.cache_read + other.cache_read,
        one.cache_write + other.cache_write,
    )
