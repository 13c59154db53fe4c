"""Goose: a plugin's hooks, told without what a tool said; its edits and commands are told twice."""

from __future__ import annotations

from collections.abc import Mapping

from stash_client.events import JSON
from stash_client.harnesses import claude_like
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Harness
from stash_client.harnesses.generic import GenericReader, by_name

_FAMILIES = {
    "shell": "shell", "text_editor": "edit", "edit": "edit", "write": "edit", "read": "read", "tree": "search",
    "analyze": "search", "image_processor": "read", "read_image": "read",
}  # fmt: skip


def prompt_named(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    """What a matcher is compared with repeats another field; the message of a prompt is the prompt."""
    rest = {key: value for key, value in payload.items() if key != "matcher_context"}
    if event == "UserPromptSubmit" and "prompt" not in rest:
        rest["prompt"] = rest.pop("message", None)
    return rest


GOOSE = Harness(
    name="goose",
    label="Goose",
    events=claude_like.events(
        *claude_like.TURN, "SessionEnd", "PostToolUseFailure",
        PreToolUseResult=h.drop, BeforeReadFile=h.drop, AfterFileEdit=h.drop, BeforeShellExecution=h.drop,
        AfterShellExecution=h.drop,
    ),
    fallback=by_name,
    reader=GenericReader,
    tools={f"developer__{name}": family for name, family in _FAMILIES.items()},
    resume=("goose", "session", "--resume", "--session-id", "{session}"),
    result_events=frozenset({"PostToolUse", "PostToolUseFailure"}),
    flat=prompt_named,
)  # fmt: skip
