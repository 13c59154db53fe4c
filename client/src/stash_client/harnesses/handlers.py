"""What hook events mean. Field names differ between harnesses, meanings hardly: see ``base.ALIASES``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stash_client.events import (
    JSON,
    Activity,
    Attention,
    Batch,
    Compaction,
    Event,
    Note,
    Notification,
    Prompt,
    Reply,
    SessionEnd,
    SessionStart,
    Subagent,
    Thinking,
    ToolCall,
    TurnEnd,
)
from stash_client.harnesses import content, diffs, machine_text, tools
from stash_client.harnesses.base import Batches, Hook, findable

_TOOL_FIELDS = ("tool", "input", "output", "call", "error", "duration")
MAX_NOTE = 20_000
_QUESTIONS = frozenset({"AskUserQuestion", "ExitPlanMode", "request_user_input"})
_PERMISSION_NOTICES = frozenset({"permission_prompt"})
_QUESTION_NOTICES = frozenset({"elicitation_dialog", "agent_needs_input"})
_STATUS = {"completed": "completed", "aborted": "interrupted", "cancelled": "interrupted", "error": "error"}


def drop(hook: Hook) -> Batches:
    """Told better by another event of the same harness."""
    return ()


def note(hook: Hook) -> Batches:
    """Anything else, known or not: kept under the harness's own name with its fields as text."""
    return hook.own(hook.make(Note, name=hook.event, text=findable(hook.left())[:MAX_NOTE], extra=hook.rest()))


def session_start(hook: Hook) -> Batches:
    source = hook.text("source") or None
    start = hook.make(SessionStart, source=source, model=hook.info.model, extra=hook.rest("source"))
    return hook.own(start)


def session_end(hook: Hook) -> Batches:
    return hook.own(hook.make(SessionEnd, reason=hook.text("reason") or None, extra=hook.rest("reason")))


def prompt(hook: Hook) -> Batches:
    """What a person typed; a text with another source, or with a machine's face, is a note."""
    value = hook.get("prompt")
    blocks = content.blocks_of(value)
    text = "\n".join(filter(None, (content.text_or(block.get("text")) for block in blocks)))
    attached = attachments(hook.payload.get("attachments")) + pictures(blocks)
    machine = machine_text.machine_name(text) or (hook.text("source") not in ("", "user") and hook.text("source"))
    rest = hook.rest("prompt", "source", "attachments")
    if hook.info.parent_native_id:
        machine = machine or "task"
    if machine or not (text or attached):
        return hook.own(hook.make(Note, name=machine or hook.event, text=text, extra=rest))
    if machine_text.is_command(text):
        typed = machine_text.typed_command(text)
        return hook.own(hook.make(Prompt, text=typed) if typed else hook.make(Note, name="command", text=text))
    return hook.own(hook.make(Prompt, text=text, attachments=attached, extra=rest))


def attachments(value: JSON) -> tuple[str, ...]:
    """File names of what was attached to a prompt."""
    names = []
    for item in value if isinstance(value, list) else ():
        fields = tools.fields_of(item)
        name = item if isinstance(item, str) else fields.get("file_path") or fields.get("path") or fields.get("name")
        names.append(name if isinstance(name, str) else content.picture_note(fields) or "")
    return tuple(filter(None, names))


def pictures(blocks: Sequence[object]) -> tuple[str, ...]:
    return tuple(filter(None, (content.picture_note(block) for block in blocks if isinstance(block, dict))))


def tool_starts(hook: Hook) -> Batches:
    """What runs now, for the session's activity line; a question to the person also asks for attention."""
    name, value = hook.text("tool"), tool_input(hook)
    family = hook.harness.family(name)
    activity = hook.make(
        Activity,
        name=name,
        family=family,
        text=tools.doing(name, family, value, hook.info.cwd),
        call_id=hook.text("call") or None,
    )
    if name not in _QUESTIONS:
        return hook.own(activity)
    return hook.own(activity, hook.make(Attention, what="question", text=_question(value)))


def _question(value: JSON) -> str:
    fields = tools.fields_of(value)
    asked = fields.get("questions") or fields.get("question") or fields.get("plan")
    if not isinstance(asked, list):
        return content.text_of(asked)
    return "\n".join(filter(None, (content.text_or(tools.fields_of(item).get("question")) for item in asked)))


def tool_input(hook: Hook) -> JSON:
    """The tool's input; some harnesses send it as a JSON string."""
    value = hook.get("input")
    if isinstance(value, str) and value[:1] == "{":
        parsed = content.parse(value)
        return parsed if isinstance(parsed, dict) else value
    return value


def tool_done(hook: Hook) -> Batches:
    result = hook.get("output")
    return hook.own(finished(hook, result, ok=succeeded(result)))


def tool_told(hook: Hook) -> Batches:
    """For agents without an event for failures: how a call went is known only where its result says so."""
    result = hook.get("output")
    return hook.own(finished(hook, result, ok=verdict(result)))


def succeeded(result: JSON) -> bool:
    """A result event counts as success unless the result itself says otherwise."""
    return verdict(result) is not False


def verdict(result: JSON) -> bool | None:
    """What a result says of its own success, None when nothing."""
    code = content.exit_code_of(result)
    fields = tools.fields_of(content.unwrap(result) if isinstance(result, str) else result)
    told = fields.get("success")
    if code or told is False or fields.get("is_error") is True or fields.get("isError") is True:
        return False
    return True if told is True or code == 0 else None


def tool_failed(hook: Hook) -> Batches:
    result = hook.get("error")
    if result is None:
        result = hook.get("output")
    return hook.own(finished(hook, result, ok=False))


def finished(hook: Hook, result: JSON, *, ok: bool | None) -> ToolCall:
    name, value = hook.text("tool"), tool_input(hook)
    family = tool_family(hook.harness.family(name), value)
    return hook.make(
        ToolCall,
        name=name,
        family=family,
        input=value,
        output=content.output_of(result),
        ok=ok,
        exit_code=content.exit_code_of(result),
        duration_ms=content.number(hook.get("duration")),
        call_id=hook.text("call") or None,
        paths=tools.paths_of(name, family, value),
        diff=diffs.diff_of(value, result, hook.info.cwd) if family == "edit" and ok is not False else None,
        extra=hook.rest(*_TOOL_FIELDS),
    )


def tool_family(family: str, value: JSON) -> str:
    """A patch run through the shell is an edit."""
    return "edit" if family == "shell" and diffs.patch_text(value) else family


def reply(hook: Hook) -> Batches:
    text, said = hook.text("reply"), hook.text("message_id") or None
    extra = hook.rest("reply", "message_id")
    return hook.own(hook.make(Reply, text=text, model=hook.info.model, message_id=said, extra=extra)) if text else ()


def thinking(hook: Hook) -> Batches:
    return hook.own(hook.make(Thinking, text=hook.text("text"), extra=hook.rest("text"))) if hook.text("text") else ()


def turn_end(hook: Hook) -> Batches:
    """The end of a turn, never of the session; the answer comes with it where the harness sends it here."""
    reason = _STATUS.get(hook.text("status"), "completed")
    end = hook.make(TurnEnd, reason=reason, extra=hook.rest("reply", "status", "prompt", "message_id"))
    text, said = hook.text("reply"), hook.text("message_id") or None
    if not text:
        return hook.own(end)
    return hook.own(hook.make(Reply, text=text, model=hook.info.model, message_id=said), end)


def turn_failed(hook: Hook) -> Batches:
    details = hook.text("reply") or hook.text("error_details") or hook.text("error")
    return hook.own(hook.make(TurnEnd, reason="error", text=details, extra=hook.rest("reply")))


def interrupted(hook: Hook) -> Batches:
    return hook.own(hook.make(TurnEnd, reason="interrupted", extra=hook.rest()))


def permission(hook: Hook) -> Batches:
    """The agent asks to run something: the command whole, whatever the tool."""
    value = tool_input(hook)
    name = hook.text("tool")
    command = tools.command_of(value) or content.compact(value if value is not None else "")
    about = content.text_or(tools.fields_of(value).get("description")) or f"Permission to use {name or 'a tool'}"
    what = "question" if name in _QUESTIONS else "permission"
    text = _question(value) if what == "question" else about
    extra = {**hook.rest("tool", "input", "call", "permission_suggestions"), "tool_name": name}
    return hook.own(hook.make(Attention, what=what, text=text, command=command or None, extra=extra))


def notification(hook: Hook) -> Batches:
    kind = hook.text("notification_type") or hook.text("type")
    text = hook.text("message") or hook.text("title")
    rest = hook.rest("message", "notification_type")
    if kind in _PERMISSION_NOTICES or (not kind and "needs your permission" in text):
        return hook.own(hook.make(Attention, what="permission", text=text, extra=rest))
    if kind in _QUESTION_NOTICES:
        return hook.own(hook.make(Attention, what="question", text=text, extra=rest))
    return hook.own(hook.make(Notification, name=kind or None, text=text, extra=rest))


def question(hook: Hook) -> Batches:
    """A server or tool wants an answer from the person."""
    return hook.own(hook.make(Attention, what="question", text=hook.text("message"), extra=hook.rest("message")))


def compacting(hook: Hook) -> Batches:
    return hook.own(hook.make(Activity, name=hook.event, text="Compacting the conversation"))


def compacted(hook: Hook) -> Batches:
    done = hook.make(
        Compaction,
        trigger=hook.text("trigger") or None,
        tokens_before=content.number(hook.get("context_tokens")),
        text=hook.text("summary"),
        extra=hook.rest("trigger", "summary", "context_tokens"),
    )
    return hook.own(done)


def subagent_starts(hook: Hook) -> Batches:
    started = _subagent(hook, "started", extra=hook.rest("task", "call"))
    if hook.info.native_id == hook.parent.native_id:
        return _nameless(hook, started)
    events: list[Event] = [hook.make(SessionStart, source="startup", model=hook.info.model)]
    if hook.text("task"):
        events.append(hook.make(Note, name="task", text=hook.text("task")))
    return hook.above(started) + hook.own(*events)


def subagent_stops(hook: Hook) -> Batches:
    """The parent reads the report, the child said it and is over; the parent itself goes on."""
    report = hook.text("reply") or hook.text("summary")
    finished_ = replace(_subagent(hook, "finished", extra=hook.rest("reply", "summary", "task", "call")), text=report)
    if hook.info.native_id == hook.parent.native_id:
        return _nameless(hook, finished_)
    said = [hook.make(Reply, text=report, model=hook.info.model)] if report else []
    return hook.above(finished_) + hook.own(*said, hook.make(SessionEnd, reason=hook.text("status") or "completed"))


def _nameless(hook: Hook, event: Subagent) -> Batches:
    """A subagent without an id has no session of its own; its type is not that of the session it worked for."""
    return (Batch(replace(hook.info, agent_type=None), (event,)),)


def _subagent(hook: Hook, state: str, extra: dict[str, JSON]) -> Subagent:
    return hook.make(
        Subagent,
        agent_id=hook.info.native_id.rpartition("/")[2] if hook.info.parent_native_id else "",
        agent_type=hook.info.agent_type,
        state=state,
        task=hook.text("task"),
        call_id=hook.text("call") or None,
        extra=extra,
    )
