"""What happened to a repository: commits with the files they changed, lines and who wrote them, differences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from stash.gitstore.commands import run

_FORMAT = "%x01%H%x00%an%x00%ae%x00%ce%x00%ct%x00%B%x00"


@dataclass(frozen=True, slots=True)
class Logged:
    """One commit; ``changed``: (letter, path, blob before, blob after)."""

    commit: str
    author: str
    email: str
    committer_email: str
    at: datetime
    message: str
    changed: list[tuple[str, str, str, str]]

    def trailer(self, name: str) -> str:
        """Of the last paragraph."""
        last = self.message.rstrip().rsplit("\n\n", 1)[-1]
        for line in reversed(last.splitlines()):
            key, _, value = line.partition(": ")
            if key.casefold() == name.casefold():
                return value.strip()
        return ""

    @property
    def subject(self) -> str:
        return self.message.split("\n", 1)[0].strip()


def log(repository: Path, before: str | None, after: str) -> Iterator[Logged]:
    """Commits of the main line from behind ``before`` up to ``after``, oldest first."""
    span = f"{before}..{after}" if before else after
    said = run(
        repository, "log", "--first-parent", "-m", "--reverse", "--raw", "--no-abbrev", "--no-renames", "-z",
        f"--format={_FORMAT}", span, "--",
    )  # fmt: skip
    for part in said.decode(errors="replace").split("\x01")[1:]:
        yield _logged(part)


def _logged(part: str) -> Logged:
    commit, author, email, committer, at, message, *rest = part.split("\0")
    fields = [one.lstrip("\n") for one in rest if one.strip("\n")]
    changed = []
    for facts, path in zip(fields[::2], fields[1::2], strict=False):
        _, _, before, after, letter = facts.lstrip(":").split(" ")
        changed.append((letter[:1], path, before, after))
    return Logged(commit, author, email, committer, datetime.fromtimestamp(int(at), UTC), message, changed)


def diff(repository: Path, before: str, after: str, path: str) -> str:
    """A unified difference of one file between two commits."""
    return run(
        repository, "diff", "--no-color", "--no-ext-diff", "--no-textconv", before, after, "--", path
    ).decode(errors="replace")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    commit: str
    author: str
    at: datetime
    text: str


def blame(repository: Path, commit: str, path: str) -> list[Line]:
    """Each line of a file with the commit that wrote it."""
    said = run(repository, "blame", "--porcelain", commit, "--", path).decode(errors="replace")
    known: dict[str, dict[str, str]] = {}
    lines: list[Line] = []
    current = ""
    for row in said.split("\n"):
        if row.startswith("\t"):
            facts = known[current]
            moment = datetime.fromtimestamp(int(facts["author-time"]), UTC)
            lines.append(Line(current, facts["author"], moment, row[1:]))
            continue
        name, _, value = row.partition(" ")
        if len(name) == 40:
            current = name
            known.setdefault(current, {})
        elif current:
            known[current][name] = value
    return lines
