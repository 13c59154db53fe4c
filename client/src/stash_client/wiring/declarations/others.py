"""Agents that are wired where the facts are known well enough."""

from __future__ import annotations

from typing import Any

from stash_client.wiring.commands import hook_path, quoted
from stash_client.wiring.declarations.base import (
    GUESSED,
    MARK,
    READ,
    TOLD,
    ConfigFile,
    Hindrance,
    HookFile,
    Installer,
    OwnFile,
    Spot,
    each,
    flat,
    within,
)
from stash_client.wiring.edits import Entry
from stash_client.wiring.plugins import source

QWEN_CODE = Installer(
    "qwen-code",
    "Qwen Code",
    folders=("~/.qwen",),
    programs=("qwen",),
    parts=(
        HookFile(
            Spot("~/.qwen", "settings.json"),
            each(
                "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
                "Stop", "SubagentStart", "SubagentStop", "PreCompact",
            ),
            timeout=None,
        ),
    ),
    sends_sure=f"{READ}, in part {GUESSED}",
    notes=("No timeout is set: its documents disagree whether it is in seconds or milliseconds.",),
    mcp="~/.qwen/settings.json mcpServers",
)  # fmt: skip


def _kimi(file: HookFile, event: str, command: str) -> Any:
    return {"event": event, "command": command, **file.limit()}


KIMI_CODE = Installer(
    "kimi-code",
    "Kimi Code",
    folders=("~/.kimi-code",),
    programs=("kimi",),
    parts=(
        HookFile(
            Spot("~/.kimi-code", "config.toml"),
            each(
                "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
                "Stop", "SubagentStart", "SubagentStop", "PreCompact", "Notification",
            ),
            shape=_kimi,
            listed=True,
            format="toml",
            skeleton="",
        ),
    ),
    hooks_sure=TOLD,
    sends_sure=TOLD,
    notes=("Any other key in [[hooks]] makes its whole configuration fail, so ours are marked by a comment.",),
    mcp="~/.kimi-code/mcp.json mcpServers",
)  # fmt: skip

GROK = Installer(
    "grok",
    "Grok",
    folders=("~/.grok",),
    programs=("grok",),
    parts=(
        HookFile(
            Spot("~/.grok", "hooks/stash.json"),
            each(
                "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
                "Stop", "SubagentStart", "SubagentStop", "PreCompact",
            ),
            timeout=5,
        ),
    ),
    sends_sure=TOLD,
    reads=("claude-code", "cursor"),
    mcp="~/.grok/config.toml [mcp_servers.NAME]",
)  # fmt: skip


def _goose_manifest(harness: str) -> str:
    return (
        '{\n  "name": "stash",\n  "version": "1.0.0",\n'
        f'  "description": "{MARK}: keeps sessions in the memory of your team"\n}}\n'
    )


GOOSE = Installer(
    "goose",
    "Goose",
    folders=("~/.config/goose", "~/.local/share/goose"),
    programs=("goose",),
    parts=(
        OwnFile(Spot("~/.agents/plugins/stash", "plugin.json"), _goose_manifest),
        HookFile(
            Spot("~/.agents/plugins/stash", "hooks/hooks.json"),
            each(
                "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
                "Stop", matcher=".*", tools=("PreToolUse", "PostToolUse", "PostToolUseFailure"),
            ),
            timeout=10,
        ),
    ),
    notes=("Its payloads hold no tool output; that comes with the import of its sessions.",),
    mcp="~/.config/goose/config.yaml extensions",
)  # fmt: skip

_CLINE = (
    "TaskStart", "TaskResume", "TaskCancel", "TaskComplete", "UserPromptSubmit", "PreToolUse", "PostToolUse",
    "PreCompact",
)  # fmt: skip


def _cline_script(event: str) -> str:
    call = quoted(str(hook_path()), ["cline", event], "sh")
    return f"#!/bin/sh\n# {MARK}\n{call} 2>/dev/null || printf '{{\"cancel\":false}}\\n'\n"


def _cline(event: str) -> OwnFile:
    return OwnFile(Spot("~/Documents/Cline/Hooks", event), lambda harness: _cline_script(event), executable=True)


CLINE = Installer(
    "cline",
    "Cline",
    folders=("~/Documents/Cline", "~/.cline"),
    programs=("cline",),
    parts=tuple(_cline(event) for event in _CLINE),
    notes=("Hooks are files named after the event; where you have one of your own, call ours from it.",),
    mcp="cline_mcp_settings.json mcpServers",
)

WINDSURF = Installer(
    "windsurf",
    "Windsurf (Cascade)",
    folders=("~/.codeium/windsurf",),
    programs=("windsurf",),
    parts=(
        HookFile(
            Spot("~/.codeium/windsurf", "hooks.json"),
            each(
                "pre_user_prompt", "post_read_code", "post_write_code", "post_run_command", "post_mcp_tool_use",
                "post_cascade_response",
            ),
            shape=flat,
            timeout=None,
            extra={"show_output": False},
        ),
    ),
    sends_sure=TOLD,
    mcp="~/.codeium/windsurf/mcp_config.json",
)  # fmt: skip

VSCODE_COPILOT = Installer(
    "vscode-copilot",
    "VS Code Copilot",
    folders=("~/.vscode", "~/.config/Code", "~/Library/Application Support/Code"),
    programs=("code",),
    through="claude-code",
    notes=("It reads ~/.claude/settings.json, so wiring Claude Code wires it too; it ignores matchers.",),
    mcp=".vscode/mcp.json servers",
)

OPENCODE = Installer(
    "opencode",
    "OpenCode",
    folders=("~/.config/opencode", "~/.local/share/opencode"),
    programs=("opencode",),
    parts=(
        OwnFile(
            Spot("~/.config/opencode", "plugins/stash.js", env="XDG_CONFIG_HOME"), lambda harness: source("opencode.js")
        ),
    ),
    elsewhere=((Spot("~/.config/opencode", "opencode.json", env="XDG_CONFIG_HOME"), "plugins/stash.js"),),
    notes=(
        "A plugin of one file, found in the plugins folder; do not name it in the plugin array too, or it runs twice.",
        "The beta opencode2 has another plugin interface and is not wired.",
    ),
    mcp="opencode.json mcp.NAME",
)


def _openclaw_is_off(value: Any) -> str:
    if within(value, "plugins", "enabled") is False:
        return "Plugins are switched off in OpenClaw: plugins.enabled is false in openclaw.json."
    allowed, denied = within(value, "plugins", "allow"), within(value, "plugins", "deny")
    kept_out = (isinstance(allowed, list) and "stash" not in allowed) or (
        isinstance(denied, list) and "stash" in denied
    )
    return "OpenClaw does not load the plugin: see plugins.allow and plugins.deny in openclaw.json." if kept_out else ""


_OPENCLAW = "~/.openclaw/extensions/stash"
OPENCLAW = Installer(
    "openclaw",
    "OpenClaw",
    folders=("~/.openclaw",),
    programs=("openclaw",),
    parts=(
        OwnFile(Spot(_OPENCLAW, "openclaw.plugin.json"), lambda harness: source("openclaw.plugin.json")),
        OwnFile(Spot(_OPENCLAW, "package.json"), lambda harness: source("openclaw.package.json")),
        OwnFile(Spot(_OPENCLAW, "index.js"), lambda harness: source("openclaw.js")),
        ConfigFile(
            Spot("~/.openclaw", "openclaw.json"),
            (Entry(("plugins", "entries"), {"enabled": True, "hooks": {"allowConversationAccess": True}}, "stash"),),
        ),
    ),
    trust='Restart the gateway, or run: openclaw plugins reload. Where plugins.allow is set, add "stash" to it.',
    hindrance=Hindrance(Spot("~/.openclaw", "openclaw.json"), "json", _openclaw_is_off),
    notes=(
        "A plugin in the extensions folder and the entry that lets it see conversations.",
        "It starts stash-hook as a process, which the code scan of `openclaw plugins install` would refuse unforced.",
    ),
    mcp="~/.openclaw/openclaw.json mcp.servers",
)
