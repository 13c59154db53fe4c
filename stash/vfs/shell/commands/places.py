"""cd, pwd, echo, true, false, tee: what needs no file's content."""

from __future__ import annotations

from collections.abc import Iterator

from stash.vfs.errors import Failure
from stash.vfs.shell.process import Process
from stash.vfs.tree import normal

_NOTHING: tuple[bytes, ...] = ()


def cd(process: Process) -> Iterator[bytes]:
    if len(process.args) > 1:
        raise Failure("too many arguments")
    path = process.args[0] if process.args else "/"
    node = process.existing(path)
    if node is not None and not node.is_folder:
        process.say(f"{path}: Not a directory")
    elif node is not None:
        process.cwd = normal(path, process.cwd)
    yield from _NOTHING


def pwd(process: Process) -> Iterator[bytes]:
    yield process.cwd.encode("utf-8", "replace") + b"\n"


def echo(process: Process) -> Iterator[bytes]:
    """With -n; -e is not needed here, and backslashes stay."""
    words = process.args
    end = b"\n"
    while words and words[0] in ("-n", "-E"):
        end = b"" if words[0] == "-n" else end
        words = words[1:]
    yield " ".join(words).encode("utf-8", "replace") + end


def true(process: Process) -> Iterator[bytes]:
    yield from _NOTHING


def false(process: Process) -> Iterator[bytes]:
    process.status = 1
    yield from _NOTHING


def tee(process: Process) -> Iterator[bytes]:
    """Passes on what it reads; nothing here takes writes."""
    for path in process.args:
        if not path.startswith("-") and normal(path, process.cwd) != "/dev/null":
            process.say(f"{path}: Read-only file system")
    yield from process.input()
