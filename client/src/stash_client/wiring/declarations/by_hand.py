"""Agents that we understand but do not wire: a wrong edit of a settings file costs more than a missing agent."""

from __future__ import annotations

from typing import Any

from stash_client.wiring.commands import ARGV
from stash_client.wiring.declarations.base import GUESSED, READ, TOLD, HookFile, Installer, Spot, each, flat, nested


def _unwired(harness: str, label: str, folders: tuple[str, ...], by_hand: str, **facts: Any) -> Installer:
    return Installer(harness, label, folders, by_hand=by_hand, **{"hooks_sure": TOLD, "sends_sure": TOLD, **facts})


def _process(file: HookFile, event: str, command: str) -> Any:
    words = command.split(" ")
    return {"type": "process", "command": words[0], "args": words[1:], "enabled": True, **file.limit()}


ANTIGRAVITY = _unwired(
    "antigravity",
    "Antigravity CLI",
    ("~/.gemini/config", "~/.gemini/antigravity-cli"),
    "Add a group named stash; the body names no event, so each command must. One bad value drops the whole file "
    "without a word: check with a JSON validator.",
    programs=("agy",),
)
DEVIN_CLI = _unwired(
    "devin-cli", "Devin CLI", ("~/.devin",), "The file is the map of events itself.", programs=("devin",),
    reads=("claude-code",),
)  # fmt: skip
PI = _unwired(
    "pi", "Pi", ("~/.pi",), "An extension that hands each event to the hook.", programs=("pi",),
    hooks_sure=READ, sends_sure=READ,
)  # fmt: skip
OMP = _unwired(
    "omp",
    "Oh My Pi",
    ("~/.omp",),
    "The extension of Pi under the name omp. Where both read PI_CODING_AGENT_DIR, one of the two is enough.",
    programs=("omp",),
    hooks_sure=READ,
    sends_sure=READ,
)
CRUSH = _unwired(
    "crush", "Crush", ("~/.config/crush",), "It reports tool calls and compactions only: no prompts, no end.",
    programs=("crush",), hooks_sure=READ, sends_sure=READ,
)  # fmt: skip
COMMAND_CODE = _unwired(
    "command-code", "Command Code", ("~/.commandcode",), "No matcher on SessionStart and Stop, or they never fire.",
    programs=("cmdc",), hooks_sure=READ, sends_sure=READ,
)  # fmt: skip
POOL = _unwired(
    "pool", "Pool", ("~/.poolside",), "In <repository>/.poolside/settings.yaml.", programs=("pool",),
)  # fmt: skip
ZCODE = _unwired(
    "zcode", "ZCode", ("~/.zcode",), "It has no event for a tool call that succeeded.", programs=("zcode",),
)  # fmt: skip
ZERO = _unwired(
    "zero", "Zero", ("~/.config/zero",), "Its hooks run without a shell (program and arguments apart); what exactly "
    "it sends was not seen.", programs=("zero",), sends_sure=GUESSED,
)  # fmt: skip

EXTENSIONS = {"pi": "~/.pi/agent/extensions/stash.js", "omp": "~/.omp/agent/extensions/stash.js"}
SNIPPETS: dict[str, HookFile] = {
    "antigravity": HookFile(
        Spot("~/.gemini/config", "hooks.json"),
        each("PreInvocation", "PostInvocation", "PreToolUse", "PostToolUse", "Stop", matcher="*",
             tools=("PreToolUse", "PostToolUse")),
        shape=lambda file, event, command: (nested if file.events[event] else flat)(file, event, command),
        root=("stash",),
    ),
    "devin-cli": HookFile(
        Spot("~/.devin", "hooks.v1.json"),
        each("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostCompaction", "Stop", "SessionEnd"),
        root=(),
    ),
    "crush": HookFile(Spot("~/.config/crush", "crush.json"), each("PreToolUse", "PreCompact"), shape=flat),
    "command-code": HookFile(
        Spot("~/.commandcode", "settings.json"), each("SessionStart", "PreToolUse", "PostToolUse", "Stop")
    ),
    "pool": HookFile(
        Spot("<repository>/.poolside", "settings.yaml"),
        each("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"),
        shape=flat, format="yaml", skeleton="", timeout=None,
    ),
    "zcode": HookFile(
        Spot("~/.zcode/cli", "config.json"),
        each("SessionStart", "UserPromptSubmit", "PostToolUseFailure", "Stop"),
        shape=_process, timeout=10_000, unit="ms", timeout_key="timeoutMs", shell=ARGV,
    ),
}  # fmt: skip
