"""What a person can do to a session."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import now
from tests.sessions_app.wire import prompt, reply

pytestmark = pytest.mark.browser


def test_title_is_edited_in_place_and_stays(page, harbour, native_id):
    address = harbour.post(now(prompt("fix the totals")), native_id=native_id)
    page.goto(address)
    page.get_by_label("Rename").click()
    page.locator("input[name=title]").fill("Round once, at the end")
    page.get_by_role("button", name="Rename").click()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("Round once, at the end")

    harbour.post(now(prompt("something else")), native_id=native_id, title="What the agent calls it")
    page.goto(address)
    expect(heading).to_have_text("Round once, at the end")


def test_made_private_it_leaves_the_pages_of_others(page, open_page, cookies, harbour, native_id):
    address = harbour.post(now(prompt("fix the totals")), native_id=native_id)
    other = open_page(cookies["ravi"], forgive=("404",))
    other.goto(address)
    expect(other.locator("#e1")).to_be_visible()

    page.goto(address)
    page.locator("#who-sees summary").click()
    page.get_by_role("button", name="Only Dana").click()
    expect(page.locator("#who-sees")).to_contain_text("Private")

    expect(other.locator("[data-stream-note]")).to_contain_text("You can no longer see this session.")
    other.reload()
    expect(other.locator("body")).to_contain_text("that you can see")


def test_delete_asks_first(page, harbour, native_id):
    address = harbour.post(prompt("Throw this away"), reply("As you like."), native_id=native_id)
    page.goto(address)
    page.get_by_label("More", exact=True).click()
    page.get_by_role("link", name="Delete session").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("cannot be undone")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#e1")).to_be_visible()

    page.get_by_label("More", exact=True).click()
    page.get_by_role("link", name="Delete session").click()
    dialog.get_by_role("button", name="Delete session").click()

    page.wait_for_url("**/t/harbour/sessions/")
    expect(page.locator("main")).not_to_contain_text("Throw this away")
