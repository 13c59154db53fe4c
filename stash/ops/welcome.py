"""What a person reads in the terminal when the server starts."""

from __future__ import annotations

from stash.ops.bootstrap import bootstrap


def lines(address: str) -> list[str]:
    """The one-time sign-in link, when there is one, and how a machine connects."""
    link = bootstrap()
    said = [f"Sign in (once, within 15 minutes): {address}{link}"] if link else []
    return [*said, f"Connect a machine: {connect_line(address)}"]


def connect_line(address: str) -> str:
    return f"curl -fsSL {address}/install | sh"
