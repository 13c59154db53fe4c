"""Claude Code's session files: ``<session>.jsonl`` and ``<session>/subagents/agent-*.jsonl``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Optional

from stash_client.events import JSON, Compaction, Note, Prompt, Subagent, TurnEnd, Usage
from stash_client.harnesses import content, machine_text
from stash_client.harnesses.base import UNKNOWN_SESSION, Harness, identifier
from stash_client.harnesses.content import number, text_or
from stash_client.harnesses.handlers import pictures
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Reader, plus

_IGNORED = frozenset((
    "file-history-snapshot", "queue-operation", "progress", "permission-mode", "last-prompt", "agent-name",
    "agent-color", "mode", "started-at", "worktree-state", "content-replacement", "attribution-snapshot",
    "speculation-accept",
))  # fmt: skip
_QUIET_SYSTEM = frozenset({"turn_duration", "stop_hook_summary", "local_command", "away_summary", "bridge_status"})
_TITLES = {"custom-title": ("customTitle", 3), "ai-title": ("aiTitle", 2), "summary": ("summary", 1)}
_ENVELOPE = frozenset((
    "parentUuid", "uuid", "isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "timestamp", "type",
    "message", "requestId", "promptId", "slug", "entrypoint", "logicalParentUuid", "level", "isMeta", "agentId",
    "toolUseResult", "attachment", "origin", "permissionMode", "thinkingMetadata", "todos", "imagePasteIds",
    "isVisibleInTranscriptOnly", "isCompactSummary", "isApiErrorMessage", "sourceToolUseID", "sourceToolAssistantUUID",
))  # fmt: skip
_SUMMARY_HEAD = re.compile(
    r"\AThis session is being continued from a previous conversation that ran out of context\.\s*"
    r"(?:The (?:conversation is summarized below|summary below covers the earlier portion of the conversation)[:.]\s*)?"
)
_KEPT = 256
Block = tuple[int, Mapping[str, JSON]]


class ClaudeReader(Reader):
    def __init__(self, harness: Harness, native_id: Optional[str] = None) -> None:
        super().__init__(harness, native_id)
        self._title_rank = 0
        self._early_title: Optional[str] = None
        self._chains: dict[str, str] = {}
        self._counted: dict[str, Usage] = {}
        self._ended: dict[str, None] = {}
        self._boundary: Optional[Compaction] = None
        self._boundary_of = ""

    def record(self, record: Mapping[str, JSON]) -> None:
        kind = text_or(record.get("type"))
        if kind in _TITLES:
            return self._title(kind, record)
        if kind in _IGNORED:
            self.ignored[kind] += 1
            return None
        self._enter(record)
        if kind in ("user", "assistant"):
            self._message(kind, record)
        elif kind == "system":
            self._system(record)
        elif kind == "attachment":
            self._attachment(record)
        else:
            self.unknown(kind or "record", {key: record[key] for key in record if key not in _ENVELOPE})
        return None

    def finish(self) -> None:
        self._compaction("")
        super().finish()

    def _enter(self, record: Mapping[str, JSON]) -> None:
        self.at = text_or(record.get("timestamp")) or self.at
        self.key = identifier(record.get("uuid")) or f"line {self.n}"
        self.enter(
            self._session_of(record),
            cwd=text_or(record.get("cwd")),
            branch=text_or(record.get("gitBranch")),
            harness_version=text_or(record.get("version")),
            agent_type=text_or(record.get("agentType")),
        )

    def _session_of(self, record: Mapping[str, JSON]) -> str:
        if self.given and "/" in self.given:
            return self.given
        main = self.main or identifier(record.get("sessionId")) or UNKNOWN_SESSION
        agent = identifier(record.get("agentId"))
        if record.get("isSidechain") is True and not agent:
            agent = self._chain(record)
        return f"{main}/{agent}" if agent else main

    def _chain(self, record: Mapping[str, JSON]) -> str:
        """Older versions mixed subagents into the main file: a chain of parents leads to the first record, the name."""
        own, above = self.key, identifier(record.get("parentUuid"))
        if len(self._chains) > 50_000:
            self._chains.clear()
        self._chains[own] = self._chains.get(above, own)
        return self._chains[own]

    def _title(self, kind: str, record: Mapping[str, JSON]) -> None:
        field, rank = _TITLES[kind]
        title = text_or(record.get(field)) or text_or(record.get("title"))
        session = identifier(record.get("sessionId"))
        if not title or rank < self._title_rank:
            return
        self._title_rank = rank
        main = self.main or session
        if main:
            self.enter(main, title=title)
        else:  # a summary may stand before the first record that names the session
            self._early_title = title

    def enter(self, native_id: str, **known: Any) -> None:
        if self._early_title and "/" not in native_id:
            known.setdefault("title", self._early_title)
            self._early_title = None
        super().enter(native_id, **known)

    def _message(self, kind: str, record: Mapping[str, JSON]) -> None:
        message = record.get("message")
        if not isinstance(message, Mapping):
            self.skipped["no message"] += 1
        elif kind == "assistant":
            self._compaction("")
            self._assistant(message, record)
        elif record.get("isCompactSummary") is True:
            self._compaction(content.text_of(message.get("content")))
        else:
            self._compaction("")
            self._user(message, record)

    # What people and tools said

    def _user(self, message: Mapping[str, JSON], record: Mapping[str, JSON]) -> None:
        blocks = content.blocks_of(message.get("content"))
        if not blocks:
            self.skipped["no content"] += 1
        results = [(i, block) for i, block in enumerate(blocks) if block.get("type") == "tool_result"]
        structured = record.get("toolUseResult") if len(results) == 1 else None
        prompt_id = identifier(record.get("promptId"))
        if prompt_id:
            self.turns[self.current] = prompt_id
        for i, block in results:
            self._result(i, block, structured)
        said = [(i, block) for i, block in enumerate(blocks) if block.get("type") != "tool_result"]
        if said:
            self._said(said, record, prompt_id)

    def _said(self, blocks: Sequence[Block], record: Mapping[str, JSON], prompt_id: str) -> None:
        texts = [(i, text_or(block.get("text"))) for i, block in blocks]
        machine = _maker(record)
        if machine or self.is_child:
            self.emit(Note, name=machine or "task", text="\n".join(text for _, text in texts if text))
            return
        typed = [text for i, text in texts if text.strip() and not self._machine(i, text)]
        attached = pictures([block for _, block in blocks])
        if typed or attached:
            self.turns[self.current] = prompt_id or None
            self.emit(Prompt, "prompt", text="\n".join(typed), attachments=attached, extra=_rest(record))

    def _machine(self, i: int, text: str) -> bool:
        """Tell machine-made text as what it is; False for what a person typed."""
        name = machine_text.machine_name(text)
        if machine_text.is_interruption(text):
            self.emit(TurnEnd, i, reason="interrupted", text=text)
        elif machine_text.is_command(text):
            typed = machine_text.typed_command(text)
            if typed:
                self.emit(Prompt, i, text=typed)
            else:
                self.emit(Note, i, name="command", text=text)
        elif name:
            self.emit(Note, i, name=name, text=text)
        else:
            return False
        return True

    def _attachment(self, record: Mapping[str, JSON]) -> None:
        """Only a prompt typed while the agent was busy is of interest; the others repeat files and reminders."""
        attachment = fields_of(record.get("attachment"))
        if attachment.get("type") != "queued_command" or attachment.get("commandMode") not in (None, "prompt"):
            self.ignored["attachment"] += 1
            return
        origin = {"origin": attachment.get("origin"), **record}
        self._said(list(enumerate(content.blocks_of(attachment.get("prompt")))), origin, "")

    def _result(self, i: int, block: Mapping[str, JSON], structured: JSON) -> None:
        call_id = identifier(block.get("tool_use_id"))
        failed = block.get("is_error") is True
        told = block.get("content")
        result = structured if isinstance(structured, (Mapping, list)) and not failed else told
        details = fields_of(structured)
        call = self.answered(
            call_id,
            result,
            i,
            ok=not failed,
            exit_code=content.exit_code_of(told if failed else structured),
            duration_ms=number(details.get("durationMs", details.get("totalDurationMs"))),
        )
        agent = identifier(details.get("agentId"))
        if agent and call:
            self._subagent(agent, call.input, call_id, details, content.output_of(result) or "")

    def _subagent(self, agent: str, task: JSON, call_id: str, details: Mapping[str, JSON], report: str) -> None:
        launched = details.get("status") == "async_launched"
        self.emit(
            Subagent,
            f"agent {agent}",
            agent_id=agent,
            agent_type=text_or(fields_of(task).get("subagent_type")) or None,
            state="started" if launched else "finished",
            task=text_or(fields_of(task).get("prompt")),
            text="" if launched else report,
            call_id=call_id,
        )

    # What the model said

    def _assistant(self, message: Mapping[str, JSON], record: Mapping[str, JSON]) -> None:
        blocks = content.blocks_of(message.get("content"))
        model = text_or(message.get("model"))
        if record.get("isApiErrorMessage") is True:
            self.emit(TurnEnd, reason="error", text=content.text_of(message.get("content")))
            return
        if model == "<synthetic>":
            self.emit(Note, name="synthetic", text=content.text_of(message.get("content")))
            return
        self.enter(self.current, model=model)
        message_id = identifier(message.get("id")) or None
        self._count(message_id or self.key, message.get("usage"))
        for i, block in enumerate(blocks):
            self._block(i, block, message_id, model or None, _rest(record))
        spoke = any(block.get("type") == "text" for block in blocks)
        if spoke and message.get("stop_reason") == "end_turn" and not self.is_child:
            self._end_turn(message_id or self.key)

    def _block(
        self, i: int, block: Mapping[str, JSON], message_id: Optional[str], model: Optional[str], extra: dict[str, JSON]
    ) -> None:
        kind = text_or(block.get("type"))
        text = text_or(block.get("text"))
        if kind == "text":
            self.reply(text, i, model=model, message_id=message_id, extra=extra)
        elif kind == "thinking":
            self.thought(text_or(block.get("thinking")), i, message_id=message_id)
        elif kind == "redacted_thinking":
            self.ignored[kind] += 1
        elif kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
            call_id = identifier(block.get("id")) or f"{self.key}:{i}"
            self.start_call(call_id, text_or(block.get("name")) or "unknown", block.get("input"), i, message_id)
        elif kind.endswith("_tool_result"):
            self._result(i, block, None)
        else:
            self.unknown(kind or "block", block, i)

    def _end_turn(self, message: str) -> None:
        """Once per message: its lines may all repeat the reason."""
        if message not in self._ended:
            _remember(self._ended, message, None)
            self.emit(TurnEnd, "end")

    def _count(self, message: str, usage: JSON) -> None:
        """Lines of one message repeat its usage, the last ones with larger numbers: only what is new is owed.

        Messages without text have no reply of their own: the next reply of the session carries their tokens.
        """
        if not isinstance(usage, Mapping):
            return
        counted = self._counted.get(message, Usage())
        now = _larger(counted, _usage(usage))
        _remember(self._counted, message, now)
        self.owe(plus(now, Usage(-counted.input, -counted.output, -counted.cache_read, -counted.cache_write)))

    # What the program did

    def _system(self, record: Mapping[str, JSON]) -> None:
        subtype = text_or(record.get("subtype"))
        if subtype == "compact_boundary":
            self._compaction("")
            details = fields_of(record.get("compactMetadata"))
            self._boundary_of = self.current
            self._boundary = self.make(
                Compaction,
                trigger=text_or(details.get("trigger")) or None,
                tokens_before=number(details.get("preTokens")),
                tokens_after=number(details.get("postTokens")),
                turn_id=None,
            )
        elif subtype in _QUIET_SYSTEM or record.get("isMeta") is True:
            self.ignored[f"system {subtype}"] += 1
        else:
            self.unknown(f"system {subtype}".strip(), {key: record[key] for key in record if key not in _ENVELOPE})

    def _compaction(self, summary: str) -> None:
        """The boundary and the summary after it are one moment; either may be missing. Neither names a turn."""
        text = _SUMMARY_HEAD.sub("", summary)
        if self._boundary is not None:
            boundary, self._boundary = self._boundary, None
            self.put(self._boundary_of, replace(boundary, text=text))
        elif summary:
            self.emit(Compaction, text=text, turn_id=None)


def _maker(record: Mapping[str, JSON]) -> Optional[str]:
    """Which machine wrote a user record, None for a person."""
    if record.get("isMeta") is True:
        return "meta"
    origin = record.get("origin")
    kind = text_or(fields_of(origin).get("kind")) or text_or(origin)
    return kind if kind and kind not in ("user", "human") else None


def _usage(usage: Mapping[str, JSON]) -> Usage:
    return Usage(
        number(usage.get("input_tokens")) or 0,
        number(usage.get("output_tokens")) or 0,
        number(usage.get("cache_read_input_tokens")) or 0,
        number(usage.get("cache_creation_input_tokens")) or 0,
    )


def _larger(one: Usage, other: Usage) -> Usage:
    return Usage(
        max(one.input, other.input),
        max(one.output, other.output),
        max(one.cache_read, other.cache_read),
        max(one.cache_write, other.cache_write),
    )


def _remember(seen: dict[str, Any], key: str, value: Any) -> None:
    """Lines of one message stand close together: old ones are forgotten."""
    seen[key] = value
    if len(seen) > _KEPT:
        del seen[next(iter(seen))]


def _rest(record: Mapping[str, JSON]) -> dict[str, JSON]:
    """Fields of a record nobody described."""
    return {key: value for key, value in record.items() if key not in _ENVELOPE and content.small(value)}
