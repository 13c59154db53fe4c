"""Replies are GitHub-flavoured markdown: no HTML in, an allow-list out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from sessions_app.rendering.code import highlighted
from sessions_app.rendering.text import shown, without_data

MOST = 64_000
"""Characters rendered as markdown; the rest of a longer text follows as plain text."""

TAGS = frozenset(
    "a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i li ol p pre s span strong table tbody td th thead tr ul".split()  # noqa: E501, SIM905
)
_ATTRIBUTES = {
    "a": {"href", "title"},
    "pre": {"class", "tabindex"},
    "code": {"class"},
    "span": {"class"},
    "ol": {"start"},
}
_SCHEMES = {"http", "https", "mailto"}
_ADDRESS = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)


class _Inert(RendererHTML):
    """Links that lead out only, pictures as links, code in Pygments classes."""

    def link_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        url = str(tokens[index].attrGet("href") or "")
        env.setdefault("links", []).append(bool(_ADDRESS.match(url)))
        return f'<a href="{escape(url)}">' if env["links"][-1] else ""

    def link_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "</a>" if env["links"] and env["links"].pop() else ""

    def image(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        """Never loaded: a picture's address would tell its owner who reads this page."""
        url, words = str(tokens[index].attrGet("src") or ""), tokens[index].content or "picture"
        if not _ADDRESS.match(url) or any(env.get("links", [])):
            return f"[{escape(words)}]"
        return f'<a href="{escape(url)}">{escape(words)}</a>'

    def fence(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        language = tokens[index].info.strip().split(" ", 1)[0]
        # In reach of the keyboard, which is the only way to scroll it for some.
        return f'<pre class="hl" tabindex="0"><code>{highlighted(tokens[index].content, language)}</code></pre>\n'


_PARSER = MarkdownIt("gfm-like", {"html": False, "linkify": True, "maxNesting": 20}, renderer_cls=_Inert)
# Bare words such as "setup.py" or "main.rs" would become links to top-level domains.
assert _PARSER.linkify is not None
_PARSER.linkify.set({"fuzzy_link": False, "fuzzy_email": False})


def markdown(text: str) -> SafeString:
    """Inert HTML with no tag outside TAGS, no event handler, style or relative link."""
    text = shown(without_data(text))
    head, rest = text[:MOST], text[MOST:]
    html = nh3.clean(
        _PARSER.render(head, {}),
        tags=set(TAGS),
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        url_schemes=_SCHEMES,
        link_rel="nofollow noopener noreferrer",
    )
    if rest:
        html += f"<pre>{escape(rest)}</pre>"
    return mark_safe(html)  # noqa: S308 - cleaned by the allow-list above
