"""Text out of what tools and messages carry: strings, JSON strings, objects, content blocks."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Optional

from stash_client.events import JSON

MAX_DEPTH = 12
_SMALL = 2_000
_FIRST = (
    "stdout", "output", "content", "contents", "text", "file", "filenames", "result", "results", "message", "error",
    "summary",
)  # fmt: skip
_RESULT_KEYS = frozenset((
    "stdout", "stderr", "exitCode", "exit_code", "output", "content", "success", "error", "metadata",
))  # fmt: skip
_EDIT_RESULT = frozenset({"structuredPatch", "originalFile", "oldString", "fileDiff"})
_PICTURES = frozenset({"image", "input_image", "image_url", "audio", "document"})
_DATA_URL = re.compile(r"data:([a-z]{1,20}/[a-zA-Z0-9.+-]{1,60});base64,[A-Za-z0-9+/=]*")
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{1000}")
_ERROR_PREFIX = re.compile(r"^Error: (?=Exit code -?\d)")
_EXIT = re.compile(
    r"\A(?:Error: )?(?:Exit code:? |exit status |Command (?:exited|failed) with (?:exit )?code )(-?\d{1,6})\b"
    r"|\A(?:[^\n]{0,200}\n){0,6}?Process exited with code (-?\d{1,6})\b"
)


def compact(value: JSON) -> str:
    """JSON on one line; text stays text."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=str)
    except (ValueError, RecursionError):
        return "(nested too deeply)"


def small(value: JSON) -> bool:
    """Whether an unknown field is small enough to be kept beside an event."""
    return len(compact(value)) <= _SMALL


def text_of(value: JSON) -> str:
    """What a person would read in a message field; "" for None, numbers as their digits."""
    return value if isinstance(value, str) else _text(value, 0)


def output_of(value: JSON) -> Optional[str]:
    """Text of a tool's result without picture data; None when it says nothing (an edit's result is its diff)."""
    if isinstance(value, str):
        value = unwrap(value)
    if isinstance(value, str):
        return _plain(_ERROR_PREFIX.sub("", value)) or None
    if isinstance(value, Mapping) and _EDIT_RESULT & value.keys():
        return None
    return _text(value, 0) or None


def _plain(text: str) -> str:
    return _DATA_URL.sub(r"[image \1]", text) if ";base64," in text else text


def parse(value: JSON) -> JSON:
    """What a JSON string holds; any other value or text as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return value


def unwrap(text: str) -> JSON:
    """The object inside a JSON string that is a tool result; any other text, JSON or not, stays what it is."""
    if text[:1] != "{" or text.rstrip()[-1:] != "}":
        return text
    value = parse(text)
    return value if isinstance(value, dict) and _RESULT_KEYS & value.keys() else text


def exit_code_of(value: JSON) -> Optional[int]:
    """The exit code a result tells in a field or in its first lines, else None."""
    value = unwrap(value) if isinstance(value, str) else value
    if isinstance(value, Mapping):
        return _exit_field(value)
    if isinstance(value, str):
        match = _EXIT.match(value)
        return int(match.group(1) or match.group(2)) if match else None
    return None


def _exit_field(result: Mapping[str, JSON]) -> Optional[int]:
    for place in (result, result.get("metadata")):
        if isinstance(place, Mapping):
            for key in ("exitCode", "exit_code"):
                if isinstance(place.get(key), int):
                    return int(place[key])
    return None


_LAST_LINE = re.compile(
    r"(?:\A|\n)\s*[<(]?(?:Command exited with code|Exit code:?|exited with exit code) (-?\d{1,6})[>)]?\s*\Z"
)


def exit_line(text: str) -> tuple[str, Optional[int]]:
    """The output without the last line that tells its exit code, and the code; of agents that write such a line."""
    tail = text[-200:]
    match = _LAST_LINE.search(tail)
    return (text, None) if not match else (text[: len(text) - len(tail) + match.start()], int(match.group(1)))


def moment(value: JSON) -> str:
    """A time as RFC 3339: text as it is, numbers as seconds or milliseconds since 1970; "" for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e14:
        return ""
    ms = int(value if value > 1e11 else value * 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ms // 1000)) + f".{ms % 1000:03d}+00:00"


def number(value: JSON) -> Optional[int]:
    """A non-negative whole number, or None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if 0 <= value < 2**53 else None


def picture_note(block: Mapping[str, JSON]) -> Optional[str]:
    """``[image image/png]`` for a block that holds a picture or other inline bytes, else None."""
    kind = text_or(block.get("type"))
    if kind not in _PICTURES and "base64" not in block and "blob" not in block:
        return None
    holder = next((block[key] for key in ("source", "file") if isinstance(block.get(key), Mapping)), block)
    if holder.get("type") == "text":
        return None
    label = kind if kind in ("audio", "document") else "image"
    media = _media_type(holder)
    return f"[{label} {media}]" if media else f"[{label}]"


def _media_type(holder: Mapping[str, JSON]) -> str:
    for key in ("media_type", "mimeType", "mime_type", "type"):
        value = text_or(holder.get(key))
        if "/" in value:
            return value[:100]
    url = holder.get("image_url")
    match = _DATA_URL.match(text_or(url.get("url") if isinstance(url, Mapping) else url))
    return match.group(1) if match else ""


def text_or(value: JSON, default: str = "") -> str:
    """``value`` if it is text, else ``default``."""
    return value if isinstance(value, str) else default


def blocks_of(content: JSON) -> Sequence[Mapping[str, JSON]]:
    """Message content as blocks: a string is one text block, what is no block is left out."""
    if isinstance(content, (str, int, float)) and not isinstance(content, bool):
        return ({"type": "text", "text": str(content)},)
    if isinstance(content, Mapping):
        return (content,)
    if not isinstance(content, list):
        return ()
    return [{"type": "text", "text": b} if isinstance(b, str) else b for b in content if isinstance(b, (str, Mapping))]


def _text(value: JSON, depth: int) -> str:
    if value is None or depth > MAX_DEPTH:
        return ""
    if isinstance(value, str):
        return _plain(value)
    if isinstance(value, list):
        return "\n".join(filter(None, (_text(item, depth + 1) for item in value)))
    if isinstance(value, Mapping):
        return _object_text(value, depth)
    return compact(value)


def _object_text(value: Mapping[str, JSON], depth: int) -> str:
    note = picture_note(value)
    if note:
        return note
    for key in _FIRST:
        if value.get(key) not in (None, "", [], {}):
            return _with_stderr(_text(value[key], depth + 1), value)
    if value.get("stderr"):
        return _text(value["stderr"], depth + 1)
    rest = {key: item for key, item in value.items() if key not in _SILENT and key not in _FIRST}
    return compact(without_data(rest)) if rest else ""


_SILENT = frozenset({"type", "success", "interrupted", "isImage", "stderr", "exitCode", "exit_code", "metadata"})


def _with_stderr(text: str, value: Mapping[str, JSON]) -> str:
    stderr = value.get("stderr")
    if not isinstance(stderr, str) or not stderr:
        return text
    return f"{text}\n{stderr}" if text and not text.endswith("\n") else text + stderr


def without_data(value: JSON, depth: int = 0) -> JSON:
    """The value with picture blocks and long encoded strings replaced by a note."""
    if depth > MAX_DEPTH:
        return None
    if isinstance(value, Mapping):
        return picture_note(value) or {key: without_data(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [without_data(item, depth + 1) for item in value]
    if isinstance(value, str):
        return "[data]" if len(value) > _SMALL and _ENCODED.match(value) else _plain(value)
    return value
