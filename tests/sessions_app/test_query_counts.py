"""How many questions an endpoint asks the database does not depend on how much there is."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app.models import Session
from tests.sessions_app.factories import fill, make_session
from tests.sessions_app.wire import body, edit, prompt, reply, shell

pytestmark = pytest.mark.django_db


def asked(act) -> int:
    with CaptureQueriesContext(connection) as queries:
        answer = act()
        assert answer.status_code == 200, answer.content
        assert answer.getvalue() is not None
    return len(queries)


@pytest.mark.parametrize("who", ["dana", "ravi"])
@pytest.mark.parametrize("path", ["", "?q=lock&by=dana&project=shop&status=running", "/{id}", "/{id}/events?limit=50"])
def test_reading(request, dana, ravi, shop, who, path):
    api = request.getfixturevalue(who).api
    session = make_session(dana, shop)
    fill(session, 3)
    where = "/api/v1/sessions" + path.format(id=session.pk)
    api.get(where)
    few = asked(lambda: api.get(where))
    for n in range(12):
        make_session(dana, shop, title=f"lock {n}", parent=session if n % 2 else None)
    fill(session, 40)
    assert asked(lambda: api.get(where)) == few


def test_capturing(dana, shop):
    def post(count, native_id):
        items = [one(n) for n in range(count) for one in _ALL]
        return lambda: dana.api.post("/api/v1/events", body(*items, native_id=native_id), format="json")

    post(1, "s-0")()
    few = asked(post(1, "s-1"))
    assert asked(post(25, "s-2")) <= few + 2  # a batch of 100 rows may take two inserts on SQLite
    again = asked(post(1, "s-1"))
    assert asked(post(25, "s-2")) <= again + 2
    assert Session.objects.count() == 3


_ALL = (
    lambda n: prompt(f"p{n}", at=n),
    lambda n: shell(f"c{n}", call_id=f"c{n}", at=n),
    lambda n: edit(f"f{n}.py", "+a", at=n),
    lambda n: reply(f"r{n}", at=n),
)


def test_completing(dana, shop):
    def told(count, origin):
        calls = [shell(f"c{n}", call_id=f"c{n}", at=n) for n in range(count)]
        calls += [edit(f"f{n}.py", call_id=f"e{n}", at=n) for n in range(count)]
        for call in calls:
            if origin == "hook":
                call.pop("exit_code", None)
                call.pop("diff", None)
            else:
                call["diff"] = "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+a\n" if call["family"] == "edit" else None
        payload = {**body(*calls, native_id=f"s-{count}"), "origin": origin}
        return lambda: dana.api.post("/api/v1/events", payload, format="json")

    told(1, "hook")()
    told(20, "hook")()
    few = asked(told(1, "transcript"))
    assert asked(told(20, "transcript")) <= few + 2


def test_downloads_ask_once_for_a_hundred_events(dana, shop):
    session = make_session(dana, shop)
    fill(session, 30)
    where = f"/api/v1/sessions/{session.pk}/events.jsonl"
    dana.api.get(where)
    few = asked(lambda: dana.api.get(where))
    fill(session, 100)
    assert asked(lambda: dana.api.get(where)) == few + 1
