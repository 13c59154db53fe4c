"""ls: one name in a line, as ls does it when its output is read by a program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from stash.vfs.shell.options import Given, Options, given
from stash.vfs.shell.process import Process
from stash.vfs.shell.walking import joined
from stash.vfs.tree import File, Folder, Node

_LS = Options(
    "laAtR1hrdSFp",
    long={"all": "a", "almost-all": "A", "recursive": "R", "human-readable": "h", "reverse": "r", "directory": "d"},
    harmless=frozenset({"color", "color="}),
    status=2,
)
_FOLDER_SIZE = 4096


class _Line(NamedTuple):
    name: str
    node: Node
    size: int


def ls(process: Process) -> Iterator[bytes]:
    asked = given(_LS, process.args)
    files, folders = [], []
    for path in asked.operands or ["."]:
        node = process.node(path)
        if node is None:
            process.say(f"cannot access '{path}': No such file or directory", 2)
        elif isinstance(node, Folder) and "d" not in asked:
            folders.append((path, node))
        else:
            files.append((path, node))
    lines = _ordered(files, asked)
    yield from _shown(lines, asked)
    titled = len(asked.operands) > 1 or "R" in asked
    first = not lines
    for line in _ordered(folders, asked):
        yield from _folder(process, line.name, line.node, asked, titled=titled, first=first)
        first = False


def _folder(process: Process, path: str, node: Node, asked: Given, *, titled: bool, first: bool) -> Iterator[bytes]:
    assert isinstance(node, Folder)
    if titled:
        yield (b"" if first else b"\n") + f"{path}:\n".encode("utf-8", "replace")
    inside = [(child.name, child) for child in node.entries()]
    dots = [(".", node), ("..", node)] if "a" in asked else []
    lines = _ordered([*dots, *(pair for pair in inside if "a" in asked or "A" in asked or pair[0][:1] != ".")], asked)
    if "l" in asked:
        yield f"total {sum(-(-line.size // 1024) for line in lines)}\n".encode()
    yield from _shown(lines, asked)
    if "R" in asked:
        for line in lines:
            if line.node.is_folder and line.name not in (".", ".."):
                yield from _folder(process, joined(path, line.name), line.node, asked, titled=True, first=False)


def _ordered(pairs: Iterable[tuple[str, Node]], asked: Given) -> list[_Line]:
    """Sizes cost reading the whole file, so they are taken only where they are shown or sorted by."""
    sized = "l" in asked or "S" in asked
    lines = [_Line(name, node, _size(node) if sized else 0) for name, node in pairs]
    lines.sort(key=lambda line: line.name.encode("utf-8", "surrogateescape"))
    if "t" in asked and asked.last("tS") == "t":
        lines.sort(key=lambda line: line.node.modified, reverse=True)
    elif "S" in asked:
        lines.sort(key=lambda line: -line.size)
    return lines[::-1] if "r" in asked else lines


def _size(node: Node) -> int:
    return node.size() if isinstance(node, File) else _FOLDER_SIZE


def _shown(lines: list[_Line], asked: Given) -> Iterator[bytes]:
    width = max((len(_human(line.size, asked)) for line in lines), default=0)
    for line in lines:
        mark = "/" if line.node.is_folder and ("F" in asked or "p" in asked) else ""
        text = f"{line.name}{mark}\n"
        if "l" in asked:
            access = "dr-xr-xr-x" if line.node.is_folder else "-r--r--r--"
            text = f"{access} 1 stash stash {_human(line.size, asked):>{width}} {_date(line.node)} {text}"
        yield text.encode("utf-8", "replace")


def _date(node: Node) -> str:
    return f"{node.modified:%Y-%m-%d %H:%M}"


def _human(size: int, asked: Given) -> str:
    if "h" not in asked or size < 1024:
        return str(size)
    value = float(size)
    for unit in "KMGT":
        value /= 1024
        if value < 1024 or unit == "T":
            break
    return f"{value:.1f}{unit}" if value < 9.95 else f"{value:.0f}{unit}"
