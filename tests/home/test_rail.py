"""The rail: counts that leak nothing and cost the same however much there is."""

from __future__ import annotations

import pytest
from django.utils import timezone

from sessions_app.models import Session
from stash.home.context import rail_of
from tests.conftest import make_project

pytestmark = pytest.mark.django_db


def session(person, project, status="working", visibility="project", n=0) -> Session:
    now = timezone.now()
    return Session.objects.create(
        team=person.membership.team,
        person=person.user,
        project=project,
        harness="codex",
        native_id=f"{status}-{visibility}-{n}",
        status=status,
        visibility=visibility,
        started_at=now,
        last_event_at=now,
    )


def test_counts_running_per_project_and_waiting_for_me(dana, ravi, shop):
    session(dana, shop, "working")
    session(dana, shop, "needs_you")
    session(ravi, shop, "needs_you")
    session(ravi, shop, "idle")

    rail = rail_of(dana.actor)

    assert [(p["name"], p["running"]) for p in rail["projects"]] == [("shop", 1)]
    assert rail["badges"] == {"needs_you": 1, "running": 1}


def test_private_sessions_and_closed_projects_of_others_are_not_counted(dana, ravi, shop, team):
    session(dana, shop, "working", "private")
    closed = make_project(team, "closed", visibility="restricted")
    session(dana, closed, "working")

    rail = rail_of(ravi.actor)

    assert [(p["name"], p["running"]) for p in rail["projects"]] == [("shop", 0)]
    assert rail["badges"]["running"] == 0


def test_cost_is_the_same_for_few_and_many(dana, shop, team, django_assert_num_queries):
    for n in range(30):
        session(dana, make_project(team, f"p{n}"), n=n)

    with django_assert_num_queries(2):
        assert len(rail_of(dana.actor)["projects"]) == 12
