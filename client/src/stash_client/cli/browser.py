"""A page in the person's browser, where there is one to open."""

from __future__ import annotations

import os
import sys
from typing import Any

from stash_client.cli.output import Output, plain


def show(url: str, out: Output, **facts: Any) -> None:
    """Opens it where somebody sits in front; says the address in any case."""
    is_open = not out.as_json and opened(url)
    out.result({**facts, "url": url, "opened": is_open}, plain(url))


def _has_screen() -> bool:
    if sys.platform in ("win32", "darwin"):
        return not os.environ.get("SSH_CONNECTION")
    return bool(os.environ.get("BROWSER") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def opened(url: str) -> bool:
    """Whether a browser took it."""
    if not url.startswith(("http://", "https://")) or not _has_screen():
        return False
    import webbrowser

    try:
        return webbrowser.open(url)
    except (OSError, webbrowser.Error):
        return False
