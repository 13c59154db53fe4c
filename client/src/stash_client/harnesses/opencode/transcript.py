"""OpenCode's sessions: messages with their parts, or logs in which each of them may come many times.

In logs of bus events (``{type, properties}``) and of rows (``{table, row}``) the last state of a session, message and
part counts, in the place of the first; nothing is told before the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Optional

from stash_client.events import JSON, Compaction, Note, Subagent, TurnEnd
from stash_client.harnesses import content
from stash_client.harnesses.base import UNKNOWN_SESSION, Harness, identifier
from stash_client.harnesses.content import moment, number, text_or
from stash_client.harnesses.opencode.parts import (
    ABORTED,
    agent_type_of,
    attachment_of,
    error_text,
    is_said,
    read_result,
    title_of,
    usage_of,
)
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Reader
from stash_client.harnesses.upserts import Upserts

_QUIET = frozenset({"step-start", "step-finish", "snapshot", "patch", "retry", "agent", "file"})
_ENDED = frozenset({"completed", "error"})
_MOST_SESSIONS = 10_000


class OpenCodeReader(Reader):
    def __init__(self, harness: Harness, native_id: Optional[str] = None) -> None:
        super().__init__(harness, native_id)
        self._parents: dict[str, str] = {}
        self._messages: dict[str, Upserts] = {}
        self._parts: dict[str, Upserts] = {}
        self._compacting: Optional[str] = None

    def record(self, record: Mapping[str, JSON]) -> None:
        if "info" in record and isinstance(record.get("parts"), list):
            self._message(fields_of(record["info"]), [fields_of(part) for part in record["parts"]])
        elif isinstance(record.get("session"), Mapping):
            self._session(fields_of(record["session"]))
        elif isinstance(record.get("properties"), Mapping):
            self._happened(text_or(record.get("type")), fields_of(record["properties"]))
        elif isinstance(record.get("row"), Mapping):
            self._row(text_or(record.get("table")), fields_of(record["row"]))
        else:
            self.enter(self._path(""))
            self.unknown(text_or(record.get("type")) or "record", record)

    # Sessions

    def _session(self, session: Mapping[str, JSON]) -> None:
        native_id = identifier(session.get("id"))
        parent = identifier(session.get("parentID", session.get("parent_id")))
        if parent and parent != native_id and len(self._parents) < _MOST_SESSIONS:
            self._parents[native_id] = parent
        self.session_is(native_id, session)

    def session_is(self, native_id: str, session: Mapping[str, JSON]) -> None:
        self.enter(
            self._path(native_id),
            cwd=text_or(session.get("directory")),
            title=title_of(session),
            harness_version=text_or(session.get("version")),
            agent_type=agent_type_of(session),
        )

    def _path(self, native_id: str) -> str:
        """The id with those of the sessions above it."""
        if not native_id or (self.given and self.given.rpartition("/")[2] == native_id):
            return self.given or self.current or UNKNOWN_SESSION
        names = [native_id]
        while names[0] in self._parents and self._parents[names[0]] not in names:
            names.insert(0, self._parents[names[0]])
        return "/".join(names)

    # Logs

    def _happened(self, kind: str, properties: Mapping[str, JSON]) -> None:
        info, part = fields_of(properties.get("info")), fields_of(properties.get("part"))
        if kind in ("session.created", "session.updated"):
            self._session(info)
        elif kind == "message.updated":
            self._keep_message(info)
        elif kind == "message.part.updated":
            self._keep_part(part)
        elif kind == "message.removed":
            self._messages.get(identifier(properties.get("sessionID")), Upserts()).drop(_id(properties, "messageID"))
        elif kind == "message.part.removed":
            self._parts.get(_id(properties, "messageID"), Upserts()).drop(_id(properties, "partID"))
        else:
            self.ignored[kind] += 1

    def _row(self, table: str, row: Mapping[str, JSON]) -> None:
        data = fields_of(content.parse(row.get("data")))
        ids = {"id": row.get("id"), "sessionID": row.get("session_id"), "messageID": row.get("message_id")}
        if table == "session":
            self._session(row)
        elif table == "message":
            self._keep_message({**data, **ids})
        elif table == "part":
            self._keep_part({**data, "created": row.get("time_created"), **ids})
        else:
            self.ignored[table] += 1

    def _keep_message(self, message: Mapping[str, JSON]) -> None:
        of_session = self._messages.setdefault(_id(message, "sessionID"), Upserts())
        of_session.put(identifier(message.get("id")) or f"line {self.n}", self.n, message)

    def _keep_part(self, part: Mapping[str, JSON]) -> None:
        of_message = self._parts.setdefault(_id(part, "messageID"), Upserts())
        of_message.put(identifier(part.get("id")) or f"line {self.n}", self.n, part)

    def held(self) -> Iterator[None]:
        for session in list(self._messages):
            self.enter(self._path(session))
            for key, n, message in self._messages.pop(session).drain():
                parts = [part for _, _, part in self._parts.pop(key, Upserts()).drain()]
                self.n = n
                self._message(message, parts)
                yield
        if self._parts:
            self.skipped["part without a message"] += len(self._parts)

    # Messages

    def _message(self, message: Mapping[str, JSON], parts: Sequence[Mapping[str, JSON]]) -> None:
        self.enter(self._path(_id(message, "sessionID")))
        self.key = identifier(message.get("id")) or f"line {self.n}"
        self.at = moment(fields_of(message.get("time")).get("created")) or moment(message.get("created")) or self.at
        if message.get("role") == "user":
            self._user(parts)
        elif message.get("role") == "assistant":
            self._assistant(message, parts)
        else:
            self.unknown(text_or(message.get("role")) or "message", message)

    def _user(self, parts: Sequence[Mapping[str, JSON]]) -> None:
        self.turns[self.current] = self.key
        compaction = next((part for part in parts if part.get("type") == "compaction"), None)
        if compaction is not None:
            self._compacting = "auto" if compaction.get("auto") else "manual"
        said = [part for part in parts if is_said(part)]
        self.ignored["synthetic"] += sum(1 for part in parts if part.get("type") == "text") - len(said)
        attached = tuple(filter(None, map(attachment_of, parts)))
        self.user_parts(said, attached, message_id=self.key)
        for part in parts:
            if part.get("type") == "subtask" and text_or(part.get("prompt")):
                self.emit(Note, identifier(part.get("id")), name="subtask", text=text_or(part.get("prompt")))

    def _assistant(self, message: Mapping[str, JSON], parts: Sequence[Mapping[str, JSON]]) -> None:
        message_id, model = self.key, text_or(message.get("modelID"))
        self.turns[self.current] = identifier(message.get("parentID")) or self.turns.get(self.current)
        self.enter(self.current, cwd=text_or(fields_of(message.get("path")).get("cwd")), model=model)
        if message.get("summary"):
            self._compacted(parts)
            return
        self.owe(usage_of(message.get("tokens")))
        for part in parts:
            self._part(part, message_id, model or None)
        self.key = message_id
        error = message.get("error")
        if error:
            reason = "interrupted" if fields_of(error).get("name") == ABORTED else "error"
            self.emit(TurnEnd, "end", reason=reason, text=error_text(error))

    def _compacted(self, parts: Sequence[Mapping[str, JSON]]) -> None:
        text = "\n".join(text_or(part.get("text")) for part in parts if is_said(part))
        trigger, self._compacting = self._compacting, None
        self.emit(Compaction, trigger=trigger, text=text, turn_id=None)

    def _part(self, part: Mapping[str, JSON], message_id: str, model: Optional[str]) -> None:
        self.key = identifier(part.get("id")) or f"{message_id}:{part.get('type')}"
        self.at = moment(fields_of(part.get("time")).get("start")) or moment(part.get("created")) or self.at
        kind, text = text_or(part.get("type")), text_or(part.get("text"))
        if kind == "text":
            if is_said(part):
                self.reply(text, model=model, message_id=message_id)
        elif kind == "reasoning":
            self.thought(text, message_id=message_id)
        elif kind == "tool":
            self._tool(part, fields_of(part.get("state")))
        elif kind in _QUIET:
            self.ignored[kind] += 1
        else:
            self.unknown(kind or "part", part)

    def _tool(self, part: Mapping[str, JSON], state: Mapping[str, JSON]) -> None:
        time = fields_of(state.get("time"))
        self.at = moment(time.get("end")) or moment(time.get("start")) or self.at
        call_id = identifier(part.get("callID")) or self.key
        self.start_call(call_id, text_or(part.get("tool")) or "unknown", state.get("input"), "call")
        if text_or(state.get("status")) not in _ENDED:
            self.unanswered(call_id)
            return
        result = read_result(state.get("output"), state.get("metadata"), state.get("error"))
        start, end = number(time.get("start")), number(time.get("end"))
        took = end - start if start is not None and end is not None and end >= start else None
        self.answered(call_id, result.told, "call", ok=result.ok, exit_code=result.exit_code, duration_ms=took)
        if result.agent:
            self._subagent(result.agent, fields_of(state.get("input")), content.output_of(result.told) or "")

    def _subagent(self, agent: str, asked: Mapping[str, JSON], report: str) -> None:
        """Without the call's id: the start of the subagent's session, told live, does not know it."""
        kind, task = text_or(asked.get("subagent_type")) or None, text_or(asked.get("prompt"))
        self.emit(Subagent, f"agent {agent}", agent_id=agent, agent_type=kind, state="finished", task=task, text=report)


def _id(fields: Mapping[str, JSON], name: str) -> str:
    return identifier(fields.get(name))
