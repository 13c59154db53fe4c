"""What a shell call runs: the command line among a tool's inputs, and the program in it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any


def command_in(given: Any) -> str:
    """The command line among the inputs of a shell call, whatever the harness calls it."""
    if isinstance(given, str):
        return given
    if isinstance(given, dict):
        for name in ("command", "cmd", "script", "code", "input"):
            value = given.get(name)
            if isinstance(value, str):
                return value
            if isinstance(value, list):
                return " ".join(part for part in value if isinstance(part, str))
    return ""


_SKIP: Collection[str] = frozenset({"sudo", "env", "time", "nohup", "exec", "command", "cd"})
_RUNNERS: Collection[str] = frozenset(
    {"uv", "npx", "poetry", "pnpm", "npm", "yarn", "bundle", "docker", "python", "python3"}
)


def program_of(command: str) -> str:
    """What a command line runs, in one or three words: ``git``, ``uv run pytest``, ``python -m venv``."""
    line = command.strip().split("\n", 1)[0]
    if line.startswith("cd ") and "&&" in line:
        line = line.split("&&", 1)[1]
    words = [word for word in line.split()[:12] if "=" not in word.split("/", 1)[0]]
    while words and words[0] in _SKIP:
        words.pop(0)
    if not words:
        return "shell"
    program = words[0].rsplit("/", 1)[-1]
    if program not in _RUNNERS:
        return program[:40]
    rest = [word for word in words[1:3] if len(word) < 40]
    if rest and rest[0] not in ("run", "exec", "-m"):
        rest = rest[:1]
    return " ".join([program, *rest])[:80]
