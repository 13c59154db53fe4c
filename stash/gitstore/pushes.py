"""A push as it comes over HTTP: commands and a pack, kept apart until somebody has looked at it."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from stash.gitstore.commands import TIMEOUT, GitFailed, command, environment, run
from stash.gitstore.store import BRANCH

NOTHING = "0" * 40
_CAPABILITIES = b"report-status side-band-64k ofs-delta object-format=sha1 agent=stash"
_MOST_COMMANDS = 20


class BadPush(ValueError):
    """What was sent is not a push."""


@dataclass(frozen=True, slots=True)
class Command:
    before: str
    after: str
    ref: str


@dataclass(frozen=True, slots=True)
class Told:
    """One file as one commit of a push leaves it; ``mode`` is 0 where it removes it."""

    path: str
    mode: int
    blob: str


def packet(data: bytes) -> bytes:
    return b"%04x" % (len(data) + 4) + data


def advertisement(head: str | None) -> bytes:
    """What a pushing client is told first."""
    name = f"{head} {BRANCH.decode()}" if head else f"{NOTHING} capabilities^{{}}"
    first = packet(b"# service=git-receive-pack\n") + b"0000"
    return first + packet(name.encode() + b"\0" + _CAPABILITIES + b"\n") + b"0000"


def commands_of(body: IO[bytes]) -> list[Command]:
    """The commands at the start; the pack is what is left to read."""
    found: list[Command] = []
    while (line := _packet(body)) is not None:
        parts = line.split(b"\0")[0].decode(errors="replace").strip().split(" ", 2)
        if len(parts) != 3 or len(parts[0]) != 40 or len(parts[1]) != 40 or len(found) >= _MOST_COMMANDS:
            raise BadPush("The commands are not understood.")
        found.append(Command(*parts))
    return found


def _packet(body: IO[bytes]) -> bytes | None:
    head = body.read(4)
    if not head or head == b"0000":
        return None
    try:
        size = int(head, 16)
    except ValueError:
        raise BadPush("The packets are not understood.") from None
    if not 4 <= size <= 65520:
        raise BadPush("The packets are not understood.")
    return body.read(size - 4)


def report(commands: list[Command], refused: str, said: str = "") -> bytes:
    """The answer: what became of each command, and words for the person."""
    lines = packet(b"unpack ok\n")
    for one in commands:
        verdict = f"ng {one.ref} {refused.splitlines()[0][:200]}" if refused else f"ok {one.ref}"
        lines += packet(verdict.encode() + b"\n")
    words = "".join(f"{line}\n" for line in (said or refused).splitlines())
    told = packet(b"\x02" + words.encode()[:60000]) if words else b""
    return told + packet(b"\x01" + lines + b"0000") + b"0000"


class Quarantine:
    """Objects of a push that are no part of the repository yet."""

    def __init__(self, repository: Path, folder: Path) -> None:
        self.repository, self.folder = repository, folder

    def unpack(self, pack: IO[bytes], *, most: int) -> None:
        """Check and keep the pack. Raises GitFailed with what is wrong."""
        (self.folder / "pack").mkdir(parents=True)
        arguments = ("index-pack", "--stdin", "--fix-thin", "--strict", f"--max-input-size={most}")
        done = subprocess.run(
            command(self.repository, *arguments), stdin=pack, capture_output=True, env=environment(**self._paths()),
            timeout=TIMEOUT, check=False,
        )  # fmt: skip
        if done.returncode:
            raise GitFailed("index-pack", done.stderr.decode(errors="replace"))

    def git(self, *arguments: str, given: bytes = b"", good: tuple[int, ...] = (0,)) -> bytes:
        return run(self.repository, *arguments, given=given, good=good, **self._paths())

    def follows(self, before: str | None, after: str) -> bool:
        """Whether the old head is on the main line of the new one."""
        line = self.git("rev-list", "--first-parent", "--max-count=20000", after, "--").decode().split()
        return before is None or before in line

    def committers(self, before: str | None, after: str) -> set[str]:
        """Addresses that sign the new commits."""
        said = self.git("log", "--format=%ce", *_span(before, after), "--")
        return set(said.decode(errors="replace").split("\n")) - {""}

    def told(self, before: str | None, after: str) -> list[Told]:
        """Every file that one of the new commits leaves different."""
        said = self.git(
            "log", "-m", "--raw", "--no-abbrev", "--no-renames", "-z", "--format=%x01", *_span(before, after), "--"
        )  # fmt: skip
        found = set()
        for part in said.split(b"\x01")[1:]:
            fields = [one.lstrip(b"\n") for one in part.split(b"\0") if one.strip(b"\n")]
            for facts, path in zip(fields[::2], fields[1::2], strict=False):
                _, mode, _, blob, _ = facts.decode().lstrip(":").split(" ")
                found.add(Told(path.decode(errors="surrogateescape"), int(mode, 8), blob))
        return sorted(found, key=lambda one: (one.path, one.blob))

    def paths(self, commit: str) -> list[str]:
        said = self.git("ls-tree", "-r", "--name-only", "-z", commit)
        return [one.decode(errors="surrogateescape") for one in said.split(b"\0") if one]

    def sizes(self, blobs: list[str]) -> dict[str, int]:
        said = self.git("cat-file", "--batch-check=%(objectname) %(objectsize)", given="\n".join(blobs).encode())
        rows = (line.split() for line in said.decode().splitlines())
        return {row[0]: int(row[1]) for row in rows if row[1].isdigit()}

    def blob(self, blob: str) -> bytes:
        return self.git("cat-file", "blob", blob)

    def accept(self) -> None:
        """Make the objects part of the repository; an index comes after its pack."""
        target = self.repository / "objects" / "pack"
        found = sorted((self.folder / "pack").glob("pack-*"), key=lambda one: one.suffix == ".idx")
        for file in found:
            file.replace(target / file.name)

    def _paths(self) -> dict[str, str]:
        return {
            "GIT_OBJECT_DIRECTORY": str(self.folder),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(self.repository / "objects"),
        }


def _span(before: str | None, after: str) -> tuple[str, ...]:
    return (f"{before}..{after}",) if before else (after,)


@contextmanager
def quarantine(repository: Path) -> Iterator[Quarantine]:
    folder = Path(tempfile.mkdtemp(prefix="incoming-", dir=repository / "objects"))
    try:
        yield Quarantine(repository, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
