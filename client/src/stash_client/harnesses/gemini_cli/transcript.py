"""Gemini CLI's session files: a log of upserts and rewinds, so that nothing is certain before its end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Optional

from stash_client.events import JSON, Compaction, Note, Subagent, Usage
from stash_client.harnesses import content
from stash_client.harnesses.base import UNKNOWN_SESSION, Harness, identifier
from stash_client.harnesses.content import number, text_or
from stash_client.harnesses.gemini_cli.results import read_result
from stash_client.harnesses.handlers import pictures
from stash_client.harnesses.reading import Empty, Unreadable, decode
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Reader
from stash_client.harnesses.upserts import Upserts

_COMPRESSED = re.compile(r"\AChat history compressed from (\d{1,9}) to (\d{1,9}) tokens")
_ENDED = {"success": True, "error": False, "cancelled": False}


def whole_file(path: str) -> Iterator[bytes]:
    """An older file, one JSON object, as the lines its records would be today."""
    with open(path, "rb") as file:
        raw = file.read()
    try:
        session = fields_of(decode(raw))
    except (Empty, Unreadable):
        yield raw  # to be counted as what it is
        return
    messages = session.get("messages")
    yield json.dumps({key: value for key, value in session.items() if key != "messages"}).encode()
    for message in messages if isinstance(messages, list) else ():
        yield json.dumps(message).encode()


class GeminiReader(Reader):
    def __init__(self, harness: Harness, native_id: Optional[str] = None) -> None:
        super().__init__(harness, native_id)
        self._messages = Upserts()
        self._began: dict[str, str] = {}
        self._is_subagent = False

    def record(self, record: Mapping[str, JSON]) -> None:
        if "$rewindTo" in record:
            self.ignored["rewound"] += self._messages.drop_from(identifier(record["$rewindTo"]))
        elif "$set" in record:
            self._header(fields_of(record["$set"]))
        elif "sessionId" in record and "type" not in record:
            self._header(record)
        else:
            self._keep(record, self.raw)

    def _keep(self, message: Mapping[str, JSON], line: Optional[bytes] = None) -> None:
        """A message is as old as its first state: what it was written again for came later."""
        key = identifier(message.get("id")) or f"line {self.n}"
        self._began.setdefault(key, text_or(message.get("timestamp")))
        self._messages.put(key, self.n, message, line)

    def _header(self, header: Mapping[str, JSON]) -> None:
        """A later header may carry messages once more."""
        directories = header.get("directories")
        first = directories[0] if isinstance(directories, list) and directories else None
        self._is_subagent = self._is_subagent or header.get("kind") == "subagent"
        self.enter(self._id(header), cwd=text_or(first), title=text_or(header.get("summary")))
        messages = header.get("messages")
        for message in messages if isinstance(messages, list) else ():
            if identifier(fields_of(message).get("id")):
                self._keep(fields_of(message))

    def _id(self, header: Mapping[str, JSON]) -> str:
        return self.given or self.current or identifier(header.get("sessionId")) or UNKNOWN_SESSION

    @property
    def is_child(self) -> bool:
        return self._is_subagent or super().is_child

    def held(self) -> Iterator[None]:
        for key, n, message in self._messages.drain():
            self.n, self.key = n, key
            self.enter(self._id({}))
            self._message(message)
            yield

    def _message(self, message: Mapping[str, JSON]) -> None:
        self.at = self._began.pop(self.key, "") or self.at
        kind = text_or(message.get("type"))
        if kind == "user":
            self._user(message)
        elif kind == "gemini":
            self._model(message)
        elif kind in ("info", "warning", "error"):
            self._notice(kind, content.text_of(message.get("content")))
        else:
            self.unknown(kind or "record", message)

    def _user(self, message: Mapping[str, JSON]) -> None:
        """What was typed, before the program filled in files and context, where it says so."""
        shown = message.get("displayContent")
        blocks = content.blocks_of(shown if shown else message.get("content"))
        self.user_parts(blocks, pictures(blocks))

    def _model(self, message: Mapping[str, JSON]) -> None:
        model = text_or(message.get("model"))
        self.enter(self.current, model=model)
        began = self.at
        self._thoughts(message.get("thoughts"))
        self.at = began
        self.owe(_usage(fields_of(message.get("tokens"))))
        self.reply(content.text_of(message.get("content")), "text", model=model or None, message_id=self.key)
        calls = message.get("toolCalls")
        for i, call in enumerate(calls if isinstance(calls, list) else ()):
            self._call(i, fields_of(call))

    def _thoughts(self, thoughts: JSON) -> None:
        for i, thought in enumerate(thoughts if isinstance(thoughts, list) else ()):
            fields = fields_of(thought)
            self.at = text_or(fields.get("timestamp")) or self.at
            parts = (text_or(fields.get("subject")), text_or(fields.get("description")))
            self.thought("\n".join(filter(None, parts)), f"thought {i}")

    def _call(self, i: int, call: Mapping[str, JSON]) -> None:
        """The program's own call ids are not in its hooks, so they must not tell two reports of one call apart."""
        name = text_or(call.get("name")) or "unknown"
        call_id = identifier(call.get("id")) or f"{self.key}:{i}"
        self.at = text_or(call.get("timestamp")) or self.at
        self.start_call(call_id, name, call.get("args"), f"call {i}")
        ended = text_or(call.get("status"))
        told, error = _response(call.get("result"))
        if error is None and ended == "error":
            error = call.get("resultDisplay") or told
        result = read_result(self.harness.family(name), told, call.get("resultDisplay"), error)
        ok = result.ok and _ENDED.get(ended, True)
        self.answered(call_id, result.output, f"call {i}", ok=ok, exit_code=result.exit_code)
        agent = identifier(call.get("agentId"))
        if agent:
            self._subagent(agent, call_id, fields_of(call.get("args")), content.output_of(result.output) or "")

    def _subagent(self, agent: str, call_id: str, asked: Mapping[str, JSON], report: str) -> None:
        kind = text_or(asked.get("agent_name")) or None
        task = text_or(asked.get("prompt")) or text_or(asked.get("objective"))
        self.emit(
            Subagent, f"agent {agent}", agent_id=agent, agent_type=kind, state="finished", task=task, text=report,
            call_id=call_id,
        )  # fmt: skip

    def _notice(self, kind: str, text: str) -> None:
        compressed = _COMPRESSED.match(text)
        if compressed:
            before, after = (int(tokens) for tokens in compressed.groups())
            self.emit(Compaction, tokens_before=before, tokens_after=after)
        elif text.strip():
            self.emit(Note, name=kind, text=text)


def _response(result: JSON) -> tuple[JSON, JSON]:
    """(output, error) of the parts a tool answered the model with."""
    outputs: list[JSON] = []
    for part in result if isinstance(result, list) else ():
        response = fields_of(fields_of(fields_of(part).get("functionResponse")).get("response"))
        if response.get("error") is not None:
            return None, response["error"]
        outputs.append(response.get("output", response) if response else part)
    return (outputs[0] if len(outputs) == 1 else outputs or None), None


def _usage(tokens: Mapping[str, JSON]) -> Usage:
    """Its input counts what came from the cache, its output leaves out the thoughts."""
    cached = number(tokens.get("cached")) or 0
    return Usage(
        max((number(tokens.get("input")) or 0) - cached, 0),
        (number(tokens.get("output")) or 0) + (number(tokens.get("thoughts")) or 0),
        cache_read=cached,
    )
