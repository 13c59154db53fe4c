"""OpenClaw's sessions: Pi's entries as a tree, of which only the branch that was gone on with is told."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Optional

from stash_client.events import JSON, Note, SessionStart, Subagent
from stash_client.harnesses import content
from stash_client.harnesses.base import UNKNOWN_SESSION, Harness, identifier
from stash_client.harnesses.content import text_or
from stash_client.harnesses.entries import EntryReader
from stash_client.harnesses.openclaw.results import read_result
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.upserts import Upserts

_ANNOUNCES = "subagent-announce"


class OpenClawReader(EntryReader):
    def __init__(self, harness: Harness, native_id: Optional[str] = None) -> None:
        super().__init__(harness, native_id)
        self._entries = Upserts()
        self._above: dict[str, str] = {}
        self._latest = ""
        self._spawned: dict[str, str] = {}

    def window_is(self, title: str, model: str) -> None:
        """What is known of the session beside its entries; a subagent has no title of its own."""
        if self.given:
            self.enter(self.given, title="" if "/" in self.given else title, model=model)

    def record(self, record: Mapping[str, JSON]) -> None:
        """Kept until the end: a later entry may go on from an earlier one."""
        if record.get("type") == "session":
            super().record(record)
            return
        key = identifier(record.get("id")) or f"line {self.n}"
        parent = identifier(record.get("parentId"))
        # Without its parent, lost or never written, an entry follows the one before it.
        is_root = "parentId" in record and record["parentId"] is None
        self._above[key] = parent if parent in self._above else "" if is_root else self._latest
        self._latest = key
        self._entries.put(key, self.n, record, self.raw)

    def held(self) -> Iterator[None]:
        told = self._branch()
        for key, n, record in self._entries.drain():
            if key in told:
                self.n = n
                self._entry(record)
                yield
            else:
                self.ignored["left branch"] += 1

    def _branch(self) -> set[str]:
        keys, key = set(), self._latest
        while key and key not in keys:
            keys.add(key)
            key = self._above.get(key, "")
        return keys

    def _entry(self, record: Mapping[str, JSON]) -> None:
        kind = text_or(record.get("type"))
        if kind in ("custom_message", "reset", "branch_summary"):
            self.at = content.moment(record.get("timestamp")) or self.at
            self.key = identifier(record.get("id")) or f"line {self.n}"
            self.enter(self.current or self.given or UNKNOWN_SESSION)
            self._custom(kind, record)
        else:
            super().record(record)

    def _custom(self, kind: str, record: Mapping[str, JSON]) -> None:
        text = content.text_of(record.get("content")) or text_or(record.get("summary"))
        if kind == "reset":
            self.emit(SessionStart, source="clear")
        elif _ANNOUNCES in text_or(record.get("customType")) and self._spawned:
            self._announced(record, text)
        elif text:
            self.emit(Note, name=text_or(record.get("customType")) or kind, text=text)

    def result(self, block: Mapping[str, JSON], i: object) -> None:
        call_id = identifier(block.get("toolCallId"))
        read = read_result(block.get("content"), block.get("details"), block.get("isError") is True)
        if call_id not in self.calls:
            self.start_call(call_id, text_or(block.get("toolName")) or "unknown", None, i)
        call = self.answered(call_id, read.told, i, ok=read.ok, exit_code=read.exit_code)
        if read.agent and call:
            task = text_or(fields_of(call.input).get("task"))
            self._spawned[read.agent] = task
            self.emit(Subagent, f"agent {i}", agent_id=read.agent, state="started", task=task)

    def _announced(self, record: Mapping[str, JSON], report: str) -> None:
        """Which subagent reports is told in the entry's details, or there is but one; else likely the first."""
        said = json.dumps(fields_of(record.get("details")))
        agent = next((agent for agent in self._spawned if agent in said), next(iter(self._spawned)))
        task = self._spawned.pop(agent)
        self.emit(Subagent, "announced", agent_id=agent, state="finished", task=task, text=report)
