"""Reading sessions: who sees what, pages without gaps, and no query that grows with history."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.models import ProjectGrant
from sessions_app import selectors
from sessions_app.commands import command_in, program_of
from sessions_app.models import Session
from sessions_app.selectors import SessionFilters
from stash.errors import BadRequest, NotFound
from tests.conftest import make_person, make_project
from tests.sessions_app.factories import START, add_events, complete, fill, make_event, make_session

pytestmark = pytest.mark.django_db
EVERYTHING = SessionFilters()
NOON = timezone.now() - timedelta(hours=1)


def titles(page):
    return [session.title for session in page.rows]


# ---- who sees what ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "who, shared, private, restricted",
    [
        ("dana", True, True, True),
        ("ravi", True, False, False),
        ("granted", True, False, True),
        ("viewer", True, False, False),
        ("admin", True, False, True),
        ("olga", False, False, False),
    ],
)
def test_visibility(team, dana, ravi, olga, shop, who, shared, private, restricted):
    vault = make_project(team, "vault", visibility="restricted")
    people = {"dana": dana, "ravi": ravi, "olga": olga}
    people["granted"] = make_person(team, "gita")
    people["viewer"] = make_person(team, "vera", "viewer")
    people["admin"] = make_person(team, "adam", "admin")
    ProjectGrant.objects.create(project=vault, membership=people["granted"].membership)
    sessions = (
        make_session(dana, shop),
        make_session(dana, shop, visibility="private"),
        make_session(dana, vault),
    )
    actor = people[who].actor
    listed = {session.pk for session in selectors.sessions(actor, EVERYTHING).rows}
    for session, expected in zip(sessions, (shared, private, restricted), strict=True):
        assert (session.pk in listed) is expected
        if expected:
            assert selectors.get_session(actor, session.pk) == session
        else:
            with pytest.raises(NotFound):
                selectors.get_session(actor, session.pk)


@pytest.mark.parametrize("bad", [uuid4(), "not-an-id", "", "\x00"])
def test_absent_and_malformed_ids_are_not_found(dana, bad):
    with pytest.raises(NotFound):
        selectors.get_session(dana.actor, bad)


def test_a_key_without_read_sees_nothing(team, shop):
    blind = make_person(team, "blind", scopes=("capture",))
    make_session(blind, shop)
    assert selectors.sessions(blind.actor, EVERYTHING).rows == []


def test_admin_may_reach_a_private_session_only_to_delete_it(team, dana, ravi):
    admin = make_person(team, "adam", "admin")
    session = make_session(dana)
    assert selectors.get_session_to_delete(admin.actor, session.pk) == session
    with pytest.raises(NotFound):
        selectors.get_session(admin.actor, session.pk)
    with pytest.raises(NotFound):
        selectors.get_session_to_delete(ravi.actor, session.pk)


def test_reads_as_admin_is_for_restricted_projects_without_a_grant(team, dana, shop):
    admin = make_person(team, "adam", "admin")
    vault = make_project(team, "vault", visibility="restricted")
    open_one, closed = make_session(dana, shop), make_session(dana, vault)
    assert not selectors.reads_as_admin(admin.actor, open_one)
    assert selectors.reads_as_admin(admin.actor, closed)
    assert not selectors.reads_as_admin(dana.actor, closed)
    ProjectGrant.objects.create(project=vault, membership=admin.membership)
    assert not selectors.reads_as_admin(admin.actor, closed)


# ---- lists -----------------------------------------------------------------------------------------------------------


def test_state_in_a_persons_words(dana):
    def state(**fields):
        return selectors.state_of(Session(**fields))

    assert state(status="needs_you", failed=True) == "needs_you"
    assert state(status="working") == "running"
    assert state(status="idle", failed=True) == "failed"
    assert state(status="ended", failed=True) == "failed"
    assert state(status="idle") == "idle"
    assert state(status="ended", end_reason="exit") == "done"
    assert state(status="ended", end_reason="silence") == "ended"


@pytest.mark.parametrize(
    "filters, found",
    [
        ({"by": "ravi"}, ["b"]),
        ({"by": "RAVI"}, ["b"]),
        ({"by": "me"}, ["c", "a"]),
        ({"scope": "mine"}, ["c", "a"]),
        ({"scope": "private"}, ["c"]),
        ({"project": "shop"}, ["b", "a"]),
        ({"project": "nowhere"}, []),
        ({"harness": "codex"}, ["b"]),
        ({"status": "running"}, ["a"]),
        ({"status": "working"}, ["a"]),
        ({"status": "failed"}, ["b"]),
        ({"status": "done"}, ["c"]),
        ({"status": "nonsense"}, []),
        ({"since": NOON + timedelta(minutes=1)}, ["c", "b"]),
        ({"until": NOON + timedelta(minutes=1)}, ["a"]),
        ({"q": "LOCK"}, ["b"]),
        ({"q": "payments shop-branch"}, ["a"]),
        ({"q": "100%"}, []),
    ],
)
def test_filters(dana, ravi, shop, filters, found):
    a = make_session(dana, shop, title="a", branch="shop-branch")
    add_events(a, make_event("tool_call", family="edit", paths=["payments/webhooks.py"]))
    Session.objects.filter(pk=a.pk).update(last_event_at=NOON, status="working")
    late = {"last_event_at": NOON + timedelta(minutes=2)}
    make_session(ravi, shop, title="b", branch="fix/lock", harness="codex", status="idle", failed=True, **late)
    late = {"last_event_at": NOON + timedelta(minutes=3)}
    make_session(dana, title="c", status="ended", **late)
    assert titles(selectors.sessions(dana.actor, SessionFilters(**filters))) == found


def test_subagents_are_listed_in_their_parent_only(dana, shop):
    parent = make_session(dana, shop)
    make_session(dana, shop, parent=parent)
    assert selectors.sessions(dana.actor, EVERYTHING).rows == [parent]


def test_pages_are_exact_when_times_are_equal(dana, shop):
    made = {make_session(dana, shop, last_event_at=START + timedelta(seconds=n // 4)).pk for n in range(23)}
    seen, cursor = [], ""
    while cursor is not None:
        page = selectors.sessions(dana.actor, EVERYTHING, cursor=cursor, limit=5)
        seen += [session.pk for session in page.rows]
        cursor = page.next
    assert len(seen) == 23
    assert set(seen) == made


def test_a_page_is_not_moved_by_what_arrives_meanwhile(dana, shop):
    for n in range(6):
        make_session(dana, shop, title=str(n), last_event_at=START + timedelta(seconds=n))
    first = selectors.sessions(dana.actor, EVERYTHING, limit=3)
    make_session(dana, shop, title="new", last_event_at=START + timedelta(seconds=99))
    second = selectors.sessions(dana.actor, EVERYTHING, cursor=first.next, limit=3)
    assert titles(first) + titles(second) == ["5", "4", "3", "2", "1", "0"]


@pytest.mark.parametrize("cursor", ["x", "a:b:c", "..", "\x00"])
def test_a_foreign_cursor_is_refused(dana, cursor):
    with pytest.raises(BadRequest):
        selectors.sessions(dana.actor, EVERYTHING, cursor=cursor)


@pytest.mark.parametrize("rows", [3, 60])
def test_a_list_costs_the_same_queries_however_long(dana, ravi, shop, django_assert_num_queries, rows):
    for n in range(rows):
        make_session([dana, ravi][n % 2], shop)
    with django_assert_num_queries(1):
        page = selectors.sessions(dana.actor, EVERYTHING)
        assert {session.project.slug for session in page.rows} == {"shop"}
        assert {session.person.name for session in page.rows} == {"Dana", "Ravi"}


# ---- events ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def long_one(dana, shop):
    session = make_session(dana, shop)
    fill(session, 500)
    return session


def numbers(window):
    return [event.number for event in window.events]


def test_windows(long_one):
    latest = selectors.events_window(long_one, limit=100)
    assert numbers(latest) == list(range(401, 501))
    assert (latest.older, latest.newer) == (True, False)
    before = selectors.events_window(long_one, before=401, limit=100)
    assert numbers(before) == list(range(301, 401))
    assert (before.older, before.newer) == (True, True)
    first = selectors.events_window(long_one, before=51, limit=100)
    assert numbers(first) == list(range(1, 51))
    assert (first.older, first.newer) == (False, True)
    after = selectors.events_window(long_one, after=450, limit=100)
    assert numbers(after) == list(range(451, 501))
    assert (after.older, after.newer) == (True, False)
    around = selectors.events_window(long_one, around=250, limit=100)
    assert numbers(around) == list(range(200, 300))
    assert (around.older, around.newer) == (True, True)


def test_windows_of_numbers_that_do_not_exist(long_one):
    assert numbers(selectors.events_window(long_one, around=9999, limit=10))[-1] == 500
    long_one.event_set.filter(number__range=(100, 200)).delete()
    assert 201 in numbers(selectors.events_window(long_one, around=150, limit=10))


def test_a_window_of_an_empty_session(dana):
    window = selectors.events_window(make_session(dana), around=3)
    assert (window.events, window.older, window.newer) == ([], False, False)


def test_display_order_is_time_then_source_then_number(dana):
    session = make_session(dana)
    add_events(
        session,
        make_event("reply", 5, n=1, text="third"),
        make_event("reply", 1, n=9, text="first"),
        make_event("reply", 5, n=0, text="second"),
        make_event("reply", 5, n=1, text="fourth"),
    )
    shown = [event.text for event in selectors.events_window(session).events]
    assert shown == ["first", "second", "third", "fourth"]
    assert [event.text for page in selectors.pages(session, 2) for event in page] == shown


def test_paging_through_equal_times_is_exact(dana):
    session = make_session(dana)
    add_events(session, *(make_event("note", n // 7, n=n % 3) for n in range(60)))
    whole = numbers(selectors.events_window(session, limit=200))
    seen = numbers(selectors.events_window(session, limit=7))
    while True:
        window = selectors.events_window(session, before=seen[0], limit=7)
        seen = numbers(window) + seen
        if not window.older:
            break
    assert seen == whole
    assert sorted(seen) == list(range(1, 61))


def test_a_completed_event_comes_again_after_every_cursor(dana):
    session = make_session(dana)
    first, second = add_events(session, make_event("tool_call", 1), make_event("reply", 2))
    complete(session, first, output="done")
    assert [event.pk for event in selectors.events_after(session, second.seq)] == [first.pk]
    assert [event.pk for event in selectors.events_after(session, 0)] == [second.pk, first.pk]
    assert [event.pk for event in selectors.events_after(session, 0, kinds=["reply"])] == [second.pk]


@pytest.mark.parametrize("kind, found", [("prompts", [1]), ("replies", [2]), ("edits", [4]), ("failures", [3, 5])])
def test_kinds(dana, kind, found):
    session = make_session(dana)
    add_events(
        session,
        make_event("prompt", 1),
        make_event("reply", 2),
        make_event("tool_call", 3, family="shell", ok=False),
        make_event("tool_call", 4, family="edit", ok=True),
        make_event("turn_end", 5, reason="error"),
        make_event("turn_end", 6, reason="completed"),
    )
    assert numbers(selectors.events_window(session, kinds=kind)) == found


@pytest.mark.parametrize("size", [200, 5000])
def test_opening_costs_the_same_however_long_the_session_is(dana, shop, django_assert_num_queries, size):
    session = make_session(dana, shop)
    fill(session, size)
    with django_assert_num_queries(1):
        selectors.events_window(session)
    with django_assert_num_queries(3):
        selectors.events_window(session, around=size // 2)
    with django_assert_num_queries(1):
        selectors.events_after(session, size - 10)


@pytest.mark.parametrize(
    "words, found",
    [
        ("NEEDLE", [1]),
        ("printed", [2]),
        ("grep", [2]),
        ('say "hi"', [3]),
        ("größe", [4]),
        ("path/to", [4]),
        ("100%", [5]),
        ("_", [5]),
        ("nothing like it", []),
        ("   ", []),
    ],
)
def test_find_looks_everywhere_in_an_event(dana, words, found):
    session = make_session(dana)
    add_events(
        session,
        make_event("prompt", 1, text="a needle here"),
        make_event("tool_call", 2, name="Grep", output="it was printed"),
        make_event("tool_call", 3, name="Bash", input={"command": 'say "hi"'}),
        make_event("tool_call", 4, name="Edit", diff="+ größe", paths=["path/to/x"]),
        make_event("reply", 5, text="100% of a_b"),
    )
    assert selectors.find(session, words) == found


def test_commands_by_program(dana):
    session = make_session(dana)
    call = {"family": "shell", "name": "Bash"}
    add_events(
        session,
        make_event("tool_call", 1, ok=True, input={"command": "git status"}, **call),
        make_event("tool_call", 2, ok=False, input={"command": "cd x && git push"}, **call),
        make_event("tool_call", 3, ok=True, input={"command": "uv run pytest -q"}, **call),
        make_event("tool_call", 4, ok=True, input={"command": "A=1 uv run pytest"}, **call),
        make_event("tool_call", 5, ok=True, family="edit", input={}),
    )
    got = selectors.commands(session)
    assert (got.total, got.failures, got.capped) == (4, 1, False)
    assert [(row.program, row.times, row.failures, row.last) for row in got.rows] == [
        ("git", 2, 1, 2),
        ("uv run pytest", 2, 0, 4),
    ]


@pytest.mark.parametrize(
    "line, program",
    [
        ("", "shell"),
        ("/usr/bin/python3 -m venv .venv", "python3 -m venv"),
        ("sudo env X=1 make test", "make"),
        ("npm test", "npm test"),
        ("ls\nrm -rf /", "ls"),
    ],
)
def test_program_of(line, program):
    assert program_of(line) == program


def test_command_in_whatever_the_harness_calls_it():
    assert command_in({"cmd": ["bash", "-lc", "ls"]}) == "bash -lc ls"
    assert command_in("ls") == "ls"
    assert command_in({"command": 5}) == ""
    assert command_in(None) == ""


def test_turns_count_what_they_led_to(dana):
    session = make_session(dana)
    add_events(
        session,
        make_event("tool_call", 0, ok=True),
        make_event("prompt", 1, text="first\n  thing"),
        make_event("tool_call", 2, ok=True),
        make_event("tool_call", 3, ok=False),
        make_event("prompt", 4, text="second"),
    )
    assert [(turn.number, turn.words, turn.tools, turn.failures) for turn in selectors.turns(session)] == [
        (2, "first thing", 2, 1),
        (5, "second", 0, 0),
    ]


# ---- now -------------------------------------------------------------------------------------------------------------


def test_now_orders_by_who_needs_somebody(dana, ravi, shop, django_assert_max_num_queries):
    now = timezone.now()
    for n, (title, fields) in enumerate(
        {
            "done": {"status": "ended"},
            "idle": {"status": "idle"},
            "failed": {"status": "idle", "failed": True},
            "running": {"status": "working"},
            "asks": {"status": "needs_you", "waiting_for": "rm x"},
        }.items()
    ):
        make_session(dana, shop, title=title, last_event_at=now - timedelta(minutes=n), **fields)
        make_session(ravi, shop, title=title, last_event_at=now - timedelta(minutes=n), **fields)
    make_session(dana, shop, title="old", status="ended", last_event_at=now - timedelta(days=3))
    make_session(ravi, title="hidden", status="working", last_event_at=now)
    with django_assert_max_num_queries(3):
        found = selectors.now_of(dana.actor)
    assert [session.title for session in found.mine] == ["asks", "running", "failed", "idle", "done"]
    assert [session.title for session in found.team] == ["asks", "running", "failed", "idle"]
    assert [(ask.session.title, ask.text) for ask in found.asks] == [("asks", "rm x")]
    assert found.running == 1


def test_now_shows_the_command_whole(dana):
    command = "uv run manage.py migrate payments 0031 " + "--flag " * 100
    session = make_session(dana, started_at=timezone.now())
    add_events(session, make_event("attention", timezone.now(), what="permission", text="Allow?", command=command))
    (ask,) = selectors.now_of(dana.actor).asks
    assert (ask.what, ask.text, ask.command) == ("permission", "Allow?", command)


def test_first_event_since(dana, ravi):
    since = timezone.now()
    assert selectors.first_event_since(dana.actor, since) is None
    old = make_session(dana)
    add_events(old, make_event("note", 0, received_at=since - timedelta(minutes=1)))
    other = make_session(ravi)
    add_events(other, make_event("note", 0, received_at=since + timedelta(minutes=1)))
    assert selectors.first_event_since(dana.actor, since) is None
    (event,) = add_events(old, make_event("note", 1, received_at=since + timedelta(seconds=1)))
    assert selectors.first_event_since(dana.actor, since) == event


def test_counts_are_of_open_states(dana, shop):
    make_session(dana, shop, status="working", started_at=NOON)
    make_session(dana, shop, status="needs_you", started_at=NOON)
    make_session(dana, shop, status="ended", started_at=NOON)
    make_session(dana, shop, status="working", started_at=NOON - timedelta(days=2))
    assert selectors.counts(dana.actor, EVERYTHING) == {"running": 1, "needs_you": 1}


def test_waiting_sessions_lead_and_come_once(dana, shop):
    now = timezone.now()
    for n in range(5):
        make_session(dana, shop, title=f"s{n}", last_event_at=now - timedelta(minutes=n), status="working")
    for minutes in (30, 600):
        make_session(
            dana, shop, title=f"w{minutes}", last_event_at=now - timedelta(minutes=minutes), status="needs_you"
        )

    leading = selectors.waiting(dana.actor, SessionFilters())
    first = selectors.sessions(dana.actor, SessionFilters(), limit=3, besides_waiting=True)
    second = selectors.sessions(dana.actor, SessionFilters(), cursor=first.next, limit=3, besides_waiting=True)

    assert [s.title for s in leading] == ["w30", "w600"]
    assert [s.title for s in [*first.rows, *second.rows]] == ["s0", "s1", "s2", "s3", "s4"]
    assert second.next is None
