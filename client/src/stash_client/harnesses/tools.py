"""What kind of tool it is, which files it touches, and what it is doing in a few words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from stash_client.events import JSON
from stash_client.harnesses import diffs
from stash_client.harnesses.content import compact, text_or

COMMON: Mapping[str, str] = {
    **dict.fromkeys(("bash", "shell", "exec_command", "local_shell", "shell_command", "run_terminal_cmd", "powershell",
                     "run_shell_command", "execute_command", "bashoutput", "killshell", "write_stdin", "execute",
                     "run_in_terminal", "run_command", "terminal",
                     "run_terminal_command", "execute_bash", "execute_cmd", "exec", "process", "read_bash",
                     "write_bash", "stop_bash", "read_powershell", "write_powershell", "stop_powershell"), "shell"),
    **dict.fromkeys(("edit", "write", "multiedit", "notebookedit", "apply_patch", "strreplace", "str_replace", "delete",
                     "write_file", "edit_file", "search_replace", "replace", "create", "patch", "replace_in_file",
                     "write_to_file", "delete_file", "create_file", "fs_write", "str_replace_editor"), "edit"),
    **dict.fromkeys(("read", "read_file", "view", "notebookread", "view_image", "readlints", "fs_read",
                     "read_many_files"), "read"),
    **dict.fromkeys(("grep", "glob", "ls", "search", "codebase_search", "semanticsearch", "grep_search", "list_dir",
                     "file_search", "toolsearch", "find", "list_directory", "search_files", "list_files"), "search"),
    **dict.fromkeys(("webfetch", "websearch", "web_search", "web_fetch", "fetch", "google_web_search",
                     "web_extract"), "web"),
    **dict.fromkeys(("task", "agent", "spawn_agent", "wait_agent", "wait", "send_input", "close_agent", "subagent",
                     "resume_agent", "sendmessage", "invoke_agent", "delegate_task", "sessions_spawn", "use_subagent"),
                    "agent"),
}  # fmt: skip
_PATH_KEYS = (
    "file_path", "filePath", "path", "notebook_path", "target_file", "targetFile", "absolute_path",
    "relative_workspace_path", "relativeWorkspacePath", "AbsolutePath",
)  # fmt: skip
_PATTERN_KEYS = ("pattern", "query", "search_term", "glob_pattern", "regex", "path")
_VERSION = re.compile(r"_v\d+\Z")
MAX_PATHS = 200
_LINE = 120


def family_of(name: str, known: Mapping[str, str] = COMMON) -> str:
    """One of FAMILIES; names differ in case between harnesses."""
    if name in known:
        return known[name]
    lower = _VERSION.sub("", name.strip("\0 ").lower())
    if lower.startswith(("mcp__", "mcp:", "mcp_", "@")):
        return "mcp"
    return COMMON.get(lower, "other")


def fields_of(value: JSON) -> Mapping[str, JSON]:
    return value if isinstance(value, Mapping) else {}


def command_of(tool_input: JSON) -> str:
    """The whole command line of a shell call, or ""."""
    fields = fields_of(tool_input)
    command = fields.get("command") or fields.get("cmd")
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        return words[-1] if words[:1] and words[0].endswith("sh") and len(words) > 2 else " ".join(words)
    return text_or(command)


def paths_of(name: str, family: str, tool_input: JSON) -> tuple[str, ...]:
    """Files read or changed, as the harness named them."""
    patch = diffs.patch_text(tool_input)
    if patch:
        return diffs.patch_paths(patch)[:MAX_PATHS]
    if family not in ("read", "edit"):
        return ()
    fields = fields_of(tool_input)
    found = [text_or(fields.get(key)) for key in _PATH_KEYS]
    for many in ("paths", "files", "edits", "operations"):
        found += _many(fields.get(many))
    return tuple(dict.fromkeys(path for path in found if path))[:MAX_PATHS]


def _many(value: JSON) -> Sequence[str]:
    if not isinstance(value, list):
        return ()
    keys = ("file_path", "filePath", "path")
    return [text_or(item) or next(filter(None, (text_or(fields_of(item).get(k)) for k in keys)), "") for item in value]


def doing(name: str, family: str, tool_input: JSON, cwd: str | None) -> str:
    """A few words for a running tool: "Running pytest -q", "Editing src/client.py"."""
    fields = fields_of(tool_input)
    if family == "shell":
        return _line("Running", command_of(tool_input) or name)
    if family in ("edit", "read"):
        paths = [diffs.short_path(path, cwd) for path in paths_of(name, family, tool_input)]
        return _line("Editing" if family == "edit" else "Reading", ", ".join(paths) or name)
    if family == "search":
        return _line("Searching for", _first(fields, _PATTERN_KEYS) or name)
    if family == "web":
        return _line("Looking up", _first(fields, ("url", "query", "prompt")) or name)
    if family == "agent":
        return _line("Asking a subagent:", _first(fields, ("description", "task", "prompt", "message")) or name)
    return _line("Using", name.replace("mcp__", "").replace("__", " ") or "a tool")


def _first(fields: Mapping[str, JSON], keys: Sequence[str]) -> str:
    return next((compact(fields[key]) for key in keys if fields.get(key)), "")


def _line(verb: str, rest: str) -> str:
    lines = rest.strip().splitlines()
    line = lines[0] if lines else ""
    return f"{verb} {line}" if len(line) <= _LINE and len(lines) < 2 else f"{verb} {line[:_LINE].rstrip()}…"
