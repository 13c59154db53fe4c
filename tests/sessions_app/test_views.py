"""Pages of sessions: what they show, that it is inert, and what they cost."""

from __future__ import annotations

import json

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape

from accounts.services.names import clean_name
from sessions_app.templatetags.transcript import resume_command
from stash.audit.models import AuditEntry
from stash_client.harnesses import HARNESSES
from tests.conftest import make_person, make_project
from tests.sessions_app.factories import add_events, fill, make_event, make_session
from tests.sessions_app.inert import PAYLOADS, judged

pytestmark = pytest.mark.django_db


def signed_in(person) -> Client:
    client = Client()
    client.force_login(person.user)
    return client


def url(session, rest: str = "", team: str = "harbour") -> str:
    return f"/t/{team}/sessions/{session.pk}/{rest}"


@pytest.fixture
def told(dana, shop):
    """A session with an event of every kind."""
    session = make_session(dana, shop, machine_name="mbp-dana")
    child = make_session(dana, shop, parent=session, agent_type="explore")
    fill(child, 3)
    add_events(
        session,
        make_event("session_start", 0, source="startup", model="sonnet"),
        make_event("prompt", 1, text="Fix it <now>\n  indented", attachments=["shot.png"]),
        make_event("reply", 2, text="I will **lock** the row."),
        make_event("tool_call", 3, name="Bash", family="shell", ok=False, exit_code=1, duration_ms=3400,
                   input={"command": "uv run pytest"}, output="E   boom\n1 failed, 2 passed"),
        make_event("tool_call", 4, name="Edit", family="edit", ok=True, paths=["pay/hooks.py"],
                   diff="--- a/pay/hooks.py\n+++ b/pay/hooks.py\n@@ -1,1 +1,1 @@\n-old\n+new\n"),
        make_event("subagent", 5, agent_id="a1", state="finished", task="Find callers", text="Three.",
                   child=str(child.pk)),
        make_event("compaction", 6, text="The plan.", tokens_before=148000, tokens_after=21000),
        make_event("thinking", 7, text="Hmm."),
        make_event("note", 8, name="odd_record", text="x" * 400),
        make_event("turn_end", 9, reason="error", text="rate limit"),
        make_event("turn_end", 10, reason="completed"),
        make_event("attention", 11, what="permission", text="Allow?", command="rm -rf build && " + "x" * 300),
    )  # fmt: skip
    session.child = child
    return session


def test_page_shows_what_happened(dana, told):
    html = signed_in(dana).get(url(told)).content.decode()
    for words in (
        "Fix it &lt;now&gt;\n  indented",
        "shot.png",
        "I will <strong>lock</strong> the row.",
        "uv run pytest",
        "1 failed, 2 passed",
        "exit 1",
        '<span class="err">E   boom</span>',
        '<td class="text">new</td>',
        "Find callers",
        "3 calls",
        "148 k → 21 k tokens",
        "odd_record",
        "rate limit",
        "rm -rf build &amp;&amp; " + "x" * 300,
        "mbp-dana",
        "everybody in shop",
    ):
        assert words in html, words


def test_every_event_has_an_address(dana, told):
    html = signed_in(dana).get(url(told)).content.decode()
    for number in range(1, 13):
        assert f'id="e{number}"' in html
        assert f'href="#e{number}"' in html


@pytest.mark.parametrize("who, status", [("dana", 200), ("ravi", 200), ("olga", 404)])
def test_page_is_for_those_who_may_see_it(request, told, who, status):
    assert signed_in(request.getfixturevalue(who)).get(url(told)).status_code == status


def test_private_page_looks_absent_to_others(dana, ravi):
    session = make_session(dana)
    assert signed_in(dana).get(url(session)).status_code == 200
    assert signed_in(ravi).get(url(session)).status_code == 404


def test_signed_out_people_are_sent_to_sign_in(told):
    response = Client().get(url(told))
    assert response.status_code == 302
    assert "login" in response["Location"]


FRAGMENTS = [
    "events/",
    "commands/",
    "side/",
    "turns/",
    "find/?q=x%00",
    "transcript.md",
    "events.jsonl",
    "raw/4.txt",
    "events/4/middle/",
]


@pytest.mark.parametrize("rest", FRAGMENTS)
def test_fragments_are_guarded_like_the_page(dana, olga, told, rest):
    assert signed_in(dana).get(url(told, rest)).status_code == 200
    assert signed_in(olga).get(url(told, rest)).status_code == 404
    assert Client().get(url(told, rest)).status_code == 302


def test_subagent_rows_only_under_their_parent(dana, told):
    client = signed_in(dana)
    html = client.get(url(told, f"subagents/{told.child.pk}/")).content.decode()
    assert html.count("echo") == 3
    other = make_session(dana)
    assert client.get(url(other, f"subagents/{told.child.pk}/")).status_code == 404


def test_a_subagent_of_a_subagent_opens_its_own_page(dana, shop, told):
    grandchild = make_session(dana, shop, parent=told.child)
    add_events(told.child, make_event("subagent", 9, state="started", task="Deeper", child=str(grandchild.pk)))
    client = signed_in(dana)
    nested = client.get(url(told, f"subagents/{told.child.pk}/")).content.decode()
    assert url(told.child, f"subagents/{grandchild.pk}/") in nested
    add_events(grandchild, make_event("subagent", 9, state="started", task="Deepest", child=str(told.child.pk)))
    deepest = client.get(url(told.child, f"subagents/{grandchild.pk}/")).content.decode()
    assert "hx-get" not in deepest


# ---- M03 -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("payload", PAYLOADS)
def test_payload_in_every_field_is_inert_and_readable(dana, shop, payload):
    payload = payload.replace("\x00", "")
    dana.user.name = shop.name = clean_name(payload)
    dana.user.save()
    shop.save()
    session = make_session(
        dana, shop, title=payload, title_source="person", branch=payload, model=payload, machine_name=payload,
        cwd=payload, agent_type=payload, end_reason=payload[:40], harness=payload[:40], waiting_for=payload,
        activity=payload, redactions={payload: 1}, commit=payload[:60],
    )  # fmt: skip
    child = make_session(dana, shop, parent=session, title=payload, agent_type=payload)
    add_events(
        child, make_event("tool_call", 0, name=payload, family="other", input={payload: payload}, output=payload)
    )
    diff = f"--- a/{payload}\n+++ b/{payload}\n@@ -1,2 +1,2 @@ {payload}\n-{payload}\n+{payload}x\n"
    add_events(
        session,
        make_event("session_start", 0, source=payload, model=payload),
        make_event("prompt", 1, text=payload, attachments=[payload, "x.svg", "y.html"]),
        make_event("reply", 2, text=payload, model=payload),
        make_event("thinking", 2, text=payload),
        make_event("tool_call", 3, name=payload, family="shell", ok=False, input={"command": payload}, output=payload),
        make_event("tool_call", 4, name=payload, family="mcp", ok=True, input={payload: [payload]}, output=payload),
        make_event("tool_call", 5, name="Edit", family="edit", ok=True, paths=[payload], diff=diff),
        make_event("tool_call", 6, name="Read", family="read", ok=True, input={"file_path": payload}),
        make_event("tool_call", 6, name="Grep", family="search", input={"pattern": payload, "path": payload}),
        make_event("tool_call", 6, name="Fetch", family="web", input={"url": payload}),
        make_event("subagent", 7, agent_type=payload, task=payload, text=payload, state="done", child=str(child.pk)),
        make_event("compaction", 8, text=payload, trigger=payload),
        make_event("turn_end", 9, reason="error", text=payload),
        make_event("turn_end", 9, reason=payload, text=payload),
        make_event("note", 10, name=payload, text=payload * 30),
        make_event("notification", 11, name=payload, text=payload),
        make_event("session_end", 12, reason=payload),
        make_event("attention", 13, what="question", text=payload, command=payload),
    )  # fmt: skip
    client = signed_in(dana)
    pages = [
        url(session), url(session, "events/"), url(session, "side/"), url(session, "turns/"),
        url(session, f"subagents/{child.pk}/"), url(session, "delete/confirm/"), "/t/harbour/sessions/", "/t/harbour/",
        url(child),
    ]  # fmt: skip
    for page in pages:
        response = client.get(page)
        judge = judged(response.content.decode())
        assert judge.faults == [], page
        assert "\x1b" not in response.content.decode()
        assert "\u202e" not in response.content.decode()
    assert json.loads(client.get(url(session, "find/"), {"q": payload.strip()[:200]}).content)["numbers"]


def test_amber_is_for_what_still_waits(dana, shop):
    session = make_session(dana, shop)
    add_events(session, make_event("attention", 1, what="question", text="Keep v1?", command="rm x"))
    assert "ask-meta" in signed_in(dana).get(url(session)).content.decode()
    add_events(session, make_event("prompt", 2, text="Yes"))
    html = signed_in(dana).get(url(session)).content.decode()
    assert "ask-meta" not in html
    assert "Asked: Keep v1?" in html
    assert '<code class="ask-command">rm x</code>' in html


def test_code_such_as_generics_is_shown_not_dropped(dana, told):
    add_events(told, make_event("tool_call", 20, name="Bash", family="shell", ok=True, output="Vec<T> if a<b && c>d"))
    html = signed_in(dana).get(url(told)).content.decode()
    assert escape("Vec<T> if a<b && c>d") in html


def test_base64_is_never_on_the_page(dana, told):
    data = "iVBORw0KGgo" * 500
    add_events(
        told,
        make_event("prompt", 20, text=f"see {data}"),
        make_event("reply", 21, text=f"![x](data:image/png;base64,{data})"),
        make_event("tool_call", 22, name="Shot", family="mcp", input={"image": data}, output=f"before {data} after"),
    )
    client = signed_in(dana)
    for rest in ("", "transcript.md"):
        response = client.get(url(told, rest))
        html = b"".join(response.streaming_content) if response.streaming else response.content
        assert data[:400] not in html.decode()
        assert "characters of base64]" in html.decode()


def test_big_output_stays_small_on_the_page_and_whole_in_the_file(dana, told):
    big = "\n".join(f"{n:06d} {'x' * 60}" for n in range(3900))
    (event,) = add_events(told, make_event("tool_call", 20, name="Bash", family="shell", ok=True, output=big))
    client = signed_in(dana)
    html = client.get(url(told)).content.decode()
    assert len(html) < 120_000
    assert url(told, f"events/{event.number}/middle/") in html
    assert "002000" not in html
    assert "002000" in client.get(url(told, f"events/{event.number}/middle/")).content.decode()
    raw = client.get(url(told, f"raw/{event.number}.txt"))
    assert raw.content.decode() == big


@pytest.mark.parametrize("rest", ["raw/4.txt", "raw/5.txt?part=diff", "transcript.md", "events.jsonl"])
def test_files_cannot_act(dana, told, rest):
    response = signed_in(dana).get(url(told, rest))
    assert response["Content-Disposition"].startswith("attachment; filename=")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "sandbox; default-src 'none'"


def test_exports(dana, told):
    client = signed_in(dana)
    text = b"".join(client.get(url(told, "transcript.md")).streaming_content).decode()
    assert "# " in text
    assert "> Fix it <now>" in text
    assert "```sh\nuv run pytest\n```" in text
    rows = [json.loads(row) for row in b"".join(client.get(url(told, "events.jsonl")).streaming_content).splitlines()]
    assert [row["number"] for row in rows] == list(range(1, 13))
    assert rows[3]["exit_code"] == 1
    assert rows[3]["input"] == {"command": "uv run pytest"}


# ---- windows, kinds --------------------------------------------------------------------------------------------------


def test_the_page_opens_at_an_event_and_offers_both_sides(dana, shop):
    session = make_session(dana, shop)
    fill(session, 500)
    client = signed_in(dana)
    html = client.get(url(session, "?at=250")).content.decode()
    assert 'id="e250"' in html
    assert f"{url(session)}events/?before=175" in html
    assert f"{url(session)}events/?after=324" in html
    older = client.get(url(session, "events/?before=175")).content.decode()
    assert 'id="e174"' in older
    assert 'id="e175"' not in older


@pytest.mark.parametrize("at", ["abc", "-1", "99999999999999999999", "0", "١"])
def test_odd_addresses_show_the_session(dana, told, at):
    assert signed_in(dana).get(url(told), {"at": at}).status_code == 200


def test_kinds_narrow_the_page(dana, told):
    html = signed_in(dana).get(url(told, "?kind=edits")).content.decode()
    assert 'id="e5"' in html
    assert 'id="e4"' not in html
    empty = make_session(dana)
    assert "Nothing of this kind happened here" in signed_in(dana).get(url(empty, "?kind=edits")).content.decode()


def test_an_empty_session_says_so(dana):
    assert "No events yet" in signed_in(dana).get(url(make_session(dana))).content.decode()


def cost(client, path) -> int:
    with CaptureQueriesContext(connection) as seen:
        assert client.get(path).status_code == 200
    return len(seen)


def test_page_costs_the_same_queries_however_long(dana, shop):
    session = make_session(dana, shop)
    client = signed_in(dana)
    fill(session, 150)
    client.get(url(session))
    short, around = cost(client, url(session)), cost(client, url(session, "?at=75"))
    fill(session, 3000)
    assert (cost(client, url(session)), cost(client, url(session, "?at=1500"))) == (short, around)


@pytest.mark.parametrize("path", ["/t/harbour/sessions/", "/t/harbour/"])
def test_lists_cost_the_same_queries_however_many(dana, ravi, shop, path):
    client = signed_in(dana)

    def make(count):
        for n in range(count):
            at = timezone.now()
            make_session([dana, ravi][n % 2], shop, started_at=at, status=["working", "needs_you"][n % 2])
            make_session(dana, shop, started_at=at, status="needs_you")

    make(3)
    client.get(path)
    few = cost(client, path)
    make(50)
    assert cost(client, path) == few


# ---- list ------------------------------------------------------------------------------------------------------------


def test_list_and_its_fragment(dana, ravi, shop):
    mine, theirs = make_session(dana, shop, title="My own thing"), make_session(ravi, shop, title="Ravi's thing")
    client = signed_in(dana)
    html = client.get("/t/harbour/sessions/").content.decode()
    assert "My own thing" in html
    assert "Ravi&#x27;s thing" in html
    assert f'id="s{mine.pk.hex}"' in html
    part = client.get("/t/harbour/sessions/?q=own", HTTP_HX_REQUEST="true").content.decode()
    assert f'id="s{mine.pk.hex}"' in part
    assert f'id="s{theirs.pk.hex}"' not in part
    assert "<html" not in part


def test_list_pages_keep_their_filter(dana, shop):
    for _ in range(60):
        make_session(dana, shop)
    client = signed_in(dana)
    response = client.get("/t/harbour/sessions/?project=shop")
    older = response.context["older_url"]
    assert "project=shop" in older
    rest = client.get("/t/harbour/sessions/" + older)
    assert len(response.context["rows"]) + len(rest.context["rows"]) == 60


def test_empty_lists_say_what_to_do(dana, shop):
    client = signed_in(dana)
    assert "No sessions yet" in client.get("/t/harbour/sessions/").content.decode()
    assert "No session matches this filter" in client.get("/t/harbour/sessions/?q=zzz").content.decode()


def test_odd_filters_are_left_out(dana, shop):
    make_session(dana, shop)
    for query in ("since=yesterday", "status=nonsense", "project=%00", "scope=all", "by=" + "x" * 500, "q=%00"):
        assert signed_in(dana).get(f"/t/harbour/sessions/?{query}").status_code == 200, query


def test_a_bad_cursor_is_a_400(dana, shop):
    assert signed_in(dana).get("/t/harbour/sessions/?cursor=nonsense").status_code == 400


# ---- changing --------------------------------------------------------------------------------------------------------


def test_rename_answers_with_the_title(dana, told):
    response = signed_in(dana).post(url(told, "title/"), {"title": "  A <b> name "}, HTTP_HX_REQUEST="true")
    assert "A &lt;b&gt; name" in response.content.decode()
    told.refresh_from_db()
    assert (told.title, told.title_source) == ("A <b> name", "person")


def test_without_script_a_change_leads_back_to_the_page(dana, told):
    response = signed_in(dana).post(url(told, "visibility/"), {"visibility": "private"})
    assert (response.status_code, response["Location"]) == (302, url(told))


@pytest.mark.parametrize(
    "rest, data", [("title/", {"title": "x"}), ("visibility/", {"visibility": "private"}), ("delete/", {})]
)
@pytest.mark.parametrize("who, status", [("ravi", 403), ("olga", 404)])
def test_only_its_person_changes_a_session(request, told, rest, data, who, status):
    assert signed_in(request.getfixturevalue(who)).post(url(told, rest), data).status_code == status


@pytest.mark.parametrize("rest", ["title/", "visibility/", "delete/"])
def test_changes_need_post_and_a_token(dana, told, rest):
    assert signed_in(dana).get(url(told, rest)).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(dana.user)
    assert strict.post(url(told, rest)).status_code == 403


def test_delete_leads_to_the_list(dana, told):
    response = signed_in(dana).post(url(told, "delete/"))
    assert response["Location"] == "/t/harbour/sessions/"
    assert signed_in(dana).get(url(told)).status_code == 404


def test_others_see_no_buttons_for_what_they_may_not_do(ravi, told):
    html = signed_in(ravi).get(url(told)).content.decode()
    assert "Delete session" not in html
    assert 'aria-label="Rename"' not in html


def test_an_admin_in_a_restricted_project_is_written_down_once(team, dana):
    admin = make_person(team, "adam", "admin")
    session = make_session(dana, make_project(team, "vault", visibility="restricted"), title="Secret plan")
    client = signed_in(admin)
    for _ in range(3):
        assert client.get(url(session)).status_code == 200
    (entry,) = AuditEntry.objects.filter(verb="session.opened_by_admin")
    assert (entry.actor_name, entry.target_name) == ("Adam", session.short_id)


@pytest.mark.parametrize("harness, label", [
    *((name, harness.label) for name, harness in HARNESSES.items()), ("acme-bot", "acme-bot"),
])  # fmt: skip
def test_every_agent_is_named_even_one_nobody_described(dana, shop, harness, label):
    session = make_session(dana, shop, harness=harness)
    browser = signed_in(dana)

    page = browser.get(url(session)).content.decode()
    rows = browser.get(f"/t/harbour/sessions/?harness={harness}").content.decode()

    assert f'<span class="agent" title="{label}">{harness}</span>' in page
    assert f'<option value="{harness}" selected>{label}</option>' in rows
    assert f"s{session.pk.hex}" in rows


def test_a_subagent_is_continued_with_its_parent(dana, shop):
    session = make_session(dana, shop, harness="pi", native_id="p1")
    child = make_session(dana, shop, harness="pi", native_id="p1/a", parent=session)

    assert (resume_command(session), resume_command(child)) == ("pi --session p1", "")
