"""xargs: -n, -I, -0, -d, -r. The commands it runs are the ones here."""

from __future__ import annotations

from collections.abc import Iterator

from stash.vfs.errors import Failure
from stash.vfs.shell.options import Options, given
from stash.vfs.shell.process import Process, number

_XARGS = Options(
    "0rt", "nId", {"null": "0", "max-args=": "n", "replace=": "I", "delimiter=": "d", "no-run-if-empty": "r"}
)
_MOST_AT_ONCE, _MOST_INPUT = 2000, 4 * 1024 * 1024
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\0": "\0"}


def xargs(process: Process) -> Iterator[bytes]:
    own, command = _divided(process.args)
    asked = given(_XARGS, own)
    most = number(asked.value("n", str(_MOST_AT_ONCE)), "invalid number for -n")
    if not most:
        raise Failure("-n must be at least 1")
    items = _items(process, asked.value("d") if "d" in asked else None, null="0" in asked, by_line="I" in asked)
    mark = asked.value("I")
    if mark:
        for item in items:
            yield from _run(process, [word.replace(mark, item) for word in command])
        return
    if not items and "r" not in asked:
        yield from _run(process, command)
    for at in range(0, len(items), min(most, _MOST_AT_ONCE)):
        yield from _run(process, command + items[at : at + min(most, _MOST_AT_ONCE)])


def _divided(args: list[str]) -> tuple[list[str], list[str]]:
    """Its own options end at the first word that is none."""
    at = 0
    while at < len(args) and args[at].startswith("-") and args[at] != "--":
        at += 2 if args[at] in ("-n", "-I", "-d", "--max-args", "--replace", "--delimiter") else 1
    rest = args[at + 1 :] if args[at : at + 1] == ["--"] else args[at:]
    return args[:at], rest or ["echo"]


def _items(process: Process, delimiter: str | None, *, null: bool, by_line: bool) -> list[str]:
    data = bytearray()
    for block in process.input():
        data += block
        if len(data) > _MOST_INPUT:
            raise Failure(f"more than {_MOST_INPUT:,} bytes of arguments")
    text = data.decode("utf-8", "replace")
    if null or delimiter is not None:
        parts = text.split("\0" if null else _ESCAPES.get(delimiter or "", delimiter or "") or "\n")
        return parts[:-1] if parts and not parts[-1] else parts
    if by_line:
        return [line.lstrip(" \t") for line in text.split("\n") if line.strip(" \t")]
    return _unquoted(text)


def _unquoted(text: str) -> list[str]:
    """Blanks part them; quotes and backslashes keep blanks in them."""
    items: list[str] = []
    item: str | None = None
    at = 0
    while at < len(text):
        char = text[at]
        at += 1
        if char in " \t\n":
            if item is not None:
                items.append(item)
            item = None
        elif char in "'\"":
            end = text.find(char, at)
            if end < 0 or "\n" in text[at:end]:
                raise Failure(f"unmatched {'single' if char == chr(39) else 'double'} quote; use -0 or -d '\\n'")
            item = (item or "") + text[at:end]
            at = end + 1
        else:
            if char == "\\" and at < len(text):
                char = text[at]
                at += 1
            item = (item or "") + char
    return [*items, item] if item is not None else items


def _run(process: Process, words: list[str]) -> Iterator[bytes]:
    """One command; any failure of it makes 123 of our own status, one that is not there 127."""
    from stash.vfs.shell.commands import COMMANDS, unknown

    if not process.busy():
        return
    name, *args = words
    run = COMMANDS.get(name)
    if run is None:
        raise Failure(f"{name}: {unknown(name)}", 127)
    if name == "xargs":
        raise Failure("xargs within xargs is not here", 1)
    child = Process(name, args, process.root, process.reader, process.cwd, None)
    try:
        yield from run(child)
    except Failure as failure:
        child.say(failure.message)
        child.status = failure.status
    process.errors += child.errors
    if child.status:
        process.status = 123
