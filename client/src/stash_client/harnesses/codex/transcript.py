"""Codex's rollouts. Most messages stand there twice, as an item for the model and as an event for the screen."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Optional

from stash_client.events import JSON, Compaction, Event, Note, Prompt, Reply, Subagent, Thinking, TurnEnd, Usage
from stash_client.harnesses import content, machine_text
from stash_client.harnesses.base import UNKNOWN_SESSION, Harness, identifier
from stash_client.harnesses.codex.results import read_result
from stash_client.harnesses.codex.tokens import TokenCount
from stash_client.harnesses.content import text_or
from stash_client.harnesses.handlers import pictures
from stash_client.harnesses.tools import command_of, fields_of
from stash_client.harnesses.transcripts import Call, Reader

_NEAR = 16
_HELD = 200
_SHELLS = frozenset({"exec_command", "shell", "shell_command", "local_shell", "container.exec"})
_REPEATED = frozenset((
    "exec_command_begin", "exec_command_output_delta", "exec_command_end", "patch_apply_begin", "patch_apply_end",
    "mcp_tool_call_begin", "mcp_tool_call_end", "web_search_begin", "web_search_end", "agent_message_delta",
    "agent_message_content_delta", "agent_reasoning_delta", "agent_reasoning_section_break", "turn_diff",
    "agent_reasoning_raw_content", "plan_update", "session_configured", "item_started", "view_image_tool_call",
    "terminal_interaction", "user_input_answered", "mcp_startup_update", "mcp_startup_complete", "background_event",
))  # fmt: skip


class CodexReader(Reader):
    def __init__(self, harness: Harness, native_id: Optional[str] = None) -> None:
        super().__init__(harness, native_id)
        self._unpaired: dict[tuple[str, str], deque[tuple[str, int]]] = {}
        self._tokens = TokenCount()
        self._owed = Usage()
        self._held: Optional[tuple[str, Reply]] = None
        self._after: list[tuple[str, Event]] = []
        self._compacted = -_NEAR
        self._agents: dict[str, tuple[Optional[str], str]] = {}

    def record(self, record: Mapping[str, JSON]) -> None:
        kind = text_or(record.get("type"))
        payload = record.get("payload")
        self.at = text_or(record.get("timestamp")) or self.at
        if not isinstance(payload, Mapping):
            self.skipped["no payload"] += 1
            return
        if kind == "session_meta":
            self._meta(payload)
            return
        self.enter(self.current or self.given or UNKNOWN_SESSION)
        name = text_or(payload.get("type"))
        if kind == "turn_context":
            self._turn(payload)
        elif kind == "compacted":
            self._compaction(content.text_of(payload.get("message")))
        elif kind == "response_item":
            self._read(_ITEMS, name, payload)
        elif kind == "event_msg":
            self._read(_EVENTS, name, payload)
        else:
            self.unknown(kind or "record", payload)

    def finish(self) -> None:
        self._release()
        super().finish()

    def _read(self, meanings: Mapping[str, Meaning], name: str, payload: Mapping[str, JSON]) -> None:
        if name in meanings:
            meanings[name](self, payload)
        elif name in _REPEATED:
            self.ignored[name] += 1
        else:
            self.unknown(name or "record", payload)

    # Which session, which turn

    def _meta(self, meta: Mapping[str, JSON]) -> None:
        """The first header counts: a fork goes on with a copy of another session's."""
        if self.current and self.current != UNKNOWN_SESSION:
            return
        git, source = fields_of(meta.get("git")), meta.get("source")
        spawn = fields_of(fields_of(fields_of(source).get("subagent")).get("thread_spawn"))
        own, parent = identifier(meta.get("id")), identifier(spawn.get("parent_thread_id"))
        own = self.given or own or UNKNOWN_SESSION
        self.enter(
            f"{parent}/{own}" if parent and "/" not in own else own,
            cwd=text_or(meta.get("cwd")),
            branch=text_or(git.get("branch")),
            commit=text_or(git.get("commit_hash")),
            harness_version=text_or(meta.get("cli_version")),
            agent_type=text_or(spawn.get("agent_role")) or text_or(meta.get("agent_role")),
        )
        if source == "exec":
            self.sessions[self.current] = replace(self.info, interactive=False)

    def _turn(self, payload: Mapping[str, JSON]) -> None:
        turn = identifier(payload.get("turn_id"))
        if turn:
            self.turns[self.current] = turn
        self.enter(self.current, cwd=text_or(payload.get("cwd")), model=text_or(payload.get("model")))

    def _event_task_started(self, payload: Mapping[str, JSON]) -> None:
        self._release()
        self._turn({"turn_id": payload.get("turn_id")})

    def _event_task_complete(self, payload: Mapping[str, JSON]) -> None:
        self._end("completed", payload)

    def _event_turn_aborted(self, payload: Mapping[str, JSON]) -> None:
        self._end("interrupted", payload)

    def _event_error(self, payload: Mapping[str, JSON]) -> None:
        self._end("error", payload, text_or(payload.get("message")))

    def _end(self, reason: str, payload: Mapping[str, JSON], text: str = "") -> None:
        self._release()
        turn = identifier(payload.get("turn_id")) or self.turns.get(self.current)
        if not self.is_child:
            self.emit(TurnEnd, reason=reason, text=text, turn_id=turn)

    def _event_thread_name_updated(self, payload: Mapping[str, JSON]) -> None:
        self.enter(self.current, title=text_or(payload.get("thread_name")))

    # What was said

    def _item_message(self, item: Mapping[str, JSON]) -> None:
        blocks = content.blocks_of(item.get("content"))
        role = text_or(item.get("role"))
        if role == "user":
            self._user("item", [text_or(block.get("text")) for block in blocks], pictures(blocks))
        elif role == "assistant":
            text = "\n".join(filter(None, (text_or(block.get("text")) for block in blocks)))
            self._reply("item", text, item.get("phase"))
        else:
            self.ignored[f"{role} message"] += 1

    def _event_user_message(self, event: Mapping[str, JSON]) -> None:
        files = event.get("local_images")
        attached = tuple(name for name in files if isinstance(name, str)) if isinstance(files, list) else ()
        images = event.get("images")
        attached += ("[image]",) * (len(images) if isinstance(images, list) else 0)
        self._user("event", [content.text_of(event.get("message"))], attached)

    def _user(self, source: str, texts: list[str], attached: tuple[str, ...]) -> None:
        typed = []
        for i, text in enumerate(texts):
            name = machine_text.machine_name(text)
            if name and not self._again(name, source, text):
                self.emit(Note, i, name=name, text=text)
            elif not name and text.strip():
                typed.append(text)
        text = "\n".join(typed)
        if not (typed or attached) or self._again("user", source, text):
            return
        self._release()
        if self.is_child:
            self.emit(Note, "user", name="task", text=text)
        else:
            self.emit(Prompt, "user", text=text, attachments=attached)

    def _event_agent_message(self, event: Mapping[str, JSON]) -> None:
        self._reply("event", content.text_of(event.get("message")), event.get("phase"))

    def _reply(self, source: str, text: str, phase: JSON) -> None:
        """Kept back until the tokens of this answer are told, which come right after it."""
        if text.strip() and not self._again("assistant", source, text):
            self._release()
            extra = {"phase": phase} if isinstance(phase, str) else {}
            self._held = (self.current, self.make(Reply, text=text, model=self.info.model, extra=extra))

    def _item_reasoning(self, item: Mapping[str, JSON]) -> None:
        summary = item.get("summary")
        for i, part in enumerate(summary if isinstance(summary, list) else ()):
            self._thought("item", text_or(fields_of(part).get("text")), i)

    def _event_agent_reasoning(self, event: Mapping[str, JSON]) -> None:
        self._thought("event", text_or(event.get("text")), 0)

    def _thought(self, source: str, text: str, block: int) -> None:
        if text.strip() and not self._again("thinking", source, text):
            self.emit(Thinking, block, text=text)

    def _again(self, role: str, source: str, text: str) -> bool:
        """Whether this is the other record of one that was read a few lines ago. Repeats of one kind are genuine."""
        key = (role, " ".join(text.split()))
        self._unpaired = {k: seen for k, seen in self._unpaired.items() if self.n - seen[-1][1] <= _NEAR}
        seen = self._unpaired.setdefault(key, deque())
        if seen and seen[0][0] != source and self.n - seen[0][1] <= _NEAR:
            seen.popleft()
            if not seen:
                del self._unpaired[key]
            return True
        seen.append((source, self.n))
        return False

    # Tokens belong to the answer before them

    def put(self, native_id: str, event: Event) -> None:
        if self._held is None:
            super().put(native_id, event)
            return
        self._after.append((native_id, event))
        if len(self._after) > _HELD:
            self._release()

    def _release(self) -> None:
        if self._held is None:
            return
        (native_id, reply), after = self._held, self._after
        self._held, self._after = None, []
        usage = self._owed if self._owed != Usage() else None
        self._owed = Usage()
        super().put(native_id, replace(reply, usage=usage))
        for owner, event in after:
            super().put(owner, event)

    def _event_token_count(self, event: Mapping[str, JSON]) -> None:
        self._owed = self._tokens.owed_after(self._owed, fields_of(event.get("info")))
        self._release()

    # Tools

    def _item_function_call(self, item: Mapping[str, JSON]) -> None:
        self._call(item, text_or(item.get("name")), content.parse(item.get("arguments")))

    def _item_custom_tool_call(self, item: Mapping[str, JSON]) -> None:
        self._call(item, text_or(item.get("name")), {"command": item.get("input")})

    def _item_local_shell_call(self, item: Mapping[str, JSON]) -> None:
        self._call(item, "local_shell", fields_of(item.get("action")))

    def _call(self, item: Mapping[str, JSON], name: str, value: JSON) -> None:
        """Shell tools get the name and the input their hooks have."""
        if name in _SHELLS and isinstance(value, Mapping):
            rest = {key: field for key, field in value.items() if key not in ("cmd", "command", "type")}
            name, value = "Bash", {"command": command_of(value), **rest}
        call_id = identifier(item.get("call_id")) or identifier(item.get("id")) or f"{self.key}:call"
        self.start_call(call_id, name or "unknown", value, "call")

    def _item_web_search_call(self, item: Mapping[str, JSON]) -> None:
        """Has no result record."""
        call = Call(self.current, "web_search", item.get("action"), "", "", 0, self.turns.get(self.current))
        made = self.tool_call(call, None, None, ok=item.get("status") == "completed" or None)
        stamp = self.make(Note, "call")
        self.put(self.current, replace(made, uid=stamp.uid, n=self.n, occurred_at=self.at))

    def _item_function_call_output(self, item: Mapping[str, JSON]) -> None:
        call_id = identifier(item.get("call_id"))
        told = read_result(item.get("output"))
        known: dict[str, Any] = {"ok": told.ok, "exit_code": told.exit_code, "duration_ms": told.duration_ms}
        call = self.answered(call_id, told.output, "output", **known)
        if call and self.harness.family(call.name) == "agent":
            self._subagents(call, call_id, fields_of(content.parse(told.output)))

    def _subagents(self, call: Call, call_id: str, answer: Mapping[str, JSON]) -> None:
        """``spawn_agent`` names the new agent, ``wait_agent`` brings what each one reports."""
        started, asked = identifier(answer.get("agent_id")), fields_of(call.input)
        if started and call.name == "spawn_agent":
            kind, task = text_or(asked.get("agent_type")) or None, text_or(asked.get("message"))
            self._agents[started] = (kind, task)
            self._subagent(started, state="started", call_id=call_id)
        for agent, status in fields_of(answer.get("status")).items():
            report = text_or(fields_of(status).get("completed"))
            if report:
                self._subagent(identifier(agent), state="finished", text=report)

    def _subagent(self, agent: str, **fields: Any) -> None:
        kind, task = self._agents.get(agent, (None, ""))
        self.emit(Subagent, f"agent {agent}", agent_id=agent, agent_type=kind, task=task, **fields)

    # Compaction, also told twice

    def _event_context_compacted(self, event: Mapping[str, JSON]) -> None:
        self._compaction("")

    def _compaction(self, text: str) -> None:
        twice, self._compacted = self.n - self._compacted <= _NEAR, self.n
        if not twice:
            self.emit(Compaction, text=text)
        elif text:
            self.emit(Note, name="compacted", text=text)


Meaning = Callable[[CodexReader, Mapping[str, JSON]], None]
_ITEMS: Mapping[str, Meaning] = {
    "message": CodexReader._item_message,
    "reasoning": CodexReader._item_reasoning,
    "function_call": CodexReader._item_function_call,
    "function_call_output": CodexReader._item_function_call_output,
    "custom_tool_call": CodexReader._item_custom_tool_call,
    "custom_tool_call_output": CodexReader._item_function_call_output,
    "local_shell_call": CodexReader._item_local_shell_call,
    "web_search_call": CodexReader._item_web_search_call,
}
_EVENTS: Mapping[str, Meaning] = {
    "task_started": CodexReader._event_task_started,
    "turn_started": CodexReader._event_task_started,
    "task_complete": CodexReader._event_task_complete,
    "turn_complete": CodexReader._event_task_complete,
    "turn_aborted": CodexReader._event_turn_aborted,
    "error": CodexReader._event_error,
    "user_message": CodexReader._event_user_message,
    "agent_message": CodexReader._event_agent_message,
    "agent_reasoning": CodexReader._event_agent_reasoning,
    "token_count": CodexReader._event_token_count,
    "context_compacted": CodexReader._event_context_compacted,
    "thread_name_updated": CodexReader._event_thread_name_updated,
}
