"""Looking for something: while typing, by keyboard, by facet, on a phone; and the palette."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, PHONE, now
from tests.sessions_app.wire import prompt, reply, shell

pytestmark = pytest.mark.browser
SEARCH = "/t/harbour/search/"


@pytest.fixture(scope="module")
def leak(harbour):
    """The address of a session about a memory leak, in the index."""
    address = harbour.post(
        now(prompt("Find the memory leak of the importer")),
        now(shell("pytest tests/importer", "MemoryError: importer leak", 1)),
        now(reply("The leak is the cursor cache: it keeps every row.")),
        now(reply("Conclusion: the memory leak came from the cursor cache; a bounded cache fixes the leak.")),
        now(reply("Memory is flat now, no leak.")),
        native_id="leak",
    )
    harbour.server.manage("index", "--once")
    yield address
    harbour.delete(address)


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_what_did_somebody_conclude(open_page, cookies, leak, viewport):
    """Results come while typing, the address can be shared, and a hit opens at its very event."""
    page = open_page(cookies["dana"], viewport=viewport)
    page.goto(SEARCH)
    expect(page.get_by_text("Ask what the team already knows")).to_be_visible()
    page.locator("#q").fill("what did dana conclude about the memory leak?")
    hit = page.locator(".hit", has_text="Find the memory leak of the importer")
    expect(hit).to_be_visible()
    expect(hit.locator("mark").first).to_be_visible()
    assert "q=what" in page.url
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    page.locator("#facets").get_by_role("link", name=re.compile("Dana")).click()
    expect(page).to_have_url(re.compile("by=dana"))
    expect(page.locator("#q")).to_have_value("what did dana conclude about the memory leak?")

    page.locator(".hit-unit", has_text="Conclusion").locator(".hit-at").click()
    expect(page).to_have_url(re.compile(r"at=4#e4"))
    expect(page.locator("#e4")).to_be_in_viewport()


def test_by_keyboard(page, leak):
    page.goto(f"{SEARCH}?q=memory+leak")
    page.keyboard.press("/")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".hit .row-title a").first).to_be_focused()
    more = page.get_by_role("link", name=re.compile("more hit"))
    more.click()
    expect(more).to_have_count(0)
    assert page.locator(".hit").first.locator(".hit-unit").count() > 3


def test_the_palette_goes_anywhere(page, leak):
    page.goto("/t/harbour/")
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox")
    expect(field).to_be_focused()
    field.fill("memory leak importer")
    found = page.locator(".palette-choice", has_text="Find the memory leak of the importer")
    expect(found).to_be_visible()
    expect(found).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/sessions/.*at="))
