"""Text in user records that no person typed."""

from __future__ import annotations

import re
from typing import Optional

from stash_client import fence

_MACHINE = (
    ("briefing", fence.OPEN),
    ("local-command", "<local-command-"),
    ("command-output", "<command-message>"),
    ("bash-output", "<bash-stdout>"),
    ("bash-output", "<bash-stderr>"),
    ("bash-input", "<bash-input>"),
    ("system-reminder", "<system-reminder>"),
    ("task-notification", "<task-notification>"),
    ("teammate-message", "<teammate-message"),
    ("caveat", "Caveat: The messages below were generated"),
    ("caveat", "Caveat:"),
    ("hook-feedback", "<user-prompt-submit-hook>"),
    ("environment", "<environment_context>"),
    ("permissions", "<permissions instructions>"),
    ("instructions", "<user_instructions>"),
    ("instructions", "# AGENTS.md instructions"),
    ("instructions", "<INSTRUCTIONS>"),
    ("collaboration", "<collaboration_mode>"),
    ("skill", "<skill>"),
    ("subagent-notification", "<subagent_notification>"),
    ("turn-aborted", "<turn_aborted>"),
    ("shell-command", "<user_shell_command>"),
    ("context", "<hook_context>"),
    ("context", "<session_context>"),
    ("context", "<external_links>"),
    ("context", "<image_files>"),
    ("context", "<attached_files>"),
    ("context", "<open_and_recently_viewed_files>"),
    ("context", "<user_info>"),
    ("context", "<additional_data>"),
)
INTERRUPTED = "[Request interrupted by user"
_COMMAND = re.compile(r"\s*<command-(?:name|message|args)>")
# Handled inside the terminal program: nothing of them is said to the model.
_LOCAL = frozenset((
    "add-dir", "agents", "bashes", "bug", "chrome", "clear", "color", "compact", "config", "context", "copy", "cost",
    "desktop", "doctor", "effort", "exit", "export", "extra-usage", "fast", "feedback", "files", "fork", "help",
    "hooks", "ide", "init-verifiers", "install-github-app", "install-slack-app", "keybindings", "login", "logout",
    "mcp", "memory", "mobile", "model", "output-style", "permissions", "plan", "plugin", "plugins",
    "privacy-settings", "quit", "rate-limit-options", "release-notes", "reload-plugins", "remote-control",
    "remote-env", "rename", "resume", "rewind", "sandbox", "settings", "skills", "stats", "status", "statusline",
    "stickers", "tag", "tasks", "terminal-setup", "theme", "todos", "upgrade", "usage", "vim", "voice",
))  # fmt: skip


def machine_name(text: str) -> Optional[str]:
    """What kind of machine-made text this is, or None for text a person typed (who may well write about a tag)."""
    head = text.lstrip()[:80]
    for name, start in _MACHINE:
        if head.startswith(start):
            return name
    return None


def is_interruption(text: str) -> bool:
    return text.lstrip().startswith(INTERRUPTED)


def is_command(text: str) -> bool:
    """Whether this is the wrapper Claude Code writes around a slash command."""
    return bool(_COMMAND.match(text))


def typed_command(text: str) -> Optional[str]:
    """``/review src/client.py`` out of its wrapper; None for commands of the terminal itself such as /model."""
    name, args = _inside(text, "command-name"), _inside(text, "command-args")
    bare = name.lstrip("/")
    if not bare or bare in _LOCAL:
        return None
    return f"/{bare} {args}".strip()


def _inside(text: str, tag: str) -> str:
    _, _, rest = text.partition(f"<{tag}>")
    inner, closed, _ = rest.partition(f"</{tag}>")
    return inner.strip() if closed else ""
