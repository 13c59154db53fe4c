"""What somebody typed, understood: words, exact phrases, words that must not occur, filters. Nothing is an error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

FILTERS = ("project", "by", "harness", "kind", "file", "commit", "pr", "since", "until", "is")
MOST = 2_000
"""Characters of a question that are looked at."""
_PART = re.compile(
    rf"""(?P<minus>(?<!\S)-(?=[^\W\d_"]|"))?
    (?: (?P<name>{"|".join(FILTERS)}):(?:"(?P<quoted>[^"]*)"|(?P<value>[^\s"]+))
      | "(?P<phrase>[^"]*)"
      | (?P<word>[^\s"]+) | (?P<stray>") )""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """``text``: all positive words, phrases included, as they were typed. ``filters``: by name, the last one said."""

    text: str = ""
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    filters: Mapping[str, str] = field(default_factory=dict)


def understand(typed: str) -> Question:
    """``-word`` leaves out; where nothing but such words was typed they are looked for instead."""
    words, phrases, without, filters = [], [], [], {}
    for part in _PART.finditer(typed[:MOST].replace("\0", " ")):
        phrase, name = part["phrase"], part["name"]
        said = phrase if phrase is not None else part["word"] or ""
        if name and not part["minus"]:
            filters[name.lower()] = (part["quoted"] or part["value"] or "").strip()
        elif name:
            without.append(part["quoted"] or part["value"] or "")
        elif part["minus"]:
            without.append(said)
        else:
            words.append(said)
            if phrase and phrase.strip():
                phrases.append(phrase.strip())
    without = [one.strip() for one in without if one.strip()]
    if without and not any(words) and not filters:
        words, without = without, []
    given = {name: value for name, value in filters.items() if value}
    return Question(" ".join(filter(None, words)), tuple(phrases), tuple(without), given)
