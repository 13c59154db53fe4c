"""What a command says: words for people on stdout, or one JSON document with ``--json``; trouble on stderr."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, Optional

DONE, FAILED, USAGE, NOT_ALLOWED, NOT_FOUND, UNREACHABLE, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
EXIT_CODES = (
    (DONE, "done"),
    (FAILED, "it could not be done; stderr says why"),
    (USAGE, "the command line makes no sense"),
    (NOT_ALLOWED, "not signed in, not connected, or not allowed"),
    (NOT_FOUND, "there is no such thing, or it is not yours to see"),
    (UNREACHABLE, "the server does not answer; try again later"),
    (INTERRUPTED, "stopped with Ctrl-C"),
)
"""Shown by ``stash help exit-codes``."""

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_STEERING = (*range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Code points above ASCII that move a cursor, or turn the direction of writing around."""
_CONTROLS = {**dict.fromkeys((*range(32), *_STEERING)), 9: 9, 10: 10}
_ESCAPED = {point: f"\\u{point:04x}" for point in _STEERING}
_OWN_STYLES = re.compile(rf"(\x1b\[(?:0|{'|'.join(_STYLES.values())})m)|(\x1b?[^\x1b]*)")


class Failed(Exception):
    """The command could not do it. ``detail``: what happened; ``hint``: what to do; ``code``: for programs."""

    def __init__(self, detail: str, *, hint: str = "", code: str = "failed", exit_code: int = FAILED) -> None:
        super().__init__(detail)
        self.detail, self.hint, self.code, self.exit_code = detail, hint, code, exit_code


class Output:
    """``as_json``: people's words are withheld and ``result`` prints. ``yes``: every question is answered yes."""

    def __init__(self, *, as_json: bool = False, yes: bool = False) -> None:
        self.as_json, self.yes = as_json, yes
        self.live = sys.stdout.isatty() and not as_json and os.environ.get("TERM") != "dumb" and _speaks_ansi()
        self.colours = self.live and not os.environ.get("NO_COLOR")
        self._restore = ""
        for stream in (sys.stdout, sys.stderr):
            _take_any_text(stream)

    def say(self, *lines: str) -> None:
        if not self.as_json:
            print(*map(self._harmless, lines), sep="\n", flush=True)

    def result(self, data: Any, *lines: str) -> None:
        """The answer: ``data`` as one document, or ``lines`` for people. Once for each command."""
        if self.as_json:
            print(self.document(data, indent=2 if sys.stdout.isatty() else None))
        elif lines:
            print(*map(self._harmless, lines), sep="\n")

    def item(self, data: Any, *lines: str) -> None:
        """One of a stream without end: a JSON document in a line of its own, or ``lines``; shown at once."""
        print(*([self.document(data)] if self.as_json else map(self._harmless, lines)), sep="\n", flush=True)

    def document(self, data: Any, indent: Optional[int] = None) -> str:
        """JSON; in ASCII where the terminal does not take UTF-8 or the text cannot be put in it."""
        if (sys.stdout.encoding or "").lower().replace("-", "") == "utf8":
            text = json.dumps(data, ensure_ascii=False, indent=indent, default=str).translate(_ESCAPED)
            if text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text):
                return text
        return json.dumps(data, indent=indent, default=str)

    def raw(self, data: bytes) -> None:
        """Bytes of a file, as they are; on a terminal as text that cannot steer it."""
        if sys.stdout.isatty():
            print(plain(data.decode("utf-8", "replace")), end="")
            return
        sys.stdout.flush()
        sys.stdout.buffer.write(data)

    def _harmless(self, line: str) -> str:
        """Whatever a file, a folder or a server calls itself: nothing but our own colours reaches the terminal."""
        if not self.colours:
            return plain(line)
        return _OWN_STYLES.sub(lambda found: found[1] or plain(found[2]), line)

    def aside(self, text: str) -> None:
        """Progress and remarks, never part of the answer."""
        if not self.as_json:
            print(self._harmless(text), file=sys.stderr, flush=True)

    def fail(self, failure: Failed) -> int:
        if self.as_json:
            problem = {"code": failure.code, "detail": failure.detail, "hint": failure.hint}
            print(json.dumps({key: value for key, value in problem.items() if value}), file=sys.stderr)
        else:
            print(*map(plain, filter(None, [failure.detail, failure.hint])), sep="\n", file=sys.stderr)
        return failure.exit_code

    def ask(self, question: str, *, default: bool) -> bool:
        """Yes or no; ``default`` where nobody can answer."""
        if self.yes:
            return True
        if self.as_json or not sys.stdin.isatty():
            return default
        try:
            answer = input(f"{plain(question)} [{'Y/n' if default else 'y/N'}] ").strip().lower()
        except EOFError:
            return default
        return answer.startswith("y") if answer else default

    def styled(self, text: str, style: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.colours else text

    def table(self, rows: Sequence[Sequence[str]], *, gap: str = "  ") -> list[str]:
        """Left-aligned columns; the last is as long as it is."""
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)] if rows else []
        return [gap.join([*(cell.ljust(w) for cell, w in zip(row, widths)), row[-1]]).rstrip() for row in rows]

    def enter(self) -> None:
        """A screen of its own, until ``leave``."""
        print("\x1b[?1049h\x1b[?25l", end="", flush=True)
        self._restore = "\x1b[?25h\x1b[?1049l"

    def repaint(self, lines: Sequence[str]) -> None:
        print("\x1b[H" + "".join(f"{line}\x1b[K\n" for line in lines) + "\x1b[J", end="", flush=True)

    def leave(self) -> None:
        if self._restore:
            print(self._restore, end="", flush=True)
            self._restore = ""


def plain(text: str) -> str:
    """Text of somebody else, unable to do anything to a terminal."""
    return text.translate(_CONTROLS)


def one_line(text: str, width: int = 0) -> str:
    """``plain`` in one line, at most ``width`` characters (0: any)."""
    line = " ".join(plain(text).split())
    return line if not width or len(line) <= width else line[: max(width - 1, 0)].rstrip() + "…"


def _take_any_text(stream: Any) -> None:
    """What a terminal's encoding does not have is shown as a question mark instead of ending the command."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")


def _speaks_ansi() -> bool:
    """Windows consoles have to be told."""
    if sys.platform != "win32":
        return True
    import ctypes

    kernel, mode = ctypes.windll.kernel32, ctypes.c_ulong()
    handle = kernel.GetStdHandle(-11)
    return bool(kernel.GetConsoleMode(handle, ctypes.byref(mode)) and kernel.SetConsoleMode(handle, mode.value | 4))
