"""The scripts in a real browser, on the gallery: keys, rows, theme, copying, dialogs and the security policy."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.ui.urls")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    # The synchronous Playwright runs an event loop in this thread, where Django would refuse the test database.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def page(browser, live_server) -> Iterator[Page]:
    context = browser.new_context(base_url=live_server.url, viewport={"width": 1440, "height": 900})
    context.set_default_timeout(10_000)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == []


def test_j_and_k_walk_over_the_rows_of_all_lists(page):
    page.goto("/_gallery/lists/")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator(".selected")).to_have_count(1)
    expect(page.locator(".selected a")).to_be_focused()
    expect(page.locator(".selected")).to_contain_text("Stop double receipts")


def test_keys_rest_while_somebody_types(page):
    page.goto("/_gallery/lists/")
    page.keyboard.press("f")
    field = page.get_by_label("Filter by title, branch, file")
    expect(field).to_be_focused()
    page.keyboard.type("jk?")
    expect(field).to_have_value("jk?")
    expect(page.locator(".selected")).to_have_count(0)
    expect(page.locator("#keys")).to_be_hidden()


def test_key_bar_and_help_list_what_works_here(page):
    page.goto("/_gallery/lists/")
    expect(page.locator("[data-keybar]")).to_contain_text("move")
    page.keyboard.press("?")
    expect(page.locator("[data-keylist]")).to_contain_text("filter")


def test_single_keys_can_be_switched_off_and_stay_off(page):
    page.goto("/_gallery/lists/")
    page.get_by_role("button", name="all keys").click()
    page.get_by_label("Single-key shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.reload()
    page.keyboard.press("j")
    expect(page.locator(".selected")).to_have_count(0)
    expect(page.locator("[data-keybar]")).to_be_empty()


def test_chosen_theme_is_written_by_the_server_on_the_next_page(page):
    page.goto("/_gallery/")
    page.get_by_label("Settings and sign-out").click()
    page.locator(".me [data-theme-set=dark]").click()
    html = page.request.get("/_gallery/lists/").text()
    assert '<html lang="en" data-theme="dark"' in html


def test_question_before_deleting_opens_and_closes(page):
    page.goto("/_gallery/")
    page.get_by_role("button", name="Delete session").first.click()
    expect(page.locator("#gone")).to_be_visible()
    page.locator("#gone").get_by_role("button", name="Cancel").click()
    expect(page.locator("#gone")).to_be_hidden()


@pytest.mark.parametrize("address", ["", "lists/", "session/", "entry/", "error/404/"])
def test_no_page_scrolls_sideways_from_360_px_to_4k(page, address):
    page.goto(f"/_gallery/{address}")
    for width in (360, 390, 721, 1000, 1440, 3840):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
