"""Reads the script of one session.

A script is a head of ``name: value`` lines, an empty line, and blocks. A block starts with ``== word argument options``
and what follows is its text, up to the next block. In the text of a call, ``--`` on a line of its own parts the input
from the output.

    == prompt                     what the person typed
    == reply                      markdown of the agent
    == bash exit=1 took=3.4       command -- output
    == read path 1-140            also: grep pattern (text: output), web url
    == edit path                  lines of a diff under ``@@ 31 heading``; line counts are worked out
    == write path                 a new file
    == agent task                 text: its report; its own calls follow as ``==== grep pattern`` and so on
    == compact 148000 21000       text: what was kept
    == ask Allow this command?    text: the command; == question: text alone
    == doing text                 what runs now
    == end                        the turn is over; ``== end error`` with the reason as text
    == close                      the session is over
    == live                       the blocks after it are played again and again by ``demo --live``

``+20`` makes a block come later than usual; the gaps are stretched so that the whole takes as long as the head says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

FOLDER = Path(__file__).parent / "sessions"
_BLOCK = re.compile(r"^(==|====) (\w+) ?(.*)$")
_OPTION = re.compile(r"^(?:\+(?P<gap>\d+)|(?P<name>[a-z]+)=(?P<value>\S+))$")
_GAPS = {"prompt": 12.0, "reply": 6.0, "agent": 14.0, "ask": 3.0, "end": 2.0}
_SPAN = re.compile(r"(\d+)\s*(d|h|min|s)")
_SECONDS = {"d": 86400, "h": 3600, "min": 60, "s": 1}


@dataclass(slots=True)
class Block:
    """``gap``: its share of the session's length, before it happens. ``calls``: what a subagent did."""

    word: str
    argument: str = ""
    options: dict[str, str] = field(default_factory=dict)
    gap: float = 2.0
    text: str = ""
    calls: list[Block] = field(default_factory=list)

    @property
    def parts(self) -> tuple[str, str]:
        """Input and output of a call."""
        given, _, output = f"\n{self.text}\n".partition("\n--\n")
        return given.strip("\n"), output.rstrip("\n")


@dataclass(slots=True)
class Script:
    """One session. ``ended``: how long ago its last event was."""

    name: str
    head: dict[str, str]
    blocks: list[Block]
    live: list[Block]

    @property
    def lasted(self) -> timedelta:
        return span_of(self.head["lasted"])

    @property
    def ended(self) -> timedelta:
        return span_of(self.head["ended"])

    def moments(self) -> Iterator[tuple[Block, timedelta]]:
        """Each block with how long ago it happened, counted from the moment of playing."""
        total = sum(block.gap for block in self.blocks[1:]) or 1.0
        passed = 0.0
        for index, block in enumerate(self.blocks):
            passed += block.gap if index else 0.0
            yield block, self.ended + self.lasted * (1 - passed / total)


def scripts() -> list[Script]:
    """All of them, longest ago first, as they would have come in."""
    found = [read_script(path.stem, path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.txt"))]
    return sorted(found, key=lambda script: script.ended + script.lasted, reverse=True)


def read_script(name: str, text: str) -> Script:
    head, _, body = text.partition("\n\n")
    facts = dict(line.split(": ", 1) for line in head.splitlines())
    blocks, live = _blocks(body)
    return Script(name, facts, blocks, live)


def span_of(text: str) -> timedelta:
    """``1 h 20 min`` and the like."""
    return timedelta(seconds=sum(int(number) * _SECONDS[unit] for number, unit in _SPAN.findall(text)))


def _blocks(body: str) -> tuple[list[Block], list[Block]]:
    played: list[Block] = []
    live: list[Block] = []
    into, current = played, Block("nothing")
    for line in body.splitlines():
        match = _BLOCK.match(line)
        if match is None:
            current.text += f"{line}\n"
        elif match[2] == "live":
            into = live
        else:
            current = _started(match[2], match[3])
            (into[-1].calls if match[1] == "====" else into).append(current)
    for block in [*played, *live]:
        for one in (block, *block.calls):
            one.text = one.text.strip("\n")
    return played, live


def _started(word: str, rest: str) -> Block:
    """Options are read from the end, so that an argument may hold anything else."""
    words = rest.split()
    block = Block(word, gap=_GAPS.get(word, 2.0))
    while words and (option := _OPTION.match(words[-1])):
        if option["gap"]:
            block.gap = float(option["gap"])
        else:
            block.options[option["name"]] = option["value"]
        rest = rest[: rest.rindex(words.pop())]
    block.argument = rest.strip()
    return block
