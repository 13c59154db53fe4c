"""Texts inside values: JSON trees and the dataclasses of ``events``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from ..events import Event, SessionInfo
from ..fence import without_briefings
from .ends import both_ends
from .homes import shorten_homes
from .images import block_note, replace_images
from .names import Telling, telling
from .normalise import normalise
from .patterns import BUILTIN, Patterns, flat
from .policy import Policy, apply, apply_to_session
from .size import EVENT_TEXT_LIMIT, truncate
from .text import redact
from .values import is_reference

T = TypeVar("T")
_ID_OR_TIME = re.compile(
    r"[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)",
    re.ASCII,
)
"""What every event carries and nothing else looks like: delivery ids and times. On its own it can be no secret."""
_SHORT, _MOST_KNOWN = 80, 8192
_known_clean: set[str] = set()
"""Short texts that the built-in patterns alone left as they are: names, keys and paths come back with every event."""
_MAX_DEPTH = 64
_TOO_DEEP = "[too deep]"
_CONTAINED = ("value", "val", "data", "plaintext", "default", "content")
_CONTAINED_NAMES = ("name", "key", "Name", "Key", "variable", "field", "header", "id")
_SCHEMES = frozenset(["bearer", "basic", "token", "digest", "apikey", "negotiate", "bot", "key", "jwt"])


class Scrubber:
    """One value's walk. ``counts``: findings per type so far."""

    def __init__(self, *, patterns: Patterns, policy: Policy, home: str | None) -> None:
        self.counts: Counter[str] = Counter()
        self._patterns, self._policy, self._home = patterns, policy, home
        self._usual = patterns is BUILTIN and home is None

    def scrubbed(self, value: T) -> T:
        if isinstance(value, Event):
            return cast(T, self._dataclass(apply(value, self._policy)))
        if isinstance(value, SessionInfo):
            return cast(T, self._dataclass(apply_to_session(value, self._policy)))
        return cast(T, self._any(value, 0))

    def _any(self, value: Any, depth: int) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if depth >= _MAX_DEPTH:
            return _TOO_DEEP
        if isinstance(value, Mapping):
            return self._mapping(value, depth + 1)
        if isinstance(value, (list, tuple)):
            return type(value)(self._sequence(value, depth + 1))
        if is_dataclass(value) and not isinstance(value, type):
            return self._dataclass(value)
        raise TypeError(f"cannot scrub {type(value).__name__}")

    def _text(self, text: str) -> str:
        if len(text) > _SHORT or not self._usual:
            return self._whole_text(text)
        if text in _known_clean or _ID_OR_TIME.fullmatch(text):
            return text
        clean = self._whole_text(text)
        if clean == text:
            if len(_known_clean) >= _MOST_KNOWN:
                _known_clean.clear()
            _known_clean.add(text)
        return clean

    def _whole_text(self, text: str) -> str:
        text = shorten_homes(replace_images(without_briefings(normalise(text))), self._home)
        text, left_out, private = both_ends(text, self._patterns)
        self.counts.update(private)
        for _ in range(4):
            text, found = redact(text, self._patterns)
            self.counts.update(found)
            text, gone = truncate(text, EVENT_TEXT_LIMIT, before=left_out)
            if not gone:
                break
            left_out = gone
        return text

    def _dataclass(self, value: Any) -> Any:
        changed = {}
        for f in fields(value):
            old = getattr(value, f.name)
            new = self._any(old, 0)
            if new is not old and new != old:
                changed[f.name] = new
        return replace(value, **changed) if changed else value

    def _mapping(self, value: Mapping[Any, Any], depth: int) -> Any:
        image = block_note(value)
        if image is not None:
            return {"type": "text", "text": image}
        clean: dict[str, Any] = {}
        named = self._named_by_sibling(value)
        for key, item in value.items():
            told = self._telling(key) or (named if key in _CONTAINED else None)
            clean[self._free_key(clean, key)] = (
                self._any(item, depth) if told is None else self._told(item, told, depth)
            )
        return clean

    def _free_key(self, taken: Mapping[str, Any], key: Any) -> str:
        name = base = self._text(key if isinstance(key, str) else str(key))
        number = 2
        while name in taken:
            name, number = f"{base} ({number})", number + 1
        return name

    def _named_by_sibling(self, value: Mapping[Any, Any]) -> Telling | None:
        """``{"name": "API_TOKEN", "value": …}``."""
        if not any(key in value for key in _CONTAINED[:2]):
            return None
        names = (value[key] for key in _CONTAINED_NAMES if isinstance(value.get(key), str))
        return next(filter(None, map(self._telling, names)), None)

    def _telling(self, key: Any) -> Telling | None:
        if not isinstance(key, str) or len(key) > 128:
            return None
        key = normalise(key)
        team = self._patterns.type_of_name(key)
        if team is not None:
            return Telling(team, True)
        if flat(key) in ("authorization", "proxyauthorization", "cookie", "setcookie"):
            return Telling("cookie" if "ookie" in key.lower() else "authorization", True)
        return telling(key.strip("-. "))

    def _told(self, item: Any, told: Telling, depth: int) -> Any:
        """A value under a telling name."""
        if isinstance(item, str):
            return self._secret_text(item, told)
        if isinstance(item, bool) or item is None:
            return item
        if isinstance(item, (int, float)):
            return self._secret_number(item, told)
        if isinstance(item, (list, tuple)):
            return [
                self._told(part, told, depth + 1) if isinstance(part, (str, int)) else self._any(part, depth + 1)
                for part in item
            ]
        if isinstance(item, Mapping) and not isinstance(item.get("type"), str):
            inner = {
                key: self._told(part, told, depth + 1) if key in _CONTAINED and depth < _MAX_DEPTH else part
                for key, part in item.items()
            }
            return self._any(inner, depth)
        return self._any(item, depth)

    def _secret_text(self, text: str, told: Telling) -> str:
        text = normalise(text)
        if is_reference(text) or text.lower() in ("none", "null", "true", "false"):
            return self._text(text)
        if told.type == "cookie" and "=" in text:
            return self._text(f"Cookie: {text}")[len("Cookie: ") :]
        if not told.strong and told.type in ("authorization", "key") and len(text) < 8:
            return self._text(text)
        scheme, space, rest = text.partition(" ")
        if told.type == "authorization" and space and scheme.lower() in _SCHEMES:
            return text if is_reference(rest) else f"{scheme} {self._placeholder(told)}"
        return self._placeholder(told)

    def _secret_number(self, number: float, told: Telling) -> Any:
        if told.type not in ("token", "key", "authorization", "cookie") or (told.strong and abs(number) >= 100_000):
            return self._placeholder(told)
        return number

    def _placeholder(self, told: Telling) -> str:
        self.counts[told.type] += 1
        return f"[redacted:{told.type}]"

    def _sequence(self, items: Any, depth: int) -> list[Any]:
        """A list; in a command line the word after ``--password`` is the password."""
        clean: list[Any] = []
        told: Telling | None = None
        for item in items:
            clean.append(
                self._told(item, told, depth) if told is not None and isinstance(item, str) else self._any(item, depth)
            )
            flag = isinstance(item, str) and item.startswith("-") and "=" not in item and " " not in item
            told = self._telling(item) if flag else None
        return clean
