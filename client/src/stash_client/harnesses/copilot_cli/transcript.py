"""Copilot CLI's session files: ``events.jsonl``, one record per thing that happened, subagents among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Optional

from stash_client.events import JSON, Compaction, Event, Note, Reply, Subagent, TurnEnd, Usage
from stash_client.harnesses import content
from stash_client.harnesses.base import UNKNOWN_SESSION, Harness, identifier
from stash_client.harnesses.content import number, text_or
from stash_client.harnesses.handlers import attachments
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Reader, over, plus

_QUIET = frozenset((
    "hook.start", "hook.end", "system.message", "assistant.turn_start", "assistant.turn_end", "session.idle",
    "session.compaction_start", "session.background_tasks_changed", "session.tools_updated", "session.usage_info",
    "session.snapshot_rewind", "assistant.intent", "pending_messages.modified", "permission.requested",
    "permission.completed", "tool.execution_progress", "tool.execution_partial_result", "tool.user_requested",
    "skill.invoked", "session.mode_changed", "session.context_changed",
))  # fmt: skip
_WAITS = frozenset({"assistant.usage", "session.shutdown"})
"""What may still come to a reply that was said last; quiet records may stand between."""


class CopilotReader(Reader):
    def __init__(self, harness: Harness, native_id: Optional[str] = None) -> None:
        super().__init__(harness, native_id)
        self._last: Optional[tuple[str, Reply]] = None
        self._counted = Usage()
        self._reports: dict[str, str] = {}

    def record(self, record: Mapping[str, JSON]) -> None:
        kind, data = text_or(record.get("type")), fields_of(record.get("data"))
        self.at = text_or(record.get("timestamp")) or self.at
        self.key = identifier(record.get("id")) or f"line {self.n}"
        agent = identifier(record.get("agentId")) or identifier(data.get("parentToolCallId"))
        main = self.main or identifier(data.get("sessionId")) or UNKNOWN_SESSION
        self.enter(f"{main}/{agent}" if agent else main)
        if kind in _QUIET or (record.get("ephemeral") is True and kind not in _MEANINGS):
            self.ignored[kind] += 1
            return
        if kind not in _WAITS:
            self._release()
        if kind in _MEANINGS:
            _MEANINGS[kind](self, data)
        else:
            self.unknown(kind or "record", data or record)

    def finish(self) -> None:
        self._release()
        super().finish()

    def put(self, native_id: str, event: Event) -> None:
        """The last reply is kept back: the tokens of the whole run are told at its end."""
        if isinstance(event, Reply) and "/" not in native_id:
            self._last = (native_id, event)
        else:
            super().put(native_id, event)

    def _release(self) -> None:
        if self._last is not None:
            native_id, reply = self._last
            self._last = None
            super().put(native_id, reply)

    # The session

    def _start(self, data: Mapping[str, JSON]) -> None:
        context = fields_of(data.get("context"))
        self._counted = Usage()
        self.enter(
            self.current,
            cwd=text_or(context.get("cwd")),
            branch=text_or(context.get("branch")),
            commit=text_or(context.get("headCommit")),
            model=text_or(data.get("selectedModel")),
            harness_version=text_or(data.get("copilotVersion")),
        )

    def _model(self, data: Mapping[str, JSON]) -> None:
        self.enter(self.current, model=text_or(data.get("newModel")))

    def _title(self, data: Mapping[str, JSON]) -> None:
        self.enter(self.current, title=text_or(data.get("title")))

    def _notice(self, data: Mapping[str, JSON]) -> None:
        text = text_or(data.get("message"))
        if text:
            self.emit(Note, name=text_or(data.get("infoType")) or text_or(data.get("errorType")) or "notice", text=text)

    def _aborted(self, data: Mapping[str, JSON]) -> None:
        self.emit(TurnEnd, reason="interrupted", text=text_or(data.get("reason")))

    def _compacted(self, data: Mapping[str, JSON]) -> None:
        if data.get("success") is False:
            self.unknown("session.compaction_failed", data)
            return
        self.emit(
            Compaction,
            trigger=text_or(data.get("trigger")) or None,
            tokens_before=number(data.get("preCompactionTokens")),
            tokens_after=number(data.get("postCompactionTokens")),
            text=text_or(data.get("summaryContent")),
        )

    # What was said

    def _user(self, data: Mapping[str, JSON]) -> None:
        """``content`` is what was typed, ``transformedContent`` what the program made of it."""
        text, source = content.text_of(data.get("content")), text_or(data.get("source"))
        if source not in ("", "user"):
            self.emit(Note, name=source, text=text)
        else:
            self.user_said(text, attached=attachments(data.get("attachments")))

    def _assistant(self, data: Mapping[str, JSON]) -> None:
        message, model = identifier(data.get("messageId")) or None, text_or(data.get("model"))
        self.enter(self.current, model=model)
        self.thought(text_or(data.get("reasoningText")), "thinking", message_id=message)
        self._count(Usage(output=number(data.get("outputTokens")) or 0))
        text = content.text_of(data.get("content"))
        if self.is_child and text.strip():
            self._reports[self.current] = text
        self.reply(text, "text", model=model or self.info.model, message_id=message)
        requests = data.get("toolRequests")
        for i, request in enumerate(requests if isinstance(requests, list) else ()):
            self._call(fields_of(request), i)

    def _thinking(self, data: Mapping[str, JSON]) -> None:
        self.thought(text_or(data.get("content")))

    # Tokens

    def _count(self, usage: Usage) -> None:
        self._counted = plus(self._counted, usage)
        self.owe(usage)

    def _usage(self, data: Mapping[str, JSON]) -> None:
        """Of the answer just read, whose output is counted already."""
        self._count(replace(_tokens(data), output=0))
        self._pay()

    def _shutdown(self, data: Mapping[str, JSON]) -> None:
        """Totals of the run since its start or resume: what no answer told is owed now."""
        metrics = fields_of(data.get("modelMetrics")).values()
        total = Usage()
        for model in metrics:
            total = plus(total, _tokens(fields_of(fields_of(model).get("usage"))))
        self.owe(over(total, self._counted))
        self._pay()

    def _pay(self) -> None:
        owed = self.owed.get(self.current)
        if self._last is not None and self._last[0] == self.current and owed:
            native_id, reply = self._last
            self._last = (native_id, replace(reply, usage=plus(reply.usage or Usage(), self.owed.pop(self.current))))

    # Tools and subagents

    def _call(self, data: Mapping[str, JSON], i: object = 0) -> None:
        call_id = identifier(data.get("toolCallId")) or f"{self.key}:{i}"
        if call_id not in self.calls:
            name = text_or(data.get("name")) or text_or(data.get("toolName")) or "unknown"
            self.start_call(call_id, name, content.parse(data.get("arguments")), f"call {i}")

    def _result(self, data: Mapping[str, JSON]) -> None:
        result, error = fields_of(data.get("result")), data.get("error")
        failed = data.get("success") is False
        told = fields_of(error).get("message") or error if failed and error else result.get("content")
        output, code = content.exit_line(content.text_of(told))
        detailed = result.get("detailedContent")
        self.answered(
            identifier(data.get("toolCallId")),
            {"content": output, "diff": detailed} if isinstance(detailed, str) else output,
            "result",
            ok=not failed and not code,
            exit_code=code,
        )

    def _agent_starts(self, data: Mapping[str, JSON]) -> None:
        self._agent(data, "started")
        agent = identifier(data.get("toolCallId"))
        main, kind = self.main, text_or(data.get("agentName"))
        self.enter(f"{main}/{agent}", agent_type=kind, cwd=self.info.cwd, branch=self.info.branch)
        task = self._task(agent)
        if task:
            self.emit(Note, "task", name="task", text=task)
        self.enter(main)

    def _agent_ends(self, data: Mapping[str, JSON]) -> None:
        child = f"{self.main}/{identifier(data.get('toolCallId'))}"
        failure = fields_of(data.get("error")).get("message") or data.get("error")
        text = self._reports.pop(child, "") or content.text_of(failure)
        self._agent(data, "finished", text)
        if child in self.sessions:
            self.enter(child, model=text_or(data.get("model")))
            self.enter(self.main)

    def _agent(self, data: Mapping[str, JSON], state: str, text: str = "") -> None:
        agent = identifier(data.get("toolCallId"))
        self.emit(
            Subagent,
            state,
            agent_id=agent,
            agent_type=text_or(data.get("agentName")) or None,
            state=state,
            task=self._task(agent),
            text=text,
            call_id=agent or None,
        )

    def _task(self, call_id: str) -> str:
        call = self.calls.get(call_id)
        return text_or(fields_of(call.input).get("prompt")) if call else ""


def _tokens(usage: Mapping[str, JSON]) -> Usage:
    """Its input counts what came from the cache."""
    cached = number(usage.get("cacheReadTokens")) or 0
    given = max((number(usage.get("inputTokens")) or 0) - cached, 0)
    return Usage(given, number(usage.get("outputTokens")) or 0, cached, number(usage.get("cacheWriteTokens")) or 0)


_MEANINGS: Mapping[str, Callable[[CopilotReader, Mapping[str, JSON]], None]] = {
    "session.start": CopilotReader._start,
    "session.resume": CopilotReader._start,
    "session.model_change": CopilotReader._model,
    "session.title_changed": CopilotReader._title,
    "session.info": CopilotReader._notice,
    "session.warning": CopilotReader._notice,
    "session.error": CopilotReader._notice,
    "session.compaction_complete": CopilotReader._compacted,
    "session.shutdown": CopilotReader._shutdown,
    "user.message": CopilotReader._user,
    "assistant.message": CopilotReader._assistant,
    "assistant.reasoning": CopilotReader._thinking,
    "assistant.usage": CopilotReader._usage,
    "abort": CopilotReader._aborted,
    "tool.execution_start": CopilotReader._call,
    "tool.execution_complete": CopilotReader._result,
    "subagent.started": CopilotReader._agent_starts,
    "subagent.completed": CopilotReader._agent_ends,
    "subagent.failed": CopilotReader._agent_ends,
}
