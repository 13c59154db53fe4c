"""A telling name in its surroundings, and the forms in which a value can follow it."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional

from .names import Telling
from .page import Page

Span = tuple[int, int]
_QUOTE = r"\\{0,7}(?:\"\"\"|'''|[\"'`])"
QUOTE = re.compile(_QUOTE)
AFTER_NAME = re.compile(
    rf"(?P<close>{_QUOTE})?(?P<index>\])?(?P<gap>[ \t]{{0,16}})"
    r"(?P<op>=>|:=|:-|\?=|\+=|===|==|!==|!=|=|:|,|>)?"
    rf"[ \t]{{0,16}}(?:(?P<prefix>[rbufRBUF@]{{1,2}})(?=[\"']))?(?P<open>{_QUOTE})?"
)
COMMAND_REACH = 120
_SETTING = re.compile(r"(?:set(?:env|x|q)?(?:[ \t]+-[A-Za-z]{1,4}){0,3}|ENV)[ \t]+(?:\S{0,80}:)?\Z")


class Place(NamedTuple):
    """The name is ``[start, end)``; ``after``: what AFTER_NAME found behind it."""

    page: Page
    start: int
    end: int
    told: Telling
    after: re.Match[str]

    @property
    def at(self) -> int:
        """Where the value begins."""
        return self.after.end()

    @property
    def op(self) -> Optional[str]:
        return self.after["op"]

    @property
    def gap(self) -> str:
        return self.after["gap"]

    @property
    def close(self) -> Optional[str]:
        return self.after["close"]

    @property
    def quote(self) -> str:
        """The quote that opens the value, with the backslashes before it."""
        return self.after["open"] or ""

    @property
    def name(self) -> str:
        return self.page.text[self.start : self.end]

    @property
    def upper(self) -> bool:
        return self.name.isupper()

    @property
    def flag(self) -> bool:
        return self.page.text.startswith("-", self.start)

    def after_command(self, reach: int) -> bool:
        """``set -x NAME``, ``setx NAME``, ``ENV NAME``, ``config set stripe:NAME``."""
        text, floor = self.page.text, max(0, self.start - reach)
        word = max(text.rfind("set", floor, self.start), text.rfind("ENV", floor, self.start))
        if word < 0 or (word > 0 and text[word - 1] not in " \t\n;&|("):
            return False
        return _SETTING.match(text, word, self.start) is not None
