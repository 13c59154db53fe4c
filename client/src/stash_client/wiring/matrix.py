"""The pages about agents, made from the declarations: ``python -m stash_client.wiring.matrix docs`` writes them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from stash_client.harnesses import HARNESSES
from stash_client.wiring.commands import hook_path
from stash_client.wiring.declarations import INSTALLERS, Installer
from stash_client.wiring.declarations.base import FirstOf, OwnFile
from stash_client.wiring.declarations.by_hand import EXTENSIONS, SNIPPETS
from stash_client.wiring.snippets import by_hand

_SUPPORT = """# Agents

Made from the declarations in `client/src/stash_client/wiring/declarations` by
`python -m stash_client.wiring.matrix docs`; do not edit.

`stash hooks install` shows what it would add to the settings of the agents it finds, asks, and adds it. It touches
nothing else: comments, formatting and the hooks of others stay byte for byte, through links of dotfile managers too.
`stash hooks uninstall` takes it out again. A copy of each file as it was is kept in `backups` in the folder of Stash.
What is not surely understood is left alone, and `stash hooks show AGENT` says what to add. `stash agents` says which
agents are here, wired, trusted and working. No permission, sandbox or trust setting of an agent is ever changed.

Every agent in the table has a parser of its own for what its hooks send, tested on captured or documented samples.
"Its sessions on disk" says whether `stash import` reads them; *unconfirmed* where place or format are common knowledge
that no sample confirmed. The last two columns say how well its settings file and what its hooks send are known: *read*
in the agent's source or documentation, *told* by a second-hand source that was tested against it, or *guessed* by
analogy.

"""
_HAND = """# Connect an agent by hand

Made from the declarations in `client/src/stash_client/wiring/declarations` by
`python -m stash_client.wiring.matrix docs`; do not edit.

These agents are understood, but not wired by `stash hooks install`: their settings are not known well enough, and a
wrong edit costs more than a missing agent. Where it says HOOK, write the absolute path of the hook, as a rule
`/home/YOU/.config/stash/bin/stash-hook`; `stash hooks show AGENT` prints all of this with the path filled in.
Whatever calls the hook must hand it the agent's JSON on stdin. It always ends with status 0.

An agent that is not listed, or of your own: `stash emit --help`.
"""
_HEAD: tuple[str, ...] = (
    "Agent", "Name", "Wired", "In", "Events", "Briefing comes with", "Says its end", "Its sessions on disk",
    "Settings file", "What it sends",
)  # fmt: skip


def support() -> str:
    rows = [_HEAD]
    rows += [_row(installer) for installer in INSTALLERS.values()]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return _SUPPORT + "\n".join(lines) + "\n\n## What to know about each\n\n" + "\n".join(_notes()) + "\n"


def _row(installer: Installer) -> tuple[str, ...]:
    return (
        installer.label,
        f"`{installer.harness}`",
        "yes" if installer.is_automatic else "[by hand](connect-by-hand.md)",
        _place(installer),
        _events(installer),
        _briefing(installer),
        "yes" if HARNESSES[installer.harness].ends else "no",
        _sessions(installer.harness),
        installer.hooks_sure,
        installer.sends_sure,
    )


def _briefing(installer: Installer) -> str:
    file = installer.hook_file() or SNIPPETS.get(installer.harness)
    events = [event for event in sorted(HARNESSES[installer.harness].injects) if file is None or event in file.events]
    return ", ".join(f"`{event}`" for event in events) or "-"


def _sessions(harness: str) -> str:
    sources = HARNESSES[harness].sources
    if not sources:
        return "no"
    return "yes" if any(source.verified for source in sources) else "yes, unconfirmed"


def _place(installer: Installer) -> str:
    if installer.through:
        return f"as {INSTALLERS[installer.through].label}"
    if installer.harness in EXTENSIONS:
        return f"`{EXTENSIONS[installer.harness]}`"
    snippet = SNIPPETS.get(installer.harness)
    spots = [str(snippet.spot)] if snippet else []
    for part in installer.parts:
        files = part.choices if isinstance(part, FirstOf) else (part,)
        spots += [_where(file) if isinstance(file, OwnFile) else str(file.spot) for file in files]
    return ", ".join(f"`{spot}`" for spot in dict.fromkeys(spots)) or "-"


def _where(file: OwnFile) -> str:
    """A plugin of one file by its name; of several, by its folder."""
    return str(file.spot) if "/" in file.spot.name else file.spot.base


def _events(installer: Installer) -> str:
    file = installer.hook_file() or SNIPPETS.get(installer.harness)
    if file is not None:
        return str(len(file.events))
    if installer.through or len(installer.parts) > 4:
        return str(len(installer.parts)) if installer.parts else "the same"
    return "in-process" if installer.parts or installer.harness in EXTENSIONS else "-"


def _notes() -> Iterator[str]:
    for installer in INSTALLERS.values():
        reads = [INSTALLERS[other].label for other in installer.reads]
        said = [*filter(None, [installer.trust]), *installer.notes]
        said += [f"It also reads the hooks of {' and '.join(reads)}."] if reads else []
        if said:
            yield f"- **{installer.label}**: " + " ".join(said)


def hand() -> str:
    parts = [_HAND]
    for installer in INSTALLERS.values():
        if not installer.is_automatic:
            parts += [f"\n## {installer.label}\n", *_steps(installer.harness)]
    return "\n".join(parts)


def _steps(harness: str) -> Iterator[str]:
    for path, text in by_hand(harness):
        plain = text.replace(shlex.quote(str(hook_path())), "HOOK").replace(str(hook_path()), "HOOK")
        if path:
            kind = {".js": "js", ".yaml": "yaml", ".toml": "toml"}.get(Path(path).suffix, "json")
            yield f"In `{path}`:\n\n```{kind}\n{plain.rstrip()}\n```\n"
        else:
            yield f"{plain}\n"


def main(folder: str) -> None:
    for name, text in (("harnesses.md", support()), ("connect-by-hand.md", hand())):
        Path(folder, name).write_bytes(text.encode("utf-8"))


if __name__ == "__main__":
    main(*sys.argv[1:])
