"""stat: what kind of thing, how large, changed when."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stash.vfs.errors import Failure
from stash.vfs.shell.options import Options, given
from stash.vfs.shell.process import Process
from stash.vfs.tree import File, Node

_STAT = Options("", "c", {"format=": "c", "printf=": "p"})
_ACCESS = {True: ("555", "dr-xr-xr-x"), False: ("444", "-r--r--r--")}
_DIRECTIVE = re.compile(r"%(.)", re.DOTALL)


def stat(process: Process) -> Iterator[bytes]:
    asked = given(_STAT, process.args)
    if not asked.operands:
        raise Failure("a path is missing")
    for path in asked.operands:
        node = process.existing(path)
        if node is None:
            continue
        told = _formatted(asked.value("c"), path, node) if "c" in asked else _whole(path, node)
        yield f"{told}\n".encode("utf-8", "replace")


def _kind(node: Node) -> str:
    return "directory" if node.is_folder else "regular file"


def _size(node: Node) -> int:
    return node.size() if isinstance(node, File) else 0


def _whole(path: str, node: Node) -> str:
    access = "0{}/{}".format(*_ACCESS[node.is_folder])
    return (
        f"  File: {path}\n  Size: {_size(node)}\t{_kind(node)}\nAccess: ({access})\n"
        f"Modify: {node.modified:%Y-%m-%d %H:%M:%S} +0000"
    )


def _formatted(wanted: str, path: str, node: Node) -> str:
    def one(match: re.Match[str]) -> str:
        letter = match.group(1)
        match letter:
            case "n" | "N":
                return path
            case "s":
                return str(_size(node))
            case "F":
                return _kind(node)
            case "y":
                return f"{node.modified:%Y-%m-%d %H:%M:%S.%f}000 +0000"
            case "Y":
                return str(int(node.modified.timestamp()))
            case "a" | "A":
                return _ACCESS[node.is_folder][letter == "A"]
            case "%":
                return "%"
        raise Failure(f"%{letter}: no such directive here; there are %n %s %F %y %Y %a %A")

    return _DIRECTIVE.sub(one, wanted)
