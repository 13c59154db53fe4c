"""Where each agent keeps its servers of the Model Context Protocol, and our entry in them.

Only files that hold no hooks of ours as well: what was put into a file is remembered once for each.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from stash_client.wiring.declarations import INSTALLERS
from stash_client.wiring.declarations.base import ConfigFile, Installer, Spot
from stash_client.wiring.edits import Entry

NAME = "stash"


def command() -> list[str]:
    """This very client, by its interpreter: agents often start without the PATH of a shell."""
    return [sys.executable, "-m", "stash_client", "mcp"]


def _usual(**more: Any) -> dict[str, Any]:
    program, *arguments = command()
    return {**more, "command": program, "args": arguments}


def _file(spot: Spot, value: dict[str, Any], root: tuple[str, ...] = ("mcpServers",)) -> ConfigFile:
    return ConfigFile(spot, (Entry(root, value, NAME),))


def files() -> Mapping[str, ConfigFile]:
    """By agent."""
    return {
        "claude-code": _file(Spot("~", ".claude.json"), _usual(type="stdio")),
        "cursor": _file(Spot("~/.cursor", "mcp.json"), _usual()),
        "kiro": _file(Spot("~/.kiro/settings", "mcp.json"), _usual()),
        "kimi-code": _file(Spot("~/.kimi-code", "mcp.json"), _usual()),
        "droid": _file(Spot("~/.factory", "mcp.json"), _usual(type="stdio")),
    }


def installer(harness: str) -> Installer:
    """Its server as the only thing to be written. Raises KeyError."""
    return replace(INSTALLERS[harness], parts=(files()[harness],), through="")
