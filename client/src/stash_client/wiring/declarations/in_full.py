"""Agents whose hooks are commands in a settings file, supported in full."""

from __future__ import annotations

from typing import Any

from stash_client.wiring.commands import ARGV, GIT_BASH, POWERSHELL
from stash_client.wiring.declarations.base import (
    GUESSED,
    TOLD,
    FirstOf,
    Hindrance,
    HookFile,
    Installer,
    Spot,
    each,
    flat,
    within,
)

CLAUDE_CODE = Installer(
    "claude-code",
    "Claude Code",
    folders=("~/.claude",),
    programs=("claude",),
    parts=(
        HookFile(
            Spot("~/.claude", "settings.json", env="CLAUDE_CONFIG_DIR"),
            each(
                "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
                "PermissionRequest", "Notification", "Stop", "StopFailure", "SubagentStart", "SubagentStop",
                "PostCompact",
            ),
            windows_shell=GIT_BASH,
        ),
    ),
    mcp="~/.claude.json mcpServers",
)  # fmt: skip

_CODEX_CONFIG = Spot("~/.codex", "config.toml", env="CODEX_HOME")


def _codex_is_off(value: Any) -> str:
    off = [name for name in ("hooks", "codex_hooks") if within(value, "features", name) is False]
    return f"Hooks are switched off in Codex: {off[0]} = false under [features] in config.toml." if off else ""


CODEX = Installer(
    "codex",
    "Codex CLI",
    folders=("~/.codex",),
    programs=("codex",),
    parts=(
        HookFile(
            Spot("~/.codex", "hooks.json", env="CODEX_HOME"),
            each(
                "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest",
                "PostCompact", "SubagentStart", "SubagentStop", "Stop", "Interrupt",
            ),
        ),
    ),
    elsewhere=((_CODEX_CONFIG, "stash-hook"),),
    hindrance=Hindrance(_CODEX_CONFIG, "toml", _codex_is_off),
    trust="Codex runs a hook only after its person approved it: open /hooks in Codex once and trust the commands.",
    notes=(
        "Older builds take no command for an event they do not know; SessionEnd needs 0.145.",
        "Nothing but `hooks` may stand at the top of hooks.json, not even a comment key: the whole file is dropped.",
    ),
    mcp="~/.codex/config.toml [mcp_servers.NAME]",
)  # fmt: skip

CURSOR = Installer(
    "cursor",
    "Cursor",
    folders=("~/.cursor",),
    programs=("cursor", "cursor-agent"),
    parts=(
        HookFile(
            Spot("~/.cursor", "hooks.json"),
            each(
                "sessionStart", "sessionEnd", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure",
                "subagentStart", "subagentStop", "afterAgentResponse", "preCompact", "stop",
            ),
            shape=flat,
            skeleton='{\n  "version": 1\n}\n',
        ),
    ),
    reads=("claude-code",),
    notes=("One family of events only: the special ones (afterShellExecution ...) would report every call again.",),
    mcp="~/.cursor/mcp.json mcpServers",
)  # fmt: skip

GEMINI_CLI = Installer(
    "gemini-cli",
    "Gemini CLI",
    folders=("~/.gemini",),
    programs=("gemini",),
    parts=(
        HookFile(
            Spot("~/.gemini", "settings.json"),
            each(
                "SessionStart", "SessionEnd", "BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "PreCompress",
                "Notification", matcher="*", tools=("BeforeTool", "AfterTool"),
            ),
            timeout=10_000,
            unit="ms",
            windows_shell=POWERSHELL,
            harmless=True,
        ),
    ),
    notes=("An exit code other than 0 and 1 denies the action, so the command cannot fail.",),
    mcp="~/.gemini/settings.json mcpServers",
)  # fmt: skip

HERMES = Installer(
    "hermes",
    "Hermes",
    folders=("~/.hermes",),
    programs=("hermes",),
    parts=(
        HookFile(
            Spot("~/.hermes", "config.yaml", windows="%LOCALAPPDATA%/hermes"),
            each(
                "on_session_start", "on_session_end", "on_session_finalize", "on_session_reset", "pre_llm_call",
                "post_llm_call", "pre_tool_call", "post_tool_call", "subagent_start", "subagent_stop",
            ),
            shape=flat,
            format="yaml",
            skeleton="",
            shell=ARGV,
        ),
    ),
    trust="Hermes asks once for each command: answer yes, or start it with --accept-hooks.",
    notes=("Files with anchors, tags, merge keys, several documents and the like are left to you.",),
    mcp="~/.hermes/config.yaml mcp_servers",
)  # fmt: skip


def _copilot(file: HookFile, event: str, command: str) -> Any:
    field = "powershell" if command.startswith("& ") else "bash"
    return {"type": "command", field: command, **file.limit()}


COPILOT_CLI = Installer(
    "copilot-cli",
    "GitHub Copilot CLI",
    folders=("~/.copilot",),
    programs=("copilot",),
    parts=(
        HookFile(
            Spot("~/.copilot", "hooks/stash.json"),
            each(
                "sessionStart", "sessionEnd", "userPromptSubmitted", "preToolUse", "postToolUse", "postToolUseFailure",
                "agentStop", "subagentStart", "subagentStop", "errorOccurred", "preCompact",
            ),
            shape=_copilot,
            timeout_key="timeoutSec",
            skeleton='{\n  "version": 1\n}\n',
            windows_shell=POWERSHELL,
        ),
    ),
    notes=("It also loads hooks in a project's .claude/settings.json; Stash writes none there.",),
    mcp="~/.copilot/mcp-config.json mcpServers",
)  # fmt: skip


def _kiro(file: HookFile, event: str, command: str) -> Any:
    action = {"type": "command", "command": command}
    return {"name": f"stash-{event}", "trigger": event, "action": action, **file.limit(), "enabled": True}


KIRO = Installer(
    "kiro",
    "Kiro CLI",
    folders=("~/.kiro",),
    programs=("kiro-cli",),
    parts=(
        HookFile(
            Spot("~/.kiro", "hooks/stash.json"),
            each("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "PostCompact"),
            shape=_kiro,
            listed=True,
            skeleton='{\n  "version": "v1"\n}\n',
        ),
    ),
    sends_sure=f"version 2 {TOLD}, 3 {GUESSED}",
    notes=(
        "This is the hook file of version 3, which serves every agent; what version 3 sends is not documented.",
        "Version 2 has hooks inside agent files only, and its built-in agent has no file: see by hand.",
    ),
    by_hand=(
        'Version 2: in each agent file in ~/.kiro/agents that you use, add under "hooks" for the events agentSpawn, '
        "userPromptSubmit, preToolUse, postToolUse and stop an entry "
        '{"command": "HOOK kiro EVENT", "timeout_ms": 10000}. A custom agent needs its own "tools".'
    ),
    mcp="~/.kiro/settings/mcp.json",
)

DROID = Installer(
    "droid",
    "Droid",
    folders=("~/.factory",),
    programs=("droid",),
    parts=(
        FirstOf((
            HookFile(Spot("~/.factory", "hooks.json"), _DROID_EVENTS := each(
                "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Notification", "Stop",
                "SubagentStop", "PreCompact", matcher="*", tools=("PreToolUse", "PostToolUse"),
            ), root=()),
            HookFile(Spot("~/.factory", "settings.json"), _DROID_EVENTS),
        )),
    ),
    notes=("A new hooks.json would hide the hooks in settings.json, so it is used only where it exists.",),
    mcp="~/.factory/mcp.json",
)  # fmt: skip
