"""The command that an agent's settings call: the hook's absolute path, quoted for the shell that will read it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from stash_client import home

SH, ARGV, CMD, POWERSHELL, GIT_BASH = "sh", "argv", "cmd", "powershell", "git-bash"


def hook_path() -> Path:
    """Where the hook stands; agents are given this path, never a name to look up."""
    if sys.platform == "win32":
        return Path(sys.executable).with_name("stash-hook.exe")
    return home.folder().absolute() / "bin" / "stash-hook"


def quoted(hook: str, words: list[str], manner: str, *, harmless: bool = False) -> str:
    """One command line. ``harmless``: it must not fail even when the script is gone (some agents take that for no)."""
    if manner in (SH, ARGV):
        line = " ".join(map(shlex.quote, [hook, *words]))
        return f"{line} 2>/dev/null || true" if harmless and manner == SH else line
    tail = " ".join(words)
    if manner == POWERSHELL:
        return "& '" + hook.replace("'", "''") + f"' {tail}"
    path = hook.replace("\\", "/") if manner == GIT_BASH else hook
    return f'"{path}" {tail}'
