"""Syntax as weight, not hue: Pygments classes, styled by ``.hl`` in the stylesheet."""

from __future__ import annotations

from functools import lru_cache

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

MOST = 20_000
"""Characters; lexers are regular expressions, and longer code is shown plain instead of slowly."""

_FORMATTER = HtmlFormatter(nowrap=True, classprefix="")


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def highlighted(code: str, language: str) -> SafeString:
    """Escaped code with ``<span class>`` around its tokens; plain when the language is unknown or the code long."""
    lexer = _lexer(language.strip().lower()[:30]) if language and len(code) <= MOST else None
    if lexer is None:
        return escape(code)
    return mark_safe(highlight(code, lexer, _FORMATTER))  # noqa: S308 - Pygments escapes what it formats
