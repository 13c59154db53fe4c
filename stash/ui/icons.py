"""Icons and status shapes as inline SVG. Icons are read once from the vendored files; the shapes are our own."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

FOLDER = Path(__file__).resolve().parents[2] / "static" / "vendor" / "lucide"
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class UnknownIcon(LookupError):
    """No such file under static/vendor/lucide."""


@cache
def icon_paths(name: str) -> SafeString:
    """What stands inside the ``<svg>`` of an icon."""
    path = FOLDER / f"{name}.svg"
    if not NAME.fullmatch(name) or not path.is_file():
        raise UnknownIcon(name)
    inner = path.read_text().split("<svg", 1)[1].split(">", 1)[1].rsplit("</svg>", 1)[0]
    return mark_safe("".join(line.strip() for line in inner.splitlines()))  # noqa: S308 - our own vendored file


def icon_svg(name: str, css: str = "") -> SafeString:
    return format_html(
        '<svg class="icon{}" width="14" height="14" viewBox="0 0 24 24" fill="none" stroke="currentColor"'
        ' stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">{}</svg>',
        f" {css}" if css else "",
        icon_paths(name),
    )


def _shape(svg: str) -> SafeString:
    return mark_safe(svg)  # noqa: S308 - constants below


RUNNING = _shape(
    '<circle class="halo" cx="6" cy="6" r="5.5" fill="currentColor" opacity=".3"/>'
    '<circle cx="6" cy="6" r="4" fill="currentColor"/>'
)
NEEDS_YOU = _shape(
    '<path d="M6 0l6 6-6 6-6-6z" fill="currentColor"/>'
    '<path class="cutout" d="M6 3.2v3.2M6 8v.9" fill="none" stroke-width="1.4"/>'
)
FAILED = _shape(
    '<rect x=".5" y=".5" width="11" height="11" rx="2" fill="currentColor"/>'
    '<path class="cutout" d="M4 4l4 4M8 4l-4 4" fill="none" stroke-width="1.6"/>'
)
DONE = _shape(
    '<circle cx="6" cy="6" r="5.2" fill="none" stroke="currentColor" stroke-width="1.2"/>'
    '<path d="M3.7 6.2l1.6 1.6 3-3.4" fill="none" stroke="currentColor" stroke-width="1.3"/>'
)
IDLE = _shape(
    '<circle cx="6" cy="6" r="5.2" fill="none" stroke="currentColor" stroke-width="1.3" stroke-dasharray="2 2.08"/>'
)
ENDED = _shape('<path d="M2 6h8" fill="none" stroke="currentColor" stroke-width="1.6"/>')
PASSED = _shape('<path d="M1.8 6.6l2.8 2.8 5.6-6.4" fill="none" stroke="currentColor" stroke-width="1.8"/>')
CLAIMED = _shape(
    '<circle cx="6" cy="6" r="5" fill="none" stroke="currentColor" stroke-width="1.4"/>'
    '<path d="M6 1v10a5 5 0 0 1 0-10z" fill="currentColor"/>'
)

GLYPHS: dict[str, tuple[str, SafeString]] = {
    "running": ("Running", RUNNING),
    "needs-you": ("Needs you", NEEDS_YOU),
    "failed": ("Failed", FAILED),
    "done": ("Done", DONE),
    "idle": ("Idle", IDLE),
    "ended": ("Ended", ENDED),
    "passed": ("Passed", PASSED),
    "claimed": ("Claimed", CLAIMED),
}
ALIASES = {"working": "running", "denied": "ended", "unknown": "ended", "tool-running": "claimed"}


def status_name(status: object) -> str:
    """The shape of a status of ours (``needs_you``, ``working``…); what is not known shows as the quiet dash."""
    name = str(status).replace("_", "-")
    name = ALIASES.get(name, name)
    return name if name in GLYPHS else "ended"


def status_word(status: object) -> str:
    return GLYPHS[status_name(status)][0]


def glyph_svg(status: object, label: str = "", css: str = "") -> SafeString:
    """With a label it is an image to a screen reader; without one it stands next to its word and is hidden."""
    name = status_name(status)
    role = format_html('role="img" aria-label="{}"', label) if label else _shape('aria-hidden="true"')
    return format_html(
        '<svg class="glyph is-{}{}" width="12" height="12" viewBox="0 0 12 12" {}>{}</svg>',
        name,
        f" {css}" if css else "",
        role,
        GLYPHS[name][1],
    )
