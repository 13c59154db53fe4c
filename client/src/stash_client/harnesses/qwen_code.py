"""Qwen Code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stash_client.events import JSON, Compaction, Note, Usage
from stash_client.harnesses import answers, claude_like, content
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import UNKNOWN_SESSION, Batches, Harness, Hook, identifier
from stash_client.harnesses.content import number, text_or
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.messages import MessageReader
from stash_client.harnesses.sources import JSONL, Source, read_file, stem
from stash_client.harnesses.tools import fields_of
from stash_client.harnesses.transcripts import Transcript


def prompt(hook: Hook) -> Batches:
    """Results of tools and words of hooks come as prompts too; only what a person sent says so."""
    if hook.payload.get("submitted_prompt"):
        return h.prompt(hook)
    return hook.own(hook.make(Note, name="continuation", text=hook.text("prompt"), extra=hook.rest("prompt")))


def plain(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    """What was typed as the prompt, what the model reads of a result as the result."""
    made = dict(payload)
    result = fields_of(payload.get("tool_response"))
    if event == "UserPromptSubmit" and payload.get("submitted_prompt"):
        made["prompt"] = payload["submitted_prompt"]
    elif "llmContent" in result:
        made["tool_response"] = result["llmContent"] or result.get("returnDisplay")
    return made


class QwenReader(MessageReader):
    """Records of a tree, with the messages of Gemini's interface: parts of text, thought, call or response."""

    def record(self, record: Mapping[str, JSON]) -> None:
        kind, message = text_or(record.get("type")), fields_of(record.get("message"))
        self.at = content.moment(record.get("timestamp")) or self.at
        self.key = identifier(record.get("uuid")) or f"line {self.n}"
        self._enter(record)
        if kind == "system":
            self._system(record)
        elif kind == "tool_result":
            self._answers(message, fields_of(record.get("toolCallResult")))
        elif kind == "user":
            self.user_parts(content.blocks_of(message.get("parts")), ())
        elif kind == "assistant":
            self._answer(message, fields_of(record.get("usageMetadata")))
        else:
            self.unknown(kind or "record", record)

    def _enter(self, record: Mapping[str, JSON]) -> None:
        main = self.main or identifier(record.get("sessionId")) or UNKNOWN_SESSION
        agent = identifier(record.get("agentId"))
        self.enter(
            self.given if self.given and "/" in self.given else f"{main}/{agent}" if agent else main,
            cwd=text_or(record.get("cwd")),
            branch=text_or(record.get("gitBranch")),
            model=text_or(record.get("model")),
            harness_version=text_or(record.get("version")),
        )

    def _answer(self, message: Mapping[str, JSON], usage: Mapping[str, JSON]) -> None:
        cached, sent = number(usage.get("cachedContentTokenCount")) or 0, number(usage.get("promptTokenCount")) or 0
        thought, made = number(usage.get("thoughtsTokenCount")) or 0, number(usage.get("candidatesTokenCount")) or 0
        self.owe(Usage(max(sent - cached, 0), made + thought, cached, 0))
        for i, part in enumerate(content.blocks_of(message.get("parts"))):
            call = fields_of(part.get("functionCall"))
            if call:
                self.called(identifier(call.get("id")), text_or(call.get("name")), call.get("args"), i)
            elif part.get("thought") is True:
                self.thought(text_or(part.get("text")), i)
            else:
                self.reply(text_or(part.get("text")), i, model=self.info.model)

    def _answers(self, message: Mapping[str, JSON], told: Mapping[str, JSON]) -> None:
        for i, part in enumerate(content.blocks_of(message.get("parts"))):
            response = fields_of(part.get("functionResponse"))
            call_id = identifier(response.get("id")) or identifier(told.get("callId"))
            said = fields_of(response.get("response"))
            output = content.output_of(said.get("error") or said.get("output", told.get("resultDisplay")))
            failed = bool(said.get("error")) or text_or(told.get("status")) in ("error", "cancelled")
            self.answered(call_id, output, i, ok=not failed, exit_code=content.exit_code_of(output))

    def _system(self, record: Mapping[str, JSON]) -> None:
        subtype, told = text_or(record.get("subtype")), fields_of(record.get("systemPayload"))
        if subtype == "chat_compression":
            info = fields_of(told.get("info"))
            before, after = number(info.get("originalTokenCount")), number(info.get("newTokenCount"))
            self.emit(Compaction, tokens_before=before, tokens_after=after)
        elif subtype == "custom_title":
            self.enter(self.current, title=text_or(told.get("customTitle")) or text_or(told.get("title")))
        else:
            self.ignored[f"system {subtype}"] += 1


def _read(path: str) -> Iterator[Transcript]:
    yield read_file(QWEN_CODE, path, stem(path))


QWEN_CODE = Harness(
    name="qwen-code",
    label="Qwen Code",
    events=claude_like.events(
        *claude_like.TURN, "SessionEnd", "PostToolUseFailure", "PreCompact", "SubagentStart", "SubagentStop",
        "Notification", "PermissionRequest", "MessageDisplay", "PostCompact", "StopFailure",
        UserPromptSubmit=prompt, SessionDelete=h.note, TodoCreated=h.drop, TodoCompleted=h.drop,
    ),
    fallback=by_name,
    reader=QwenReader,
    resume=("qwen", "--resume", "{session}"),
    result_events=frozenset({"PostToolUse", "PostToolUseFailure"}),
    answer=answers.context_after("SessionStart", "UserPromptSubmit"),
    injects=frozenset({"SessionStart"}),
    flat=plain,
    sources=(
        Source("~/.qwen/projects/*/chats/*.jsonl", JSONL, _read, verified=False),
    ),
)  # fmt: skip
