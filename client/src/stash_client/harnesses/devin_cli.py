"""Devin CLI: slugs for sessions, no working directory in any payload; it loads Claude Code's hooks, too."""

from __future__ import annotations

from dataclasses import replace

from stash_client.harnesses import answers, claude_like, content
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Batches, Harness, Hook
from stash_client.harnesses.generic import GenericReader, by_name
from stash_client.harnesses.tools import fields_of


def tool_done(hook: Hook) -> Batches:
    """The exit code of a command stands in the words of its error."""
    result = hook.get("output")
    call = h.finished(hook, result, ok=h.verdict(result))
    code = content.exit_code_of(fields_of(result).get("error")) if call.exit_code is None else call.exit_code
    return hook.own(replace(call, exit_code=code))


DEVIN_CLI = Harness(
    name="devin-cli",
    label="Devin CLI",
    events=claude_like.events(
        *claude_like.TURN, "SessionEnd", "PermissionRequest", PostToolUse=tool_done, PostCompaction=h.compacted
    ),
    fallback=by_name,
    reader=GenericReader,
    tools={"exec": "shell", "run_subagent": "agent"},
    result_events=frozenset({"PostToolUse"}),
    answer=answers.context_after("SessionStart"),
    injects=frozenset({"SessionStart"}),
)
