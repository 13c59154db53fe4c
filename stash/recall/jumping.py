"""Where a few letters can lead without a search: people, projects, sessions one has just had."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db.models import Q
from django.urls import reverse

from accounts.models import Membership, Project
from sessions_app.models import Session
from stash.actors import Actor
from stash.ui.nav import links

_MOST = 4


@dataclass(frozen=True, slots=True)
class Way:
    label: str
    url: str
    icon: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Ways:
    title: str
    ways: list[Way] = field(default_factory=list)


def places(actor: Actor, typed: str) -> list[Ways]:
    """Without letters the sessions that were last active; groups with nothing in them are left out."""
    word = " ".join(typed.split())[:100]
    if not word:
        groups = [Ways("Recent sessions", _recent(actor)), Ways("Pages", _pages(actor, ""))]
    else:
        groups = [
            Ways("People", _people(actor, word)),
            Ways("Projects", _projects(actor, word)),
            Ways("Pages", _pages(actor, word)),
        ]
    return [group for group in groups if group.ways]


def _list_url(actor: Actor) -> str:
    return reverse("sessions:list", kwargs={"team": actor.team_slug})


def _pages(actor: Actor, word: str) -> list[Way]:
    areas = links("", actor.team_slug, governs=actor.administers)
    return [
        Way(link.area.label, link.url, link.area.icon)
        for link in areas
        if link.area.label.lower().startswith(word.lower())
    ]


def _people(actor: Actor, word: str) -> list[Way]:
    called = Q(user__username__istartswith=word) | Q(user__name__icontains=word)
    rows = Membership.objects.active().filter(called, team_id=actor.team_id).select_related("user")
    return [
        Way(row.user.display_name, f"{_list_url(actor)}?by={row.user.username}", "users", row.user.username)
        for row in rows.order_by("user__username")[:_MOST]
    ]


def _projects(actor: Actor, word: str) -> list[Way]:
    rows = Project.objects.visible_to(actor).filter(Q(slug__icontains=word) | Q(name__icontains=word))
    return [
        Way(project.name, f"{_list_url(actor)}?project={project.slug}", "folder", project.slug)
        for project in rows.order_by("slug")[:_MOST]
    ]


def _recent(actor: Actor) -> list[Way]:
    rows = Session.objects.visible_to(actor).top_level().select_related("person").order_by("-last_event_at", "-id")
    return [
        Way(
            session.title or "Untitled session",
            reverse("sessions:detail", kwargs={"team": actor.team_slug, "session_id": session.pk}),
            "activity",
            session.person.display_name,
        )
        for session in rows[: 2 * _MOST]
    ]
