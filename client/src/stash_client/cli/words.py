"""What stands on the command line for every command: taken out, wherever it stands, before a command sees the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Asked:
    """``command``: "" when none is named. ``rest``: what is the command's own. ``problem``: what makes no sense."""

    command: str = ""
    rest: Sequence[str] = field(default_factory=list)
    json: bool = False
    yes: bool = False
    version: bool = False
    server: str = ""
    problem: str = ""

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Asked:
        """Behind ``--`` everything is the command's own."""
        rest: list[str] = []
        flags = {"json": False, "yes": False, "version": False}
        server = problem = ""
        left = list(words)
        while left:
            word = left.pop(0)
            if word == "--":
                rest += [word, *left]
                break
            if word in ("--json", "--yes", "-y") or (word == "--version" and not rest):
                flags["yes" if word == "-y" else word[2:]] = True
            elif word == "--server" or word.startswith("--server="):
                server = word.partition("=")[2] or (left.pop(0) if word == "--server" and left else "")
                problem = problem or ("" if server else "--server needs the label of a server.")
            else:
                rest.append(word)
        command = rest.pop(0) if rest and rest[0] not in ("--", "-h", "--help") else ""
        if not command and rest and rest[0].startswith("-"):
            rest = []
        if command.startswith("-"):
            problem = problem or f"stash has no option {command!r}."
        return cls(command, rest, **flags, server=server, problem=problem)
