"""Images in base64 become a note: ``[image image/png 70 B sha256:ab12cd34]`` (size and hash of the image's bytes)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from typing import Any

_MAGIC = {
    "iVBORw0KGgo": "image/png", "/9j/": "image/jpeg", "R0lGODlh": "image/gif", "R0lGODdh": "image/gif",
    "UklGR": "image/webp", "Qk0": "image/bmp", "SUkqA": "image/tiff", "TU0AK": "image/tiff", "AAABAA": "image/x-icon",
    "JVBERi0": "application/pdf", "PHN2Zy": "image/svg+xml",
}  # fmt: skip
_SURE = ("iVBORw0KGgo", "/9j/4", "R0lGODlh", "R0lGODdh", "UklGR", "JVBERi0")
_DATA_URI = re.compile(
    r"data:(?P<type>(?:image|audio|video|font|application)/[a-z0-9.+-]{1,60})(?:;[a-z-]{1,20}=[\w.-]{1,40}){0,3}"
    r";base64,[ ]?"
    r"(?=[A-Za-z0-9+/_-]{4})",
    re.IGNORECASE,
)
_BARE = re.compile("(?<![A-Za-z0-9+/_-])(?:" + "|".join(map(re.escape, _SURE)) + ")(?=[A-Za-z0-9+/_-]{48})")
_JSON_DATA = re.compile(
    r"(?<=[\"'])(?:data|base64|blob)\\{0,7}[\"'][ \t]{0,4}:[ \t]{0,4}\\{0,7}[\"'](?=[A-Za-z0-9+/_-]{512})"
)
_SHORTEST = 48
_LINE = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_WRAPPED = re.compile(r"(?:\\r)?\\n|\\/|\r?\n(?=[A-Za-z0-9+/]{20})")
_TYPE = re.compile(r"[a-z]{1,20}/[a-z0-9.+-]{1,60}\Z")


def replace_images(text: str) -> str:
    """Data addresses of binary content (text ones stay), and bare base64 that begins like an image."""
    if "base64," in text:
        text = _replaced(text, _DATA_URI)
    if len(text) > _SHORTEST and any([magic in text for magic in _SURE]):  # noqa: C419 - a list is faster here
        text = _replaced(text, _BARE)
    if '"data' in text or '"base64' in text or '"blob' in text:
        text = _replaced(text, _JSON_DATA)
    return text


def _replaced(text: str, opening: re.Pattern[str]) -> str:
    parts: list[str] = []
    past = 0
    hit = opening.search(text)
    while hit is not None:
        start = hit.start() if opening is _BARE else hit.end()
        end = _run_end(text, start)
        media = hit["type"].lower() if opening is _DATA_URI else None
        kept = start if opening is _JSON_DATA else hit.start()
        parts += (text[past:kept], note(text[start:end], media))
        past = end
        hit = opening.search(text, past)
    return "".join((*parts, text[past:]))


def _run_end(text: str, at: int) -> int:
    """The end of base64 that may be wrapped into lines or escaped once."""
    line = _LINE.match(text, at)
    while line is not None:
        at = line.end()
        wrap = _WRAPPED.match(text, at)
        line = _LINE.match(text, wrap.end()) if wrap else None
    return at


def note(data: str, media_type: str | None) -> str:
    raw = _decoded(data)
    known = media_type if media_type and _TYPE.match(media_type) else _media_type(data)
    return f"[image {known} {len(raw)} B sha256:{hashlib.sha256(raw).hexdigest()[:8]}]"


def block_note(block: Mapping[str, Any]) -> str | None:
    """The note for a content block of Anthropic, MCP, Gemini or OpenAI form that carries base64; None for any other."""
    source = block.get("source")
    for holder in (source, block, block.get("inlineData"), block.get("inline_data"), block.get("file")):
        if isinstance(holder, Mapping):
            data = next((holder[key] for key in ("data", "base64", "blob") if isinstance(holder.get(key), str)), None)
            media = next(
                (
                    holder[k]
                    for k in ("media_type", "mimeType", "mime_type", "mediaType")
                    if isinstance(holder.get(k), str)
                ),
                None,
            )
            if data and len(data) >= 16 and _is_binary(block, holder, media):
                return note(data, media)
    return None


def _is_binary(block: Mapping[str, Any], holder: Mapping[str, Any], media: str | None) -> bool:
    return holder.get("type") == "base64" or (
        media is not None and (block.get("type") in ("image", "audio", "document") or not media.startswith("text/"))
    )


def _media_type(data: str) -> str:
    return next((media for magic, media in _MAGIC.items() if data.startswith(magic)), "application/octet-stream")


def _decoded(data: str) -> bytes:
    clean = re.sub(r"\\n|\\(?=/)|[\s=]", "", data).replace("-", "+").replace("_", "/")
    clean = clean[: len(clean) - (len(clean) % 4 == 1)]
    try:
        return base64.b64decode(clean + "=" * (-len(clean) % 4))
    except (binascii.Error, ValueError):
        return data.encode("utf-8", "replace")
