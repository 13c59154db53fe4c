"""``{% load ui %}``: icons, status shapes, traces, navigation, and filters for times, sizes and names."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django import template
from django.forms import BoundField, CheckboxInput, CheckboxSelectMultiple, RadioSelect, Select
from django.template import Context
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from stash.ui import icons, nav, trace, words

register = template.Library()

THEMES = ("light", "dark")


@register.simple_tag
def icon(name: str, css: str = "") -> SafeString:
    return icons.icon_svg(name, css)


@register.simple_tag
def glyph(status: object, label: str = "", css: str = "") -> SafeString:
    return icons.glyph_svg(status, label, css)


@register.simple_tag
def status(value: object, word: str = "") -> SafeString:
    """Glyph and word together: the only way a state is shown outside rows."""
    return format_html(
        '<span class="status is-{}">{}{}</span>',
        icons.status_name(value),
        icons.glyph_svg(value),
        word or icons.status_word(value),
    )


@register.filter
def status_word(value: object) -> str:
    return icons.status_word(value)


@register.simple_tag(name="trace")
def trace_tag(letters: object, step: int = 4, width: int = 128) -> SafeString:
    return trace.row_trace(letters, step, width)


@register.simple_tag
def trace_header(letters: object, summary: str = "") -> SafeString:
    return trace.header_trace(letters, summary)


@register.simple_tag(takes_context=True)
def theme(context: Context) -> str:
    """The person's choice from the cookie, or nothing: then the system decides."""
    request = context.get("request")
    chosen = request.COOKIES.get("theme") if request is not None else None
    return chosen if chosen in THEMES else ""


@register.simple_tag(takes_context=True)
def areas(context: Context) -> list[nav.Link]:
    request = context.get("request")
    rail = context.get("rail") or {}
    path_now = request.path if request is not None else ""
    governs = bool(getattr(context.get("actor"), "administers", False))
    return list(nav.links(path_now, str(context.get("team") or ""), rail.get("badges"), governs=governs))


@register.simple_tag(takes_context=True)
def url_if(context: Context, name: str) -> str:
    """The URL in this team, or an empty string while the page does not exist: what leads nowhere is not shown."""
    return nav.url_or_none(name, str(context.get("team") or "")) or ""


@register.simple_tag
def keys(pressed: str) -> SafeString:
    return format_html_join("", "<kbd>{}</kbd>", ((key,) for key in pressed.split()))


def _time(moment: Any, kind: str, text: str) -> SafeString:
    return format_html(
        '<time datetime="{}" title="{}" data-time="{}">{}</time>', moment.isoformat(), words.exact(moment), kind, text
    )


@register.filter
def clock(moment: Any) -> SafeString | str:
    """``14:31``; the script shows it in the reader's own zone."""
    return _time(moment, "clock", words.clock(moment)) if isinstance(moment, datetime) else ""


@register.filter
def age(moment: Any) -> SafeString | str:
    return _time(moment, "age", words.age(moment)) if isinstance(moment, datetime) else ""


@register.filter
def exact(moment: Any) -> str:
    return words.exact(moment) if isinstance(moment, datetime) else ""


@register.filter
def duration(length: Any) -> str:
    return words.duration(length) if isinstance(length, (int, float, timedelta)) else ""


@register.filter
def duration_ms(length: Any) -> str:
    return words.duration(length / 1000) if isinstance(length, (int, float)) else ""


@register.filter
def thousands(value: Any) -> str:
    return words.thousands(int(value)) if isinstance(value, (int, float)) else ""


@register.filter
def compact(value: Any) -> str:
    return words.compact(int(value)) if isinstance(value, (int, float)) else ""


@register.filter(name="bytes")
def size(value: Any) -> str:
    return words.size(int(value)) if isinstance(value, (int, float)) else ""


@register.filter
def initials(name: Any) -> str:
    return words.initials(str(name or ""))


@register.filter
def path(value: Any) -> SafeString:
    """A path whose folder gives way on screen and whose file name never does."""
    folder, name = words.split_path(str(value or ""))
    lead = format_html('<span class="folder">{}</span>', folder) if folder else ""
    return format_html('<span class="path" title="{}">{}<span class="file">{}</span></span>', value or "", lead, name)


CHOICES = (CheckboxSelectMultiple, RadioSelect)


@register.filter
def widget_kind(field: BoundField) -> str:
    """``check``, ``choices``, ``select`` or ``text``: how a form field is laid out."""
    widget = field.field.widget
    if isinstance(widget, CHOICES):
        return "choices"
    if isinstance(widget, CheckboxInput):
        return "check"
    return "select" if isinstance(widget, Select) else "text"


@register.filter
def control(field: BoundField) -> SafeString:
    """The input of a field, without a placeholder: its label says it already."""
    return field.as_widget(attrs={"placeholder": False})


@register.filter
def sentence(words_given: Any) -> str:
    """``Set Password`` as ``Set password``; words with a second capital letter stay."""
    first, *rest = str(words_given).split() or [""]
    return " ".join([first, *(word if any(c.isupper() for c in word[1:]) else word.lower() for word in rest)])


@register.filter
def first_word(name: Any) -> str:
    return str(name or "").split(" ", 1)[0]
