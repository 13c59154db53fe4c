"""``{% load transcript %}``: stored text made safe to look at, and the state of a session in a person's words."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import template

from sessions_app.models import Session
from sessions_app.rendering import text
from sessions_app.selectors.sessions import state_of

register = template.Library()


@register.filter
def shown(value: Any) -> str:
    """Hidden and bidirectional characters spelled out; escaping stays with the template."""
    return text.shown(str(value or ""))


@register.filter
def one_line(value: Any, limit: int = 200) -> str:
    return text.one_line(str(value or ""), limit)


@register.filter
def state(session: Session) -> str:
    return state_of(session)


@register.filter
def title(session: Session) -> str:
    return text.one_line(session.title) or "Untitled session"


@register.filter
def lasted(session: Session) -> timedelta:
    return session.last_event_at - session.started_at
