"""The demo team: believable, harmless, and there once."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Membership, Team, User
from sessions_app.models import Event, Session
from stash.home.demo import cast
from stash.home.demo.events import unified
from stash.home.demo.play import keep_moving, native_id_of
from stash.home.demo.script import read_script, scripts
from stash.home.demo.stage import set_the_stage
from tests.sessions_app.wire import body, prompt

pytestmark = pytest.mark.django_db

SECRETS = (
    "lantern-osprey-41",
    "tidal-9c41f7d2a80b4e6d",
    "Zk7vQm2rT9xLw4Nc8bYh3JpD6sFgA1eU",
    "granite-heron-forty-two",
    "monthly totals",
)


def demo(**options) -> str:
    said = StringIO()
    call_command("demo", stdout=said, **options)
    return said.getvalue()


@pytest.fixture
def played() -> str:
    return demo()


def titled(title: str) -> Session:
    return Session.objects.get(title=title, parent=None)


def test_demo_fills_the_server_with_people_projects_and_sessions(played):
    team = Team.objects.get(slug="harbour")

    people = Membership.objects.filter(team=team).values_list("user__name", flat=True)
    assert set(people) == {player.name for player in cast.PLAYERS}
    assert set(team.projects.values_list("slug", flat=True)) == set(cast.PROJECTS)
    sessions = Session.objects.filter(team=team, parent=None)
    assert sessions.count() == len(scripts()) >= 18
    assert set(sessions.values_list("harness", flat=True)) == {"claude-code", "codex", "cursor", "opencode"}
    assert not any(user.has_usable_password() for user in User.objects.all())


def test_demo_loses_no_event(played):
    blocks = [block for script in scripts() for block in script.blocks]
    lasting = sum(block.word != "doing" for block in blocks)
    of_subagents = sum(len(block.calls) + 3 for block in blocks if block.word == "agent")
    expected = len(scripts()) + lasting + of_subagents

    assert Event.objects.count() == expected


def test_demo_twice_adds_nothing(played):
    before = Event.objects.count(), Session.objects.count(), User.objects.count()

    again = demo()

    assert (Event.objects.count(), Session.objects.count(), User.objects.count()) == before
    assert "Nothing to add." in again


def test_owner_signs_in_with_the_printed_link_once(played, client, settings):
    address = next(line.strip() for line in played.splitlines() if settings.URL in line)

    answer = client.post(address.removeprefix(settings.URL))

    assert answer.status_code == 302
    assert client.session["_auth_user_id"] == str(User.objects.get(name="Mara Lindqvist").pk)


@pytest.mark.parametrize(
    "title, status, failed",
    [
        ("Stop double receipts on webhook retry", "needs_you", False),
        ("Retire fare API v1", "needs_you", False),
        ("Type the grid store", "needs_you", False),
        ("Partial refunds for cancelled crossings", "working", False),
        ("Backfill tide readings by month", "working", False),
        ("Rotate the object-store keys", "idle", False),
        ("Nightly: flaky test triage", "idle", True),
        ("Seed data for the harbour demo", "ended", False),
        ("Try a Rust port of the fare parser", "ended", False),
    ],
)
def test_sessions_are_where_their_scripts_left_them(played, title, status, failed):
    session = titled(title)

    assert (session.status, session.failed) == (status, failed)


def test_what_is_waited_for_is_whole(played):
    assert titled("Stop double receipts on webhook retry").waiting_for == (
        "uv run manage.py migrate payments 0031 --database staging"
    )
    assert titled("Retire fare API v1").waiting_for.startswith("Keep the v1 fare endpoint")


def test_the_long_session_has_everything(played):
    session = titled("Stop double receipts on webhook retry")
    kinds = set(session.event_set.values_list("kind", flat=True))

    assert {"prompt", "reply", "tool_call", "subagent", "compaction", "attention"} <= kinds
    assert session.events > 130
    assert (session.prompts, session.machine_name, session.branch) == (3, "mbp-mara", "fix/webhook-retry")
    assert session.failures > 5
    assert session.lines_added > session.lines_removed > 0
    assert min(session.tokens_in, session.tokens_out, session.tokens_cache_read) > 0
    assert [child.tool_calls for child in session.children.order_by("started_at")] == [4, 4]
    assert sum(session.redactions.values()) == 2


def test_nothing_secret_is_stored(played):
    stored = json.dumps([[e.text, e.output, e.body] for e in Event.objects.all()])

    assert [secret for secret in SECRETS if secret in stored] == []
    assert stored.count("[redacted:") >= len(SECRETS)


def test_one_session_is_its_persons_alone(played):
    private = Session.objects.exclude(visibility="project")

    assert [(s.person.name, s.title) for s in private] == [
        ("Mara Lindqvist", "Draft the answer to the partner's contract")
    ]


def test_times_are_of_today(played):
    session = titled("Partial refunds for cancelled crossings")

    assert datetime.now(UTC) - session.last_event_at < timedelta(minutes=1)
    assert timedelta(minutes=47) < session.last_event_at - session.started_at < timedelta(minutes=49)
    assert not Event.objects.filter(occurred_at__gt=datetime.now(UTC)).exists()


def test_demo_stops_before_real_sessions(dana, shop):
    dana.api.post("/api/v1/events", body(prompt("fix the totals")), format="json")

    with pytest.raises(CommandError, match="--yes"):
        demo()
    assert not User.objects.filter(name="Mara Lindqvist").exists()

    demo(yes=True)
    assert Session.objects.filter(team=dana.membership.team).count() == 1
    assert titled("Retire fare API v1").team.slug == "harbour-2"


def test_names_of_real_people_are_left_to_them(dana):
    User.objects.create_user("mara", "mara@example.test")

    demo(yes=True)

    assert User.objects.get(name="Mara Lindqvist").username == "mara-demo"


def test_live_sessions_move_on(played):
    before = Event.objects.count()
    paused = []

    posted = keep_moving(set_the_stage(), datetime.now(UTC), timedelta(seconds=1), pause=paused.append)

    assert posted == len(paused) > 0
    assert Event.objects.count() == before + posted
    assert all(1 <= seconds <= 3 for seconds in paused)


def test_every_day_has_its_own_sessions():
    script = scripts()[0]

    assert native_id_of(script, "t", "2026-11-30") == native_id_of(script, "t", "2026-11-30")
    assert native_id_of(script, "t", "2026-11-30") != native_id_of(script, "t", "2026-12-01")


def test_script_reads_options_from_the_end():
    head = "lasted: 1 h 20 min\nended: 4 s"
    script = read_script("s", f"{head}\n\n== bash exit=2 took=3.4 +9\nls\n--\nno\n== grep a=b c\nx")

    shell, search = script.blocks
    assert (shell.options, shell.gap, shell.parts) == ({"exit": "2", "took": "3.4"}, 9.0, ("ls", "no"))
    assert (search.argument, search.text) == ("a=b c", "x")
    assert script.lasted == timedelta(minutes=80)


def test_hunks_are_counted():
    diff = unified("a.py", "@@ 3 def f():\n x\n-y\n+z\n+w\n@@ 20\n+v")

    assert diff.splitlines() == [
        "--- a/a.py", "+++ b/a.py", "@@ -3,2 +3,3 @@ def f():", " x", "-y", "+z", "+w", "@@ -20,0 +21,1 @@", "+v",
    ]  # fmt: skip
