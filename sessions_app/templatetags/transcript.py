"""``{% load transcript %}``: stored text made safe to look at, and sessions in a person's words."""

from __future__ import annotations

import shlex
from datetime import datetime, timedelta
from typing import Any

from django import template

from sessions_app.models import Session
from sessions_app.rendering import text
from sessions_app.selectors import Now, state_of
from stash_client.harnesses import HARNESSES

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


@register.filter
def row_id(session: Session) -> str:
    """Id of its row on any page."""
    return f"s{session.pk.hex}"


@register.filter
def belongs_to(session: Session, user_id: Any) -> bool:
    return bool(user_id) and session.person_id == user_id


@register.filter
def is_private(session: Session) -> bool:
    return session.visibility == Session.Visibility.PRIVATE


@register.filter
def doing(session: Session) -> str:
    """What it does now, in words."""
    match state_of(session):
        case "needs_you":
            return "Waits for " + (text.one_line(session.waiting_for, 120) or "an answer")
        case "running":
            return text.one_line(session.activity) or "Working"
        case "failed":
            return "Stopped in an error"
        case "idle":
            return f"Idle, {session.prompts} prompt{'' if session.prompts == 1 else 's'}"
        case "ended":
            return "Fell silent"
    edited = f", {session.files} file{'' if session.files == 1 else 's'} changed" if session.files else ""
    return f"Finished{edited}"


@register.filter
def running_words(now: Now) -> str:
    return f"{now.running} running" if now.running else ""


@register.filter
def waits_since(session: Session, at: datetime) -> bool:
    """Whether what was asked then is still unanswered."""
    return session.status == Session.Status.NEEDS_YOU and session.status_since == at


@register.filter
def agent_label(harness: str) -> str:
    """How an agent writes its own name; one nobody described goes by the name it was stored under."""
    known = HARNESSES.get(harness)
    return known.label if known else text.one_line(harness, 40)


@register.filter
def resume_command(session: Session) -> str:
    """What continues it in a terminal, for harnesses that can; a subagent's session goes on with its parent's."""
    harness = HARNESSES.get(session.harness)
    if harness is None or not harness.resume or session.parent_id:
        return ""
    return shlex.join(part.replace("{session}", session.native_id) for part in harness.resume)
