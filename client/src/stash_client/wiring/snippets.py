"""What to add by hand."""

from __future__ import annotations

from collections.abc import Iterator

from stash_client.wiring import documents
from stash_client.wiring.commands import hook_path
from stash_client.wiring.declarations import INSTALLERS
from stash_client.wiring.declarations.base import ConfigFile, FirstOf, HookFile, OwnFile
from stash_client.wiring.declarations.by_hand import EXTENSIONS, SNIPPETS
from stash_client.wiring.plugins import source


def by_hand(harness: str) -> list[tuple[str, str]]:
    """(file, what it should hold) for each; ("", advice) where there is no more to say than that."""
    installer = INSTALLERS[harness]
    if installer.through:
        return by_hand(installer.through)
    found = [*_parts(harness)]
    if advice := installer.by_hand.replace("HOOK", str(hook_path())):
        found.append(("", advice))
    return found


def _parts(harness: str) -> Iterator[tuple[str, str]]:
    if snippet := SNIPPETS.get(harness):
        yield _example(harness, snippet)
    if extension := EXTENSIONS.get(harness):
        yield extension, source("pi.js", harness)
    for part in INSTALLERS[harness].parts:
        file = part.chosen if isinstance(part, FirstOf) else part
        yield (str(file.spot), file.text(harness)) if isinstance(file, OwnFile) else _example(harness, file)


def _example(harness: str, file: HookFile | ConfigFile) -> tuple[str, str]:
    wanted = file.wanted(harness)
    return str(file.spot), documents.example(wanted.entries, wanted.format, wanted.skeleton)
