"""A real server, a real browser, and a page that must not complain."""

from __future__ import annotations

import json
import shutil
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.servers import Server, running
from tests.sessions_app import wire

PASSWORD = "correct-horse-9"
DESKTOP, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Harbour:
    """A team with Dana (owner) and Ravi (member), both connected to ``shop``.

    ``keys``: secret by username; ``link`` lets Ravi in once.
    """

    server: Server
    keys: dict[str, str]
    link: str

    @property
    def home(self) -> str:
        return "/t/harbour/"

    def post(self, *events: dict[str, Any], native_id: str, who: str = "dana", **session: Any) -> str:
        """Sends events as a client does; the address of their session, without the server."""
        answer = self.call("POST", "/api/v1/events", wire.body(*events, native_id=native_id, **session), who)
        assert answer["rejected"] == []
        return str(answer["url"]).removeprefix(self.server.url)

    def delete(self, address: str) -> None:
        """Takes the session at this address away, so that it fills no list of another test."""
        self.call("DELETE", f"/api/v1/sessions/{address.rstrip('/').rsplit('/', 1)[-1]}")

    def call(self, method: str, path: str, body: Any = None, who: str = "dana") -> Any:
        headers = {"Authorization": f"Bearer {self.keys[who]}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.server.url}{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.loads(response.read() or b"null")


@pytest.fixture(scope="package")
def server(tmp_path_factory) -> Iterator[Server]:
    data: Path = tmp_path_factory.mktemp("data")
    with running(data) as server:
        yield server
    errors = [line for line in (data / "server.log").read_text().splitlines() if '"level": "error"' in line]
    assert errors == []


@pytest.fixture(scope="package")
def harbour(server) -> Harbour:
    return Harbour(server, **json.loads(server.python("-m", "tests.browser.people")))


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Ends with this package: other tests start a Playwright of their own, and two do not go together."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def cookies(browser, harbour) -> dict[str, dict[str, Any]]:
    """The browser state of everybody who signed in with a password, by username."""
    return {name: _signed_in(browser, harbour.server.url, name) for name in harbour.keys}


def _signed_in(browser: Browser, url: str, name: str) -> dict[str, Any]:
    context = browser.new_context(base_url=url)
    page = context.new_page()
    sign_in(page, name)
    page.wait_for_url("**/t/harbour/")
    state: dict[str, Any] = context.storage_state()
    context.close()
    return state


def sign_in(page: Page, name: str) -> None:
    page.goto("/accounts/login/")
    page.locator("input[name=login]").fill(name)
    page.locator("input[name=password]").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


@pytest.fixture
def open_page(browser, harbour) -> Iterator[Callable[..., Page]]:
    """Pages in contexts of their own. When the test is over none may have complained: no error, no refused script."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def opened(state: Any = None, *, forgive: tuple[str, ...] = (), **options: Any) -> Page:
        options = {"viewport": DESKTOP, "base_url": harbour.server.url, **options}
        context = browser.new_context(storage_state=state, **options)
        contexts.append(context)
        context.set_default_timeout(15_000)
        page = context.new_page()
        watch(page, complaints, forgive)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def watch(page: Page, complaints: list[str], forgive: tuple[str, ...]) -> None:
    def note(text: str, where: str) -> None:
        if not any(word in text for word in forgive):
            complaints.append(f"{where}: {text}")

    page.on("console", lambda m: note(m.text, page.url) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: note(str(error), page.url))


@pytest.fixture
def page(open_page, cookies) -> Page:
    """Dana's browser."""
    return open_page(cookies["dana"])


@pytest.fixture
def native_id() -> str:
    """An id for a session of this test alone."""
    return f"s-{next(_numbers)}"


def now(item: dict[str, Any]) -> dict[str, Any]:
    """The event, as if it happened this moment."""
    return {**item, "occurred_at": datetime.now(UTC).isoformat()}
