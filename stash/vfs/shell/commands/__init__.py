"""Every command by name. A command is a generator function of its Process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches

from stash.vfs.shell.commands.cut import cut
from stash.vfs.shell.commands.finding import find
from stash.vfs.shell.commands.grep import grep
from stash.vfs.shell.commands.listing import ls
from stash.vfs.shell.commands.places import cd, echo, false, pwd, tee, true
from stash.vfs.shell.commands.reading import cat, head, tail, wc
from stash.vfs.shell.commands.recalling import brief, search
from stash.vfs.shell.commands.ripgrep import rg
from stash.vfs.shell.commands.sed import sed
from stash.vfs.shell.commands.sorting import sort, uniq
from stash.vfs.shell.commands.stat import stat
from stash.vfs.shell.commands.tree import tree
from stash.vfs.shell.commands.xargs import xargs
from stash.vfs.shell.process import Process

COMMANDS: Mapping[str, Callable[[Process], Iterator[bytes]]] = {
    "brief": brief,
    "cat": cat,
    "cd": cd,
    "cut": cut,
    "echo": echo,
    "egrep": grep,
    "false": false,
    "fgrep": grep,
    "find": find,
    "grep": grep,
    "head": head,
    "ls": ls,
    "pwd": pwd,
    "rg": rg,
    "search": search,
    "sed": sed,
    "sort": sort,
    "stat": stat,
    "tail": tail,
    "tee": tee,
    "tree": tree,
    "true": true,
    "uniq": uniq,
    "wc": wc,
    "xargs": xargs,
}
_INSTEAD = {
    "less": "cat or head", "more": "cat or head", "awk": "cut, grep or sed -n p", "jq": "grep or rg on events.jsonl",
    "nl": "cat -n", "dir": "ls", "ll": "ls -l", "ag": "rg", "ack": "rg", "fd": "find", "python": "rg", "bash": "rg",
    "locate": "find", "help": "cat /README.md", "man": "cat /README.md", "zgrep": "grep",
}  # fmt: skip


def unknown(name: str) -> str:
    """What to say about a command that is not here."""
    near = get_close_matches(name, COMMANDS, n=1)
    hint = _INSTEAD.get(name) or (near[0] if near else "")
    instead = f" (try {hint})" if hint else ""
    return f"command not found here{instead}; there are {' '.join(COMMANDS)}"
