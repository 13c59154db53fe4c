"""What a person reads in the terminal when the server starts."""

from __future__ import annotations

from django.conf import settings

from accounts.services import bootstrap


def lines() -> list[str]:
    """The one-time sign-in link, until the owner has used one, and how a machine connects."""
    link = bootstrap().link
    said = [f"Sign in (once, within 15 minutes): {link}"] if link else []
    return [*said, f"Connect a machine: {connect_line(settings.URL)}"]


def connect_line(address: str) -> str:
    return f'sh -c "$(curl -fsSL {address}/install)"'
