"""Every command: the module that does it, and one line of help.

A module has ``arguments(parser)`` and ``run(chosen, out) -> int | None``; it raises ``Failed`` with what to do.
"""

from __future__ import annotations

from dataclasses import dataclass

MACHINE, CAPTURE, MEMORY = "This machine", "Capture", "Reading back"
GROUPS = (MACHINE, CAPTURE, MEMORY)


@dataclass(frozen=True)
class Command:
    module: str
    help: str
    group: str
    hidden: bool = False


COMMANDS = {
    "signin": Command("stash_client.cli.signin", "sign this machine in; a person confirms in the browser", MACHINE),
    "connect": Command("stash_client.cli.connect", "let sessions in this repository be captured", CAPTURE),
    "hooks": Command("stash_client.cli.hooks", "wire agents to Stash, or show how", MACHINE),
    "import": Command("stash_client.cli.import_", "bring in the sessions agents kept on this machine", CAPTURE),
    "hook": Command("stash_client.cli.hook", "called by an agent: keeps the payload on stdin", CAPTURE, hidden=True),
    "send": Command("stash_client.cli.send", "send what waits", CAPTURE, hidden=True),
}
