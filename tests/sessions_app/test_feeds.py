"""Live streams: nothing lost, nothing late for others, nothing for those who may not see it."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import asynccontextmanager
from urllib.parse import urlencode

import pytest
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator

from sessions_app import feeds
from sessions_app.feeds import watcher as watching
from sessions_app.feeds.session import BATCH
from sessions_app.models import Session
from sessions_app.services import editing
from stash import live
from stash.asgi import application
from tests.conftest import make_person, make_project
from tests.sessions_app.factories import add_events, complete, fill, make_event, make_session
from tests.sessions_app.inert import PAYLOADS, judged

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 10
"""Seconds a test waits for what must come; nothing is asserted about how long it took."""

in_db = database_sync_to_async


@in_db
def append(session, *events):
    """Store events as capture does, and say so."""
    session.refresh_from_db()
    add_events(session, *events)
    live.announce(groups=(live.session_group(session.pk), live.team_group(session.team_id)), hint="events")
    return events


def note(text, at=0, **fields):
    return make_event("note", at, text=text, **fields)


def headers_of(person):
    return [(b"authorization", f"Bearer {person.secret}".encode())]


@asynccontextmanager
async def socket(path, person=None, headers=None):
    """An open socket of somebody with a key; closed at the end whatever happens."""
    communicator = WebsocketCommunicator(application, path, headers=headers or (headers_of(person) if person else []))
    connected, _ = await communicator.connect(timeout=PATIENCE)
    assert connected
    try:
        yield communicator
    finally:
        await communicator.disconnect(timeout=PATIENCE)


def watch(session, person, **query):
    return socket(f"/ws/sessions/{session.pk}/?{urlencode(query)}", person)


async def receive(communicator):
    return json.loads(await communicator.receive_from(timeout=PATIENCE))


async def receive_until(communicator, seq, shown=True):
    """Messages up to the one that carries ``seq``; ``shown``: confirm each as the page does."""
    got = []
    while True:
        message = await receive(communicator)
        got.append(message)
        if shown:
            await communicator.send_to(text_data="shown")
        if message.get("seq", 0) >= seq:
            return got


async def closed_with(communicator):
    while True:
        output = await communicator.receive_output(timeout=PATIENCE)
        if output["type"] == "websocket.close":
            return output.get("code")


def items(messages):
    return [item for message in messages for item in message.get("events", [])]


# ---- who may watch ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("who, code", [("olga", 4404), ("ravi", 4404), (None, 4401)])
async def test_refused_with_a_code(dana, ravi, olga, who, code):
    session = await in_db(make_session)(dana)
    person = {"olga": olga, "ravi": ravi, None: None}[who]
    headers = None if person else [(b"authorization", b"Bearer stash_nothing")]
    async with socket(f"/ws/sessions/{session.pk}/", person, headers) as communicator:
        assert await closed_with(communicator) == code


async def test_absent_sessions_look_like_forbidden_ones(dana):
    async with socket("/ws/sessions/00000000-0000-0000-0000-000000000000/", dana) as communicator:
        assert await closed_with(communicator) == 4404


async def test_a_browser_needs_its_own_origin(dana):
    session = await in_db(make_session)(dana)
    foreign = WebsocketCommunicator(
        application, f"/ws/sessions/{session.pk}/", headers=[(b"origin", b"https://evil.example.test")]
    )
    connected, _ = await foreign.connect(timeout=PATIENCE)
    assert not connected


async def test_a_signed_in_browser_watches(dana, client):
    session = await in_db(make_session)(dana)
    await in_db(client.force_login)(dana.user)
    cookie = f"sessionid={client.cookies['sessionid'].value}".encode()
    headers = [(b"origin", b"http://127.0.0.1:8000"), (b"cookie", cookie)]
    async with socket(f"/ws/sessions/{session.pk}/", headers=headers) as communicator:
        assert "head" in await receive(communicator)
        await in_db(client.logout)()
        await in_db(_announce_membership)(session.team_id)
        assert await closed_with(communicator) == 4404


def _announce_membership(team_id):
    live.announce(groups=(live.team_group(team_id),), hint="membership")


# ---- forms -----------------------------------------------------------------------------------------------------------


async def test_scripts_get_one_object_per_event(dana):
    session = await in_db(make_session)(dana)
    await append(session, make_event("prompt", 1, text="hello"), make_event("reply", 2, text="hi"))
    async with watch(session, dana, format="json") as communicator:
        first, second = await receive(communicator), await receive(communicator)
    assert (first["seq"], first["event"]["kind"], first["event"]["text"]) == (1, "prompt", "hello")
    assert (second["seq"], second["event"]["kind"]) == (2, "reply")


async def test_browsers_get_the_fragment_of_the_page_and_the_head(dana):
    session = await in_db(make_session)(dana, title="Old", title_source="person")
    async with watch(session, dana) as communicator:
        assert (await receive(communicator))["title"] == "Old"
        await append(session, make_event("prompt", 1, text="hello <b>"))
        (update,) = await receive_until(communicator, 1)
        (item,) = update["events"]
        assert (item["number"], item["kind"]) == (1, "prompt")
        assert 'id="e1"' in item["html"]
        assert "hello &lt;b&gt;" in item["html"]
        head = await receive(communicator)
        assert (head["status"], "1 event" in head["head"]) == ("working", True)


@pytest.mark.parametrize("payload", PAYLOADS)
async def test_streamed_payloads_are_inert(dana, payload):
    session = await in_db(make_session)(dana)
    async with watch(session, dana) as communicator:
        await append(
            session,
            make_event("prompt", 1, text=payload, attachments=[payload]),
            make_event("reply", 2, text=payload),
            make_event("tool_call", 3, name=payload, family="shell", output=payload, input={"command": payload}),
            make_event("attention", 4, text=payload, command=payload),
        )
        got = await receive_until(communicator, 4)
        got.append(await receive(communicator))
    for message in got:
        for html in [message.get("head", ""), *(item["html"] for item in message.get("events", []))]:
            assert judged(html).faults == []
            assert "\x1b" not in html


async def test_a_completed_event_comes_again_under_its_number(dana):
    session = await in_db(make_session)(dana)
    (event,) = await append(session, make_event("tool_call", 1, name="Bash", family="shell"))
    async with watch(session, dana) as communicator:
        await receive_until(communicator, 1)
        await in_db(complete)(session, event, output="it worked", ok=True)
        await in_db(live.announce)(groups=(live.session_group(session.pk),), hint="events")
        (item,) = items(await receive_until(communicator, 2))
    assert item["number"] == 1
    assert "it worked" in item["html"]


# ---- nothing lost ----------------------------------------------------------------------------------------------------


async def test_resumes_behind_a_cursor(dana):
    session = await in_db(make_session)(dana)
    await append(session, *(note(str(n), n) for n in range(10)))
    async with watch(session, dana, after=7, format="json") as communicator:
        assert [(await receive(communicator))["seq"] for _ in range(3)] == [8, 9, 10]


async def test_a_long_history_comes_in_bounded_updates(dana):
    session = await in_db(make_session)(dana)
    await in_db(fill)(session, 3 * BATCH + 5)
    async with watch(session, dana, ack=1) as communicator:
        got = await receive_until(communicator, 3 * BATCH + 5)
    assert [item["number"] for item in items(got)] == list(range(1, 3 * BATCH + 6))
    assert all(len(message.get("events", [])) <= BATCH for message in got)


async def test_gap_free_over_random_disconnects(dana):
    session = await in_db(make_session)(dana)
    total, chance = 300, random.Random(7)
    seen: dict[int, list[int]] = {}

    async def produce():
        done = 0
        while done < total:
            size = min(chance.randint(1, 9), total - done)
            await append(session, *(note(str(n), n) for n in range(done, done + size)))
            done += size
            await asyncio.sleep(chance.random() * 0.02)

    async def follow(name):
        seq, got, own = 0, [], random.Random(name)
        while seq < total:
            async with watch(session, dana, after=seq, format="json") as communicator:
                for _ in range(own.randint(1, 60)):
                    message = await receive(communicator)
                    seq = message["seq"]
                    got.append(seq)
                    if seq == total:
                        break
        seen[name] = got

    await asyncio.gather(produce(), *(follow(name) for name in range(5)))
    for got in seen.values():
        assert got == list(range(1, total + 1))


async def test_lost_hints_cost_a_tick_only(dana, settings):
    settings.LIVE_TICK = 0.1
    session = await in_db(make_session)(dana)
    async with watch(session, dana, format="json") as communicator:
        await in_db(add_events)(session, note("unannounced"))
        assert (await receive(communicator))["seq"] == 1


async def test_a_burst_is_coalesced(dana):
    session = await in_db(make_session)(dana)
    async with watch(session, dana) as communicator:
        await receive(communicator)
        for n in range(60):
            await append(session, note(str(n), n))
        got = await receive_until(communicator, 60)
    updates = [message for message in got if "events" in message]
    assert [item["number"] for item in items(updates)] == list(range(1, 61))
    assert len(updates) < 30


async def test_watchers_of_a_session_share_one_reader_and_the_same_bytes(dana, ravi, shop, monkeypatch):
    session = await in_db(make_session)(dana, shop)
    reads = []
    original = feeds.SessionFeed._read
    monkeypatch.setattr(feeds.SessionFeed, "_read", lambda self, *rest: reads.append(1) or original(self, *rest))
    async with watch(session, dana) as one, watch(session, ravi) as two:
        await receive(one)
        await receive(two)
        await append(session, note("x"))
        first, second = await one.receive_from(PATIENCE), await two.receive_from(PATIENCE)
    assert first == second
    assert len(reads) == 1


async def test_a_slow_watcher_holds_up_nobody_and_loses_nothing(dana):
    session = await in_db(make_session)(dana)
    async with watch(session, dana, ack=1) as slow, watch(session, dana, format="json") as fast:
        await receive(slow)
        total = 0
        for _ in range(3 * watching.ROOM):
            total += 1
            await append(session, note(str(total), total))
            while (await receive(fast))["seq"] < total:
                pass
        unread = []
        while not slow.output_queue.empty():
            unread.append(json.loads((await slow.receive_output(PATIENCE))["text"]))
        # What it did not confirm is bounded; the rest waits in the database, behind its cursor.
        assert len(unread) <= watching.ROOM
        for _ in range(len(unread) + 1):
            await slow.send_to(text_data="shown")
        rest = unread if unread and unread[-1].get("seq") == total else unread + await receive_until(slow, total)
    assert [item["number"] for item in items(rest)] == list(range(1, total + 1))


async def test_a_feed_ends_with_its_last_watcher(dana):
    from sessions_app.feeds import session as module

    session = await in_db(make_session)(dana)
    async with watch(session, dana) as communicator:
        await receive(communicator)
        assert session.pk in module._feeds[asyncio.get_running_loop()]
    await asyncio.sleep(0)
    assert session.pk not in module._feeds[asyncio.get_running_loop()]


# ---- rights while it streams -----------------------------------------------------------------------------------------


def _leave_team(person):
    person.membership.active = False
    person.membership.save()
    _announce_membership(person.membership.team_id)


def _revoke(person):
    from django.utils import timezone

    person.key.revoked_at = timezone.now()
    person.key.save()
    _announce_membership(person.membership.team_id)


@pytest.mark.parametrize("how", ["withdrawn", "left", "revoked", "restricted"])
async def test_losing_sight_closes_the_socket_and_shows_no_more(dana, ravi, shop, how):
    session = await in_db(make_session)(dana, shop)
    async with watch(session, ravi) as lost, watch(session, dana) as kept:
        await receive(lost)
        await receive(kept)
        if how == "withdrawn":
            await in_db(editing.set_visibility)(actor=dana.actor, session=session, visibility="private")
        elif how == "left":
            await in_db(_leave_team)(ravi)
        elif how == "revoked":
            await in_db(_revoke)(ravi)
        else:
            shop.visibility = "restricted"
            await in_db(shop.save)()
            await in_db(_announce_membership)(session.team_id)
        await append(session, make_event("prompt", 1, text="for fewer eyes"))
        while True:
            output = await lost.receive_output(PATIENCE)
            if output["type"] == "websocket.close":
                break
            assert "for fewer eyes" not in output["text"]
        assert output["code"] == 4404
        assert "for fewer eyes" in str(await receive_until(kept, 1))


async def test_a_deleted_session_says_so(dana, shop):
    session = await in_db(make_session)(dana, shop)
    async with watch(session, dana) as communicator:
        await receive(communicator)
        await in_db(editing.delete_session)(actor=dana.actor, session=session)
        assert await closed_with(communicator) == 4410


async def test_forgetting_reloads_the_page(dana, shop):
    session = await in_db(make_session)(dana, shop)
    await append(session, note("a", 1), note("b", 5))
    async with watch(session, dana, after=2) as communicator:
        await receive(communicator)
        await in_db(editing.forget)(actor=dana.actor, session=session, since=session.started_at)
        assert (await receive(communicator)) == {"reload": True}


# ---- a team ----------------------------------------------------------------------------------------------------------


async def test_changed_rows_reach_those_who_may_see_them(dana, ravi, shop):
    shared = await in_db(make_session)(dana, shop, title="Shared", title_source="person")
    private = await in_db(make_session)(dana, title="Private", title_source="person")
    async with socket("/ws/activity/?team=harbour", dana) as own, socket("/ws/activity/?team=harbour", ravi) as other:
        await asyncio.sleep(0.7)
        await append(shared, note("x"))
        await append(private, note("x"))
        rows = {}
        while len(rows) < 2:
            rows |= {row["id"]: row for row in (await receive(own))["rows"]}
        assert {row["person"] for row in rows.values()} == {"me"}
        seen = await receive(other)
        assert [(row["id"], row["person"]) for row in seen["rows"]] == [(shared.pk.hex, "other")]
        assert f'id="s{shared.pk.hex}"' in seen["rows"][0]["html"]


async def test_a_row_that_may_no_longer_be_seen_goes(dana, ravi, shop):
    session = await in_db(make_session)(dana, shop)
    async with socket("/ws/activity/", ravi) as communicator:
        await asyncio.sleep(0.7)
        await in_db(editing.set_visibility)(actor=dana.actor, session=session, visibility="private")
        assert await receive(communicator) == {"rows": [], "gone": [session.pk.hex]}


async def test_rows_of_one_project(team, dana, shop):
    other = await in_db(make_project)(team, "other")
    here, there = await in_db(make_session)(dana, shop), await in_db(make_session)(dana, other)
    async with socket("/ws/activity/?project=shop", dana) as communicator:
        await asyncio.sleep(0.7)
        await append(there, note("x"))
        await append(here, note("x"))
        rows = []
        while not rows:
            rows = (await receive(communicator))["rows"]
    assert [row["id"] for row in rows] == [here.pk.hex]


async def test_home_is_drawn_at_once_and_again_when_something_needs_its_person(dana, shop):
    session = await in_db(make_session)(dana, shop)
    async with socket("/ws/activity/?view=home&ack=1", dana) as communicator:
        first = await receive(communicator)
        assert 'id="now-asks"' in first["home"]
        await communicator.send_to(text_data="shown")
        from django.utils import timezone

        await append(session, make_event("attention", timezone.now(), what="permission", command="rm -rf build"))
        assert "rm -rf build" in (await receive(communicator))["home"]


@pytest.mark.parametrize("slug", ["elsewhere", "nowhere"])
async def test_activity_of_other_teams_is_refused(dana, olga, slug):
    async with socket(f"/ws/activity/?team={slug}", dana) as communicator:
        assert await closed_with(communicator) == 4404


@pytest.mark.parametrize(
    "query", ["after=x&ack=2", "after=99999999999999", "after=-1", "project=%00", "a=%ff&format=%00"]
)
async def test_odd_queries_watch_from_the_start(dana, query):
    session = await in_db(make_session)(dana)
    await append(session, note("x"))
    async with socket(f"/ws/sessions/{session.pk}/?{query}", dana) as communicator:
        await receive_until(communicator, 1)
    async with socket(f"/ws/activity/?view=home&{query}", dana) as communicator:
        assert "home" in await receive(communicator)


async def test_activity_needs_the_read_scope(team):
    blind = await in_db(make_person)(team, "blind", scopes=("capture",))
    async with socket("/ws/activity/", blind) as communicator:
        assert await closed_with(communicator) == 4404


async def test_a_private_session_can_not_be_watched_by_an_admin(team, dana):
    admin = await in_db(make_person)(team, "adam", "admin")
    session = await in_db(make_session)(dana)
    assert await in_db(Session.objects.count)() == 1
    async with watch(session, admin) as communicator:
        assert await closed_with(communicator) == 4404


@pytest.mark.parametrize("query", ["after=%ff&format=%00", "project=%00&team=harbour", "x=%ed%a0%80", "after=\u00b2"])
@pytest.mark.parametrize("path", ["/ws/activity/", "/ws/sessions/{id}/"])
async def test_queries_of_any_form_watch_and_harm_nobody(dana, shop, path, query):
    session = await in_db(make_session)(dana, shop)
    async with socket("/ws/activity/", dana) as other, socket(path.format(id=session.pk) + "?" + query, dana):
        await append(session, note("anything"))
        while await other.receive_nothing(timeout=1):  # its feed may not have looked for the first time
            await append(session, note("anything"))
        assert (await receive(other))["rows"]


async def test_a_query_that_is_no_utf8_watches(dana):
    session = await in_db(make_session)(dana)
    communicator = WebsocketCommunicator(application, f"/ws/sessions/{session.pk}/", headers=headers_of(dana))
    communicator.scope["query_string"] = b"after=\xff"
    assert (await communicator.connect(timeout=PATIENCE))[0]
    assert "head" in await receive(communicator)
    await communicator.disconnect(timeout=PATIENCE)


async def test_other_addresses_are_closed_as_not_visible(dana):
    async with socket("/ws/nothing/", dana) as communicator:
        assert await closed_with(communicator) == 4404


async def test_a_subagent_made_private_alone_is_not_told_to_the_parents_watchers(dana, ravi, shop):
    session = await in_db(make_session)(dana, shop)
    child = await in_db(make_session)(dana, shop, parent=session, title="Quiet matter", visibility="private")
    await append(session, make_event("subagent", 1, agent_id="a7", child=str(child.pk)))
    async with watch(session, ravi) as communicator:
        assert "Quiet matter" not in json.dumps(await receive_until(communicator, 1))
