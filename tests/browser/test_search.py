"""Searching in a browser: while typing, by keys, from anywhere, on a phone; and a question asked twice."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, now
from tests.browser.test_look import find_violations
from tests.sessions_app.wire import edit, prompt, reply, shell

pytestmark = pytest.mark.browser
LEAK = "What did Ravi conclude about the memory leak?"
HUNK = "--- a/pool.py\n+++ b/pool.py\n@@ -1 +1 @@\n-y = 2\n+y = 3\n"


@pytest.fixture(scope="module")
def leak(harbour):
    """Ravi's session about a memory leak, and one of Dana's that only speaks of it; both are indexed."""
    address = harbour.post(
        now(prompt("Find the memory leak of the importer")),
        now(shell("python -m tracemalloc importer.py", "memory leak grows in pool.py", 1)),
        now(edit("pool.py", HUNK, ok=True)),
        now(reply("The memory leak comes from the connection pool, which keeps every cursor.")),
        native_id="leak",
        who="ravi",
    )
    other = harbour.post(
        now(prompt("Is there a memory leak in the cart?")),
        *(now(reply(f"I see no memory leak, try {n}")) for n in range(5)),
        now(edit("pool.py", HUNK, ok=True)),
        native_id="no-leak",
    )
    harbour.server.manage("index", "--once")
    yield address
    harbour.delete(other)
    harbour.call("DELETE", f"/api/v1/sessions/{address.rstrip('/').rsplit('/', 1)[-1]}", who="ravi")


def test_results_come_while_typing_and_are_walked_by_keys(page, leak):
    page.goto("/t/harbour/search/")
    expect(page.get_by_text("Ask as you would ask a colleague")).to_be_visible()
    page.locator("#q").press_sequentially("memory leak", delay=20)
    expect(page.locator(".result")).to_have_count(2)
    expect(page).to_have_url(re.compile(r"/search/\?q=memory\+leak$"))
    page.locator("#facets").get_by_label("Ravi").check()
    expect(page.locator(".result")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"by=ravi"))
    page.reload()
    expect(page.locator(".result")).to_have_count(1)
    page.locator("#facets").get_by_label("Ravi").uncheck()
    expect(page.locator(".result")).to_have_count(2)
    page.locator("[data-more]").click()
    expect(page.locator(".result", has_text="in the cart").locator(".hit")).to_have_count(6)
    page.locator("body").press("/")
    expect(page.locator("#q")).to_be_focused()
    page.locator("#q").press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator(".result.selected")).to_have_count(1)
    page.keyboard.press("l")
    number = (page.locator(":focus").text_content() or "").removeprefix("#")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(rf"at={number}#e{number}$"))
    expect(page.locator(f"#e{number}")).to_be_visible()
    expect(page.locator("#related")).to_contain_text("pool.py")


def test_the_palette_searches_from_anywhere(page, leak):
    page.goto("/t/harbour/")
    page.keyboard.press("Control+k")
    palette = page.locator("#palette")
    expect(palette).to_be_visible()
    page.keyboard.type("memory leak")
    expect(palette.get_by_role("option").filter(has_text="importer")).to_be_visible()
    assert find_violations(page) == []
    page.keyboard.press("ArrowUp")
    expect(palette.locator("[aria-selected=true]")).to_contain_text("All results for “memory leak”")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/sessions/.*#e\d+$"))


def test_a_question_is_answered_in_the_browser_and_in_the_terminal(page, leak, harbour, tmp_path):
    page.goto("/t/harbour/search/")
    page.locator("#q").fill(LEAK)
    first = page.locator(".result").first
    expect(first).to_contain_text("Ravi")
    concluded = first.locator(".conclusion")
    expect(concluded).to_contain_text("comes from the connection pool")
    concluded.locator(".hit-no").click()
    page.wait_for_url(re.compile(rf"{leak}.*#e4$"))
    expect(page.locator("#e4")).to_contain_text("keeps every cursor")
    said = subprocess.run(
        [sys.executable, "-m", "stash_client", "history", "search", *LEAK.split()],
        env={
            **harbour.server.environ,
            "HOME": str(tmp_path),
            "STASH_HOME": str(tmp_path),
            "STASH_KEY": harbour.keys["dana"],
        },
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert said.startswith("Ravi (@ravi): ")
    assert "Concluded #4: The memory leak comes from the connection pool" in said


def test_filters_are_a_sheet_on_a_phone(open_page, cookies, leak):
    page = open_page(cookies["dana"], color_scheme="dark", viewport=PHONE)
    page.goto("/t/harbour/search/?q=memory+leak+since:whenever")
    assert find_violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.locator(".sheet-switch").click()
    page.locator("#facets").get_by_label("Ravi").check()
    expect(page.locator(".result")).to_have_count(1)
    assert find_violations(page) == []
    page.locator(".sheet-done").click()
    page.locator(".found-chips .chip", has_text="Ravi").click()
    expect(page.locator(".result")).to_have_count(2)


def test_search_works_without_scripts(open_page, cookies, leak):
    page = open_page(cookies["dana"], java_script_enabled=False)
    page.goto("/t/harbour/search/")
    page.locator("#q").fill("memory leak")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.locator(".result")).to_have_count(2)
    page.locator("[data-more]").click()
    expect(page.locator(".hit")).to_have_count(6)
