"""The search page and the palette: what they find, show, keep in the address, and never tell."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from stash.recall.indexer import Indexer
from tests.conftest import connect
from tests.recall.test_search import told
from tests.sessions_app.wire import prompt, reply, shell

pytestmark = pytest.mark.django_db
PAGE = "/t/harbour/search/"


def browser(person) -> Client:
    client = Client()
    client.force_login(person.user)
    return client


def got(person, path: str = PAGE, *, htmx: bool = False, **query) -> str:
    answer = browser(person).get(path, query, headers={"HX-Request": "true"} if htmx else {})
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.fixture
def remembered(dana, ravi, shop):
    connect(ravi, shop)
    told(
        dana, prompt("Why does the till round <b>up</b>?"), shell("pytest till", "till: rounding off", 1),
        reply("Rounding: float prices; use integer cents for rounding."), reply("The till rounding is fixed."),
        reply("Rounding again, for the till."), native_id="s1",
    )  # fmt: skip
    told(ravi, prompt("Rounding of timetables"), native_id="s2", harness="codex")
    Indexer().run_out()


def test_results_say_who_and_open_at_the_event(dana, remembered):
    page = got(dana, q="rounding till")
    assert re.search(r'href="/t/harbour/sessions/[0-9a-f-]+/\?at=\d+#e\d+"', page)
    assert "Why does the till round &lt;b&gt;up&lt;/b&gt;?" in page
    assert "<b>up" not in page
    assert "<mark>rounding</mark>" in page.lower()
    assert "in 2 sessions" in page
    assert re.search(r"\d more hits? in this session", page)


def test_what_was_typed_stays_and_harms_nothing(dana, remembered):
    page = got(dana, q='"><script>alert(1)</script>')
    assert "<script>alert" not in page
    assert 'value="&quot;&gt;&lt;script&gt;' in page


def test_facets_count_and_narrow(dana, remembered):
    page = got(dana, q="rounding")
    assert re.search(r'href="\?q=rounding&amp;by=ravi"', page)
    assert re.search(r'href="\?q=rounding&amp;harness=codex"', page)
    narrowed = got(dana, q="rounding", by="ravi")
    assert "Rounding of timetables" in narrowed
    assert "Why does the till" not in narrowed
    assert 'aria-current="true"' in narrowed
    assert '<input type="hidden" name="by" value="ravi">' in narrowed
    assert "Command" in got(dana, q="rounding", kind="command")


def test_htmx_gets_results_and_facets_alone(dana, remembered):
    page = got(dana, htmx=True, q="rounding")
    assert page.lstrip().startswith('<div id="found"')
    assert 'id="facets" hx-swap-oob="true"' in page
    assert "<html" not in page


def test_more_hits_of_a_session_come_in_place(dana, remembered):
    page = got(dana, q="rounding till by:dana")
    link = re.search(r'hx-get="([^"]+&amp;shown=[^"]+)"', page)
    assert link
    numbers = re.findall(r"#(\d+)</a>", page)
    rest = re.findall(r"#(\d+)</a>", got(dana, link[1].replace("&amp;", "&")))
    assert len(numbers) == 3
    assert rest
    assert set(rest).isdisjoint(numbers)


def test_private_sessions_are_neither_found_nor_counted(dana, ravi, remembered):
    told(dana, prompt("A private rounding thought"), native_id="s3", visibility="private")
    Indexer().run_out()
    assert "private rounding thought" in got(dana, q="rounding thought")
    page = got(ravi, q="rounding thought")
    assert "private rounding thought" not in page
    assert "in 2 sessions" in page


def test_an_empty_page_teaches_and_a_miss_says_so(dana, shop):
    assert "Ask what the team already knows" in got(dana)
    assert "Nothing found" in got(dana, q="zyzzyva")
    assert "Left out, since it was not understood" in got(dana, q="till since:nonsense")


def test_the_palette_finds_sessions_and_leads_to_all(dana, remembered):
    page = got(dana, f"{PAGE}palette/", q="timetables")
    assert "Rounding of timetables" in page
    assert "All results for" in page
    assert got(dana, f"{PAGE}palette/").strip() == ""


def test_a_page_of_results_costs_the_same_however_many(dana, shop, remembered, django_assert_max_num_queries):
    for n in range(12):
        told(dana, prompt(f"rounding number {n}"), native_id=f"more-{n}")
    Indexer().run_out()
    client = browser(dana)
    client.get(PAGE, {"q": "rounding"})
    with django_assert_max_num_queries(24):
        client.get(PAGE, {"q": "rounding"})
