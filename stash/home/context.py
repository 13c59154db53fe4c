"""What the rail of every page shows: projects with what runs in them, and how many agents wait for their person."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from accounts.models import Project
from sessions_app.models import Session
from stash.actors import Actor

_MOST_PROJECTS = 12


def rail(request: HttpRequest) -> dict[str, Any]:
    """Lazy: fragments and downloads draw no rail and ask the database nothing."""
    actor = getattr(request, "actor", None)
    if actor is None:
        return {}
    chosen = request.GET.get("project", "")
    return {"rail": SimpleLazyObject(lambda: rail_of(actor, chosen))}


def rail_of(actor: Actor, chosen: str = "") -> dict[str, Any]:
    """Two queries, over projects and over open sessions; none grows with history."""
    working, needs_you = Session.Status.WORKING, Session.Status.NEEDS_YOU
    visible = Session.objects.visible_to(actor).top_level().still_open()
    open_now = visible.values_list("project_id", "status", "person_id")
    # Two halves, because for "status IN" SQLite would rather read every session of the team than the open ones.
    rows = list(open_now.filter(status=working).union(open_now.filter(status=needs_you), all=True)[:500])
    running = Counter(project for project, status, _ in rows if status == working)
    projects = list(Project.objects.visible_to(actor).order_by("slug")[:200])
    projects.sort(key=lambda project: -running[project.pk])
    waiting = sum(status == needs_you and person == actor.user_id for _, status, person in rows)
    return {
        "projects": [_link(project, running[project.pk], actor, chosen) for project in projects[:_MOST_PROJECTS]],
        "badges": {"needs_you": waiting, "running": running.total()},
    }


def _link(project: Project, running: int, actor: Actor, chosen: str) -> dict[str, Any]:
    url = reverse("sessions:list", args=[actor.team_slug])
    return {
        "name": project.name,
        "url": f"{url}?project={project.slug}",
        "running": running,
        "current": project.slug == chosen,
    }
