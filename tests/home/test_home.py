"""Home: who needs me first, then my agents, then the team."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from stash.home.fragments import now_html
from tests.sessions_app.factories import add_events, make_event, make_session
from tests.sessions_app.inert import judged

pytestmark = pytest.mark.django_db


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_the_bare_address_leads_to_the_team(dana):
    response = signed_in(dana.user).get("/")
    assert (response.status_code, response["Location"]) == (302, "/t/harbour/")


def test_strangers_are_sent_to_sign_in(team):
    for path in ("/", "/t/harbour/"):
        response = Client().get(path)
        assert response.status_code == 302
        assert "login" in response["Location"]


def test_people_without_a_team_are_told(db):
    response = signed_in(User.objects.create_user("nora", password="correct-horse-9")).get("/")
    assert response.status_code == 403
    assert "You are in no team yet" in response.content.decode()


def test_other_teams_look_absent(dana, olga):
    assert signed_in(dana.user).get("/t/elsewhere/").status_code == 404


def test_needs_you_stands_first_and_shows_its_command_whole(dana, ravi, shop):
    now = timezone.now()
    command = "uv run manage.py migrate payments 0031 " + "--and-so-on " * 60
    waits = make_session(dana, shop, started_at=now, machine_name="mbp-dana")
    add_events(waits, make_event("attention", now, what="permission", text="Allow this?", command=command))
    make_session(
        dana, shop, title="Runs", title_source="person", started_at=now, status="working", activity="Editing a.py"
    )
    make_session(ravi, shop, title="Ravi runs", title_source="person", started_at=now, status="working")
    html = signed_in(dana.user).get("/t/harbour/").content.decode()
    assert judged(html).faults == []
    assert command.strip() in html
    order = [
        html.index(words)
        for words in ("Needs you", command.strip(), "My agents", "Editing a.py", "Team now", "Ravi runs")
    ]
    assert order == sorted(order)
    for words in ("mbp-dana", "1 running", "Open session", "How to read a trace"):
        assert words in html


def test_nothing_of_others_that_is_private_or_ended(dana, ravi, shop):
    now = timezone.now()
    make_session(ravi, title="Hidden", started_at=now, status="working")
    make_session(ravi, shop, title="Over", started_at=now, status="ended")
    html = now_html(dana.actor)
    assert "Hidden" not in html
    assert "Over" not in html
    assert "None of your agents ran today" in html
    assert "Nobody else’s agent is open at this moment." in html


def test_yesterdays_work_is_not_now(dana, shop):
    make_session(dana, shop, title="Old", started_at=timezone.now() - timedelta(hours=26), status="ended")
    assert "Old" not in now_html(dana.actor)


def test_home_before_any_session_says_what_to_do(dana, shop):
    html = signed_in(dana.user).get("/t/harbour/").content.decode()
    assert "No session has arrived yet" in html
    assert 'hx-trigger="every 2s"' in html
    make_session(dana, shop)
    assert "No session has arrived yet" not in signed_in(dana.user).get("/t/harbour/").content.decode()


def test_home_of_old_sessions_only_is_the_usual_one(dana, shop):
    make_session(dana, shop, status="done", last_event_at=timezone.now() - timedelta(days=90))
    html = signed_in(dana.user).get("/t/harbour/").content.decode()
    assert "None of your agents ran today" in html
