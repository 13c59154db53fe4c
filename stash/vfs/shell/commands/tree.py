"""tree: folders as a drawing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from stash.vfs.errors import Failure
from stash.vfs.shell.globs import matches
from stash.vfs.shell.options import Given, Options, given
from stash.vfs.shell.process import Process, number
from stash.vfs.shell.walking import MOST_DEEP, joined
from stash.vfs.tree import Folder

_TREE = Options("adfi", "LPI", {"noreport": "N"})


def tree(process: Process) -> Iterator[bytes]:
    asked = given(_TREE, process.args)
    deepest = number(asked.value("L", str(MOST_DEEP)), "invalid level")
    if not deepest:
        raise Failure("-L: the level must be greater than 0")
    counts: Counter[bool] = Counter()
    for path in asked.operands or ["."]:
        node = process.node(path)
        if not isinstance(node, Folder):
            yield f"{path}  [error opening dir]\n".encode("utf-8", "replace")
            process.status = 2
            continue
        yield f"{path}\n".encode("utf-8", "replace")
        yield from _branches(node, path, "", min(deepest, MOST_DEEP), asked, counts)
    if "N" not in asked:
        yield f"\n{_counted(counts[True], 'director', 'y', 'ies')}{_files(counts, asked)}\n".encode()


def _branches(
    folder: Folder, path: str, indent: str, left: int, asked: Given, counts: Counter[bool]
) -> Iterator[bytes]:
    inside = [node for node in folder.entries() if _is_shown(node.name, is_folder=node.is_folder, asked=asked)]
    for position, node in enumerate(inside):
        counts[node.is_folder] += 1
        is_last = position == len(inside) - 1
        name = joined(path, node.name) if "f" in asked else node.name
        drawn = "" if "i" in asked else indent + ("└── " if is_last else "├── ")
        yield f"{drawn}{name}\n".encode("utf-8", "replace")
        if isinstance(node, Folder) and left > 1:
            deeper = indent + ("    " if is_last else "│   ")
            yield from _branches(node, joined(path, node.name), deeper, left - 1, asked, counts)


def _is_shown(name: str, *, is_folder: bool, asked: Given) -> bool:
    if ("d" in asked and not is_folder) or ("a" not in asked and name.startswith(".")):
        return False
    if any(matches(pattern, name) for pattern in asked.values("I")):
        return False
    wanted = asked.values("P")
    return is_folder or not wanted or any(matches(pattern, name) for pattern in wanted)


def _files(counts: Counter[bool], asked: Given) -> str:
    return "" if "d" in asked else ", " + _counted(counts[False], "file", "", "s")


def _counted(count: int, word: str, one: str, many: str) -> str:
    return f"{count} {word}{one if count == 1 else many}"
