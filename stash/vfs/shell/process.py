"""One running command: its arguments, what it reads, what it says on stderr, how it ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from stash.vfs.errors import Failure
from stash.vfs.tree import File, Folder, Node, Reader, find, normal


@dataclass
class Process:
    """A command is a generator function of this; it gives bytes to whoever reads, and stops when nobody does."""

    name: str
    args: list[str]
    root: Folder
    reader: Reader
    cwd: str
    stdin: Iterator[bytes] | None = None
    status: int = 0
    errors: list[str] = field(default_factory=list)
    before: int = 0
    """The exit code of the command before: ``$?``."""

    def say(self, message: str, status: int = 1) -> None:
        """To stderr, and remember the worst status."""
        self.errors.append(f"{self.name}: {message}")
        self.status = max(self.status, status)

    def node(self, path: str) -> Node | None:
        """A path that ends in a slash is a folder's only."""
        node = find(self.root, normal(path, self.cwd))
        return None if node is not None and path.endswith("/") and not node.is_folder else node

    def existing(self, path: str, status: int = 1) -> Node | None:
        node = self.node(path) if path else None
        if node is None:
            beyond = path.endswith("/") and self.node(path.rstrip("/")) is not None
            self.say(f"{path}: {'Not a directory' if beyond else 'No such file or directory'}", status)
        return node

    def file(self, path: str, status: int = 1) -> Iterator[bytes] | None:
        """The blocks of a file, or of stdin for ``-``; None (and said) when it cannot be read."""
        if path == "-":
            return self.input()
        node = self.existing(path, status)
        if isinstance(node, Folder):
            self.say(f"{path}: Is a directory", status)
        return node.blocks() if isinstance(node, File) else None

    def input(self) -> Iterator[bytes]:
        return self.stdin if self.stdin is not None else iter(())

    def lines(self, path: str, status: int = 1) -> Iterator[bytes] | None:
        blocks = self.file(path, status)
        return None if blocks is None else lines_of(blocks)

    def sources(self, paths: list[str], status: int = 1) -> Iterator[Source]:
        """Each readable one of ``paths``, or stdin when there is none."""
        for path in paths or ["-"]:
            blocks = self.file(path, status)
            if blocks is not None:
                yield Source(path, blocks)

    def busy(self) -> bool:
        """Whether to go on; for loops that read nothing."""
        return not self.reader.budget.over()


class Source(NamedTuple):
    path: str
    blocks: Iterator[bytes]

    @property
    def lines(self) -> Iterator[bytes]:
        return lines_of(self.blocks)


def lines_of(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """With their ends; only the last may lack one."""
    rest = b""
    for block in blocks:
        *whole, rest = (rest + block).split(b"\n")
        for line in whole:
            yield line + b"\n"
    if rest:
        yield rest


def ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n"


def bare(line: bytes) -> bytes:
    return line[:-1] if line.endswith(b"\n") else line


def number(text: str, what: str) -> int:
    """A count on the command line. Raises Failure."""
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise Failure(f"{what}: {text!r}")
    return int(text)
