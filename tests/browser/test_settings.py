"""Keys and settings in the browser."""

import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def status_of(url: str, secret: str) -> int:
    request = urllib.request.Request(f"{url}/api/v1/me", headers={"Authorization": f"Bearer {secret}"})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def test_secret_of_a_new_key_is_shown_once_and_opens_the_api_until_revoked(page, server):
    page.goto("/t/harbour/settings/keys/")
    page.get_by_label("Name", exact=True).last.fill("nightly report")
    page.get_by_role("button", name="Make key").click()
    secret = page.locator(".note code").inner_text()
    assert secret.startswith("stash_")
    assert status_of(server.url, secret) == 200

    page.goto("/t/harbour/settings/keys/")
    expect(page.locator("main")).to_contain_text("nightly report")
    expect(page.locator("main")).not_to_contain_text(secret)

    page.get_by_role("row", name="nightly report").get_by_role("link", name="Revoke").click()
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("row", name="nightly report")).to_contain_text("revoked")
    assert status_of(server.url, secret) == 401


def test_name_is_changed_and_shown(open_page, cookies):
    page = open_page(cookies["ravi"])
    page.goto("/t/harbour/settings/")
    page.locator("input[name=name]").fill("Ravi Raman")
    page.get_by_role("button", name="Save").first.click()

    expect(page.locator(".rail")).to_contain_text("Ravi Raman")
