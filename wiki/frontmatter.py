"""The block of YAML at the top of a page. Read with a strict reader, changed a line at a time, never written anew."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import yaml

_BLOCK = re.compile(r"\A(\ufeff?---[ \t]*\r?\n)(.*?)(^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z))", re.DOTALL | re.MULTILINE)
_OPENED = re.compile(r"\A\ufeff?---[ \t]*\r?\n")
_KEY = re.compile(r"[A-Za-z_][\w-]{0,60}\Z")
_MOST = 64 * 1024
_DEEPEST = 20


class BadFrontMatter(ValueError):
    """``str()`` says what is wrong, and where."""


class _Strict(yaml.SafeLoader):
    """Without anchors, which can make a small block huge, and with one value for each key."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise BadFrontMatter("Front matter may not use YAML aliases.")
        self._depth = getattr(self, "_depth", 0) + 1
        if self._depth > _DEEPEST:
            raise BadFrontMatter("Front matter is nested too deeply.")
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


@dataclass(frozen=True, slots=True)
class Parted:
    """``opening + block + closing + body`` is the text. Without ``values``, ``error`` may say why it does not read."""

    opening: str
    block: str
    closing: str
    body: str
    values: dict[str, Any] = field(default_factory=dict)
    error: str = ""


def parted(text: str) -> Parted:
    found = _BLOCK.match(text)
    if not found:
        body = text.removeprefix("\ufeff")
        opened = bool(_OPENED.match(text)) and re.match(r"\s*[\w-]+:", text[4:])
        return Parted(text[: len(text) - len(body)], "", "", body, error="The block is never closed." if opened else "")
    opening, block, closing = found.groups()
    values, error = _read(block)
    return Parted(opening, block, closing, text[found.end() :], values, error)


def _read(block: str) -> tuple[dict[str, Any], str]:
    if len(block) > _MOST:
        return {}, f"Front matter has more than {_MOST} characters."
    try:
        values = yaml.load(block, Loader=_Strict)  # noqa: S506 - a SafeLoader that takes less
    except BadFrontMatter as error:
        return {}, str(error)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 0
        return {}, f"line {line}: {error.problem or 'not YAML'}"[:200]
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError, TypeError):
        return {}, "not YAML"
    if values is None:
        return {}, ""
    if not isinstance(values, dict):
        return {}, "not a list of keys with values"
    return {str(key)[:200]: _plain(value) for key, value in values.items()}, ""


def _plain(value: Any) -> Any:
    """As JSON can hold it and every database keeps it."""
    if isinstance(value, dict):
        return {str(key)[:200]: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(one) for one in value]
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    if isinstance(value, float):
        return value if abs(value) < 1e300 else str(value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    return str(value).replace("\0", "")


def with_key(text: str, key: str, value: str | bool | None) -> str:
    """The text with one key set (None: taken out), everything else to the byte. Raises BadFrontMatter."""
    if not _KEY.match(key):
        raise BadFrontMatter(f"{key!r} is no name for a key.")
    parts = parted(text)
    if parts.error:
        raise BadFrontMatter(f"The front matter does not read ({parts.error}), so it is left alone.")
    end = "\r\n" if "\r\n" in (parts.opening or text[:2000]) else "\n"
    if value is None and key not in parts.values:
        return text
    line = f"{key}: {json.dumps(value, ensure_ascii=False)}{end}" if value is not None else ""
    if not parts.closing:
        return f"{parts.opening}---{end}{line}---{end}{parts.body}" if line else text
    block = _replaced(parts.block, key, line, end)
    if value is None and not block.strip():
        return ("\ufeff" if text.startswith("\ufeff") else "") + parts.body
    made = parts.opening + block + parts.closing + parts.body
    after = parted(made)
    if after.error or {**parts.values, key: value} != {**after.values, key: value}:
        raise BadFrontMatter(f"{key} cannot be changed without changing other keys.")
    return made


def _replaced(block: str, key: str, line: str, end: str) -> str:
    start = re.compile(rf"^(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')[ \t]*:(?=\s|\Z)", re.MULTILINE)
    found = start.search(block)
    if not found:
        return block + ("" if not block or block.endswith("\n") else end) + line
    rest = re.compile(r"^(?=[^\s#-])", re.MULTILINE).search(block, found.end())
    until = rest.start() if rest else len(block)
    kept = re.search(r"(?:^[ \t]*(?:#.*)?\r?\n)+\Z", block[found.end() : until], re.MULTILINE)
    if kept:
        until -= len(kept.group())
    return block[: found.start()] + line + block[until:]
