"""Windsurf's Cascade, today also in Devin's desktop program: one object of fields per action, no output of commands."""

from __future__ import annotations

from collections.abc import Mapping

from stash_client.events import JSON
from stash_client.harnesses import handlers as h
from stash_client.harnesses.base import Harness
from stash_client.harnesses.content import text_or
from stash_client.harnesses.generic import GenericReader, by_name
from stash_client.harnesses.tools import fields_of

_AROUND = frozenset({"cwd", "output", "stdout", "exit_code", "mcp_result", "mcp_server_name", "mcp_tool_name"})


def flat(payload: Mapping[str, JSON], event: str) -> Mapping[str, JSON]:
    """``tool_info`` as the fields others have: of a tool (``pre_run_command`` starts ``run_command``), or of words."""
    info = fields_of(payload.get("tool_info"))
    rest = {key: value for key, value in payload.items() if key != "tool_info"}
    action = event.partition("_")[2]
    if action.endswith(("_command", "_code", "_tool_use")):
        return {**rest, **_tool(action, info)}
    where = info.get("cwd") or info.get("root_workspace_path")
    return {**rest, **info, "cwd": where, "last_assistant_message": info.get("response"), "response": None}


def _tool(action: str, info: Mapping[str, JSON]) -> Mapping[str, JSON]:
    given = {key: value for key, value in info.items() if key not in _AROUND}
    if "command_line" in given:
        given["command"] = given.pop("command_line")
    name: str = action
    if action == "mcp_tool_use":
        name = f"mcp__{text_or(info.get('mcp_server_name'))}__{text_or(info.get('mcp_tool_name'))}"
        given = dict(fields_of(info.get("mcp_tool_arguments")))
    result = {key: info[key] for key in ("output", "stdout", "exit_code") if key in info}
    return {"tool_name": name, "tool_input": given, "tool_output": info.get("mcp_result") or result or None,
            "cwd": info.get("cwd")}  # fmt: skip


WINDSURF = Harness(
    name="windsurf",
    label="Windsurf",
    events={
        "pre_user_prompt": h.prompt,
        **dict.fromkeys(("pre_read_code", "pre_write_code", "pre_run_command", "pre_mcp_tool_use"), h.tool_starts),
        **dict.fromkeys(("post_read_code", "post_write_code", "post_mcp_tool_use"), h.tool_done),
        "post_run_command": h.tool_told,
        "post_cascade_response": h.turn_end,
        "post_cascade_response_with_transcript": h.drop,
        "post_setup_worktree": h.note,
    },
    fallback=by_name,
    reader=GenericReader,
    tools={"run_command": "shell", "write_code": "edit", "read_code": "read"},
    ends=False,
    result_events=frozenset({"post_read_code", "post_write_code", "post_run_command", "post_mcp_tool_use"}),
    flat=flat,
)
