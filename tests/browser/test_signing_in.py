"""Getting in."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, PHONE, sign_in

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_password_leads_home(open_page, viewport):
    page = open_page(viewport=viewport)

    sign_in(page, "dana")

    page.wait_for_url("**/t/harbour/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")


def test_wrong_password_says_so_and_keeps_the_name(open_page):
    page = open_page()
    page.goto("/accounts/login/")
    page.locator("input[name=login]").fill("dana")
    page.locator("input[name=password]").fill("not this one")
    page.get_by_role("button", name="Sign in", exact=True).click()

    expect(page.locator("main")).to_contain_text("No account has this name and this password")
    expect(page.locator("input[name=login]")).to_have_value("dana")


def test_one_time_link_signs_in_once(open_page, harbour):
    first, second = open_page(), open_page(forgive=("409", "410"))

    first.goto(harbour.link)
    first.get_by_role("button", name="Sign in").click()
    expect(first.locator(".rail")).to_be_visible()

    second.goto(harbour.link)
    if (button := second.get_by_role("button", name="Sign in")).count():
        button.click()
    expect(second.locator("body")).to_contain_text("no longer good")


def test_pages_ask_strangers_to_sign_in_and_bring_them_back(open_page):
    page = open_page()
    page.goto("/t/harbour/sessions/")
    page.locator("input[name=login]").fill("dana")
    page.locator("input[name=password]").fill("correct-horse-9")
    page.get_by_role("button", name="Sign in", exact=True).click()

    page.wait_for_url("**/t/harbour/sessions/")


def test_signing_out_ends_it(open_page):
    page = open_page()
    sign_in(page, "dana")
    page.get_by_label("Settings and sign-out").click()
    page.get_by_role("button", name="Sign out").click()

    page.goto("/t/harbour/")
    expect(page.locator("input[name=password]")).to_be_visible()
