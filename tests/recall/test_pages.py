"""The search page, what it loads in place, the palette, and the answer of a colleague."""

from __future__ import annotations

import pytest
from django.test import Client

from stash.recall import deadends
from tests.conftest import connect
from tests.recall.test_search import indexed, told
from tests.sessions_app.wire import edit, prompt, reply, shell

pytestmark = pytest.mark.django_db
HUNK = "--- a/pool.py\n+++ b/pool.py\n@@ -1 +1 @@\n-y = 2\n+y = 3\n"
LEAK = "What did Ravi conclude about the memory leak?"


@pytest.fixture
def world(dana, ravi, shop):
    connect(ravi, shop)
    leak = told(
        ravi,
        prompt("Find the memory leak of the importer"),
        shell("python -m tracemalloc importer.py", "memory leak grows in pool.py", 1),
        edit("pool.py", HUNK, ok=True),
        reply(
            "The memory leak comes from the connection pool: it keeps every cursor. Whether 3.12 helps is still open."
        ),
        prompt("Now rename the logo"),
        reply("Renamed."),
        native_id="leak",
    )
    other = told(
        dana,
        prompt("Why is there a memory leak <b>here</b>?"),
        *(reply(f"No idea about the memory leak, try {n}") for n in range(5)),
        edit("pool.py", HUNK, ok=True),
        native_id="other",
    )
    secret = told(ravi, prompt("A private memory leak"), native_id="mine", visibility="private")
    indexed()
    return leak, other, secret


def browser(person) -> Client:
    client = Client()
    client.force_login(person.user)
    return client


def read(person, address: str, **query) -> str:
    answer = browser(person).get(f"/t/harbour/{address}", query, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    return answer.content.decode()


def test_results_say_who_what_why_and_lead_to_the_event(dana, world):
    leak, other, secret = world
    said = read(dana, "search/", q=LEAK)
    assert said.index(leak.title) < said.index("a memory leak &lt;b&gt;here&lt;/b&gt;")
    assert f"/t/harbour/sessions/{leak.pk}/?at=4#e4" in said
    assert "by whom you named" in said
    assert "Concluded" in said
    assert "Whether 3.12 helps is still open." in said
    assert "<mark>memory</mark> <mark>leak</mark>" in said
    assert "<b>" not in said
    assert "private" not in said
    assert "3 more here" in said


def test_facets_count_under_the_choices_of_the_others_and_only_what_one_may_see(dana, ravi, world):
    said = " ".join(read(dana, "search/", q="memory leak").split())
    assert '<span class="cut">Ravi</span><span class="tally">1<' in said
    assert '<span class="cut">Ravi</span><span class="tally">2<' in " ".join(
        read(ravi, "search/", q="memory leak").split()
    )
    chosen = " ".join(read(dana, "search/", q="memory leak", by="ravi", kind=["command", "reply"]).split())
    assert 'value="ravi" checked' in chosen
    assert '<span class="cut">Dana</span><span class="tally">1<' in chosen
    assert '<span class="cut">Prompt</span><span class="tally">1<' in chosen
    assert "2 hits in 1 session" in chosen


def test_what_is_not_understood_is_named_and_an_empty_page_teaches(dana, world):
    assert "since:whenever" in read(dana, "search/", q="leak since:whenever")
    page = browser(dana).get("/t/harbour/search/").content.decode()
    assert "Ask as you would ask a colleague" in page
    assert "Nothing that you may see fits." in read(dana, "search/", q="zeppelin")
    answer = browser(dana).get("/t/harbour/search/", {"q": "leak", "kind": "reply"}, headers={"HX-Request": "true"})
    assert answer["HX-Push-Url"] == "/t/harbour/search/?q=leak&kind=reply"


def test_more_of_a_session_opens_in_place(dana, world):
    said = read(dana, f"search/{world[1].pk}/", q="memory leak")
    assert said.count('class="hit-no"') == 6
    assert "<html" in browser(dana).get(f"/t/harbour/search/{world[1].pk}/?q=leak").content.decode()


def test_palette_leads_to_people_projects_and_events(dana, world):
    said = read(dana, "search/palette/", q="ravi memory leak")
    assert "?at=" in said
    assert "All results for" in said
    assert "?by=ravi" in read(dana, "search/palette/", q="ravi")
    assert "?project=shop" in read(dana, "search/palette/", q="sho")
    assert str(world[0].pk) in read(dana, "search/palette/")
    assert str(world[2].pk) not in read(dana, "search/palette/") + said


def test_related_sessions_share_files_or_words_and_are_only_those_one_may_see(dana, ravi, world):
    leak, other, secret = world
    said = read(dana, f"sessions/{leak.pk}/related/")
    assert str(other.pk) in said
    assert "pool.py" in said
    assert str(secret.pk) not in said
    assert str(secret.pk) in read(ravi, f"sessions/{leak.pk}/related/")


def known_failures(actor, places):
    return {place: "Tracing allocations does not name the pool." for place in places if place[1] == 2}


def test_a_dead_end_carries_a_badge(dana, world, settings):
    settings.SEARCH_DEAD_ENDS = [f"{__name__}.known_failures"]
    assert deadends.dead_ends(dana.actor, []) == {}
    said = read(dana, "search/", q="tracemalloc")
    assert "tried and failed here" in said
    assert "Tracing allocations does not name the pool." in said
    (person,) = dana.api.get("/api/v1/history", {"q": "tracemalloc"}).json()["people"]
    assert person["sessions"][0]["dead_ends"] == ["Tracing allocations does not name the pool."]


def test_history_answers_by_person_with_conclusions_first(dana, ravi, world):
    (person,) = dana.api.get("/api/v1/history", {"q": LEAK}).json()["people"]
    assert (person["username"], person["named"]) == ("ravi", True)
    (session,) = person["sessions"]
    (said,) = session["conclusions"]
    assert said["event"] == 4
    assert said["text"].startswith("The memory leak comes from the connection pool")
    assert [one["text"] for one in session["open"]] == ["Whether 3.12 helps is still open."]
    assert session["path"].startswith("/projects/shop/sessions/")
    assert session["events"] == world[0].events
    everybody = dana.api.get("/api/v1/history", {"q": "memory leak"}).json()["people"]
    assert {one["username"] for one in everybody} == {"dana", "ravi"}
    assert len(ravi.api.get("/api/v1/history", {"q": LEAK}).json()["people"][0]["sessions"]) == 2


def test_history_of_somebody_who_did_nothing_tells_what_others_did(dana, world, ravi):
    found = dana.api.get("/api/v1/history", {"q": "What did Dana find about tracemalloc?"}).json()
    assert found["note"] == "Nothing of the person named; this is what others did."
    assert [one["username"] for one in found["people"]] == ["ravi"]
    assert dana.api.get("/api/v1/history", {"q": "zeppelin"}).json()["people"] == []


def test_what_was_typed_stays_and_harms_nothing(dana, world):
    page = browser(dana).get("/t/harbour/search/", {"q": '"><script>alert(1)</script>'}).content.decode()
    assert "<script>alert" not in page
    assert 'value="&quot;&gt;&lt;script&gt;' in page


def test_a_page_of_results_costs_the_same_however_many(dana, shop, world, django_assert_max_num_queries):
    for n in range(12):
        told(dana, prompt(f"memory leak number {n}"), native_id=f"more-{n}")
    indexed()
    client = browser(dana)
    client.get("/t/harbour/search/", {"q": "memory leak"})
    with django_assert_max_num_queries(28):
        client.get("/t/harbour/search/", {"q": "memory leak"})
