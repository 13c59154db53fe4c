"""Connecting an agent: the page waits for the first event of a new machine and says when it came."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from accounts.models import Connection, Machine
from stash_client.cli.commands import COMMANDS
from tests.conftest import connect
from tests.sessions_app.wire import body, prompt


@pytest.fixture
def browser(dana):
    client = Client()
    client.force_login(dana.user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def _asks_again(html: str) -> str | None:
    found = re.search(r'hx-get="([^"]+)" hx-trigger="every 2s"', html)
    return found.group(1).replace("&amp;", "&") if found else None


def test_page_waits_until_the_first_event_is_there(browser, dana, shop):
    html = browser.get("/t/harbour/connect/").content.decode()
    assert "nothing has arrived yet" in html
    address = _asks_again(html)
    assert address
    assert _asks_again(browser.get(address).content.decode()) == address
    assert dana.api.post("/api/v1/events", body(prompt("hello")), format="json").status_code == 200
    answer = browser.get(address).content.decode()
    assert "The first event is here" in answer
    assert "/t/harbour/sessions/" in answer
    assert _asks_again(answer) is None


def test_page_names_the_machine_that_is_signed_in(browser, dana):
    Machine.objects.create(membership=dana.membership, name="mbp-dana", client_version="0.1.0")
    assert b"mbp-dana" in browser.get("/t/harbour/connect/").content


def test_page_shows_the_commands_that_exist(browser, dana, settings):
    html = unescape(browser.get("/t/harbour/connect/").content.decode())
    install = f'sh -c "$(curl -fsSL {settings.URL}/install)"'
    for command in (install, f"stash signin {settings.URL}", "stash connect", "stash connect --private"):
        assert f"<code>{command}</code>" in html


def test_every_command_shown_is_one_the_client_has(browser):
    html = browser.get("/t/harbour/connect/").content.decode()
    shown = set(re.findall(r"<code>stash (\w+)", html))
    assert {"signin", "connect", "doctor", "agents", "hooks", "pause", "resume"} <= shown <= set(COMMANDS)


def test_steps_are_ticked_while_one_waits(browser, dana, shop):
    address = _asks_again(browser.get("/t/harbour/connect/").content.decode())
    assert 'class="step-no" id="step-2"' in browser.get(address).content.decode()
    Machine.objects.create(membership=dana.membership, name="mbp-dana", client_version="0.1.0")
    assert 'class="step-no done" id="step-2" hx-swap-oob="true"' in browser.get(address).content.decode()


def test_newest_machine_is_named(browser, dana):
    for name in ("old-box", "new-box"):
        Machine.objects.create(membership=dana.membership, name=name)
    html = browser.get("/t/harbour/connect/").content.decode()
    assert "new-box signed in" in html
    assert "old-box" not in html


def test_events_of_others_are_not_mine(browser, ravi, dana, shop):
    address = _asks_again(browser.get("/t/harbour/connect/").content.decode())
    ravi.api.post("/api/v1/projects/connect", {"identities": ["git.example.test/acme/shop"]}, format="json")
    ravi.api.post("/api/v1/events", body(prompt("hello")), format="json")
    assert _asks_again(browser.get(address).content.decode())


@pytest.mark.parametrize("since", ["", "yesterday", "2026-13-45T00:00:00Z", "2026-01-01T00:00:00"])
def test_nonsense_since_is_now(browser, since):
    assert browser.get("/t/harbour/connect/listening/", {"since": since}).status_code == 200


def test_steps_say_what_is_known_and_which_is_next(browser, dana, shop):
    address = _asks_again(browser.get("/t/harbour/connect/").content.decode())
    Connection.objects.all().delete()
    assert 'class="step-no now" id="step-1"' in browser.get("/t/harbour/connect/").content.decode()
    Machine.objects.create(membership=dana.membership, name="mbp-dana", client_version="0.1.0")
    answer = browser.get(address).content.decode()
    assert 'class="step-no now" id="step-3" hx-swap-oob="true"' in answer
    assert 'Version 0.1.0 runs on <span class="id">mbp-dana</span>' in answer
    connect(dana, shop)
    answer = browser.get(address).content.decode()
    assert 'class="step-no now" id="step-4" hx-swap-oob="true"' in answer
    assert "shop is connected." in answer
