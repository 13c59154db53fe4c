"""Changes of files that belong to others: listed, shown line by line to whoever asks, and agreed to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stash_client.cli.asking import can_ask
from stash_client.cli.output import Output, plain
from stash_client.wiring import Change

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def listed(changes: Sequence[Change], out: Output) -> list[str]:
    """A row for each file: where it is, what for, how much."""
    rows = [(f"  {from_home(c.path)}", plain(c.why), _how_much(c)) for c in visible(changes)]
    return out.table(rows)


def visible(changes: Sequence[Change]) -> list[Change]:
    """Those that do not only change what is remembered of a file."""
    return [change for change in changes if change.before != change.after]


def in_full(changes: Sequence[Change], out: Output) -> list[str]:
    """Every line, as a unified diff."""
    lines: list[str] = []
    for change in visible(changes):
        lines += [f"{plain(change.why)}: {plain(str(change.path))}", _coloured(plain(change.diff()), out), ""]
    return lines


def agreed(changes: Sequence[Change], out: Output, *, default: bool) -> bool:
    """Whether the person wants them; who answers ``d`` sees every line and is asked again."""
    number = len(visible(changes))
    if not number or out.yes:
        return True
    if not can_ask(out):
        return default
    usual = "Y/n" if default else "y/N"
    files = "1 file" if number == 1 else f"{number} files"
    question = f"Change {files}? Copies as they are now are kept. [{usual}, d shows every line]"
    while True:
        try:
            said = input(f"{question} ").strip().lower()
        except EOFError:
            return default
        if not said.startswith("d"):
            return said.startswith("y") if said else default
        out.say("", *in_full(changes, out))


def from_home(path: Path) -> str:
    """As a person writes it: ``~`` for the home."""
    try:
        return plain(f"~/{path.relative_to(Path.home()).as_posix()}")
    except (ValueError, RuntimeError):
        return plain(str(path))


def _how_much(change: Change) -> str:
    if change.before is None:
        return "a new file"
    if change.after is None:
        return "goes away"
    lines = [line for line in change.diff().splitlines()[2:] if line[:1] in "+-"]
    more = sum(line.startswith("+") for line in lines)
    other = min(more, len(lines) - more)
    counts = ((more - other, "added"), (len(lines) - more - other, "taken out"), (other, "changed"))
    return ", ".join(f"{count} {'line' if count == 1 else 'lines'} {what}" for count, what in counts if count)


def _coloured(diff: str, out: Output) -> str:
    return "\n".join(out.styled(line, _STYLES[line[0]]) if line[:1] in _STYLES else line for line in diff.splitlines())
