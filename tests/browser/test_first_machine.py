"""A machine that has never heard of Stash, from the server's one line to a session that its person watches live."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import sign_in
from tests.browser.newcomer import Newcomer
from tests.client.laptop import Terminal

pytestmark = pytest.mark.browser


@pytest.fixture
def newcomer(tmp_path) -> Iterator[Newcomer]:
    made = Newcomer(tmp_path / "home")
    made.move_in()
    yield made
    made.leave()


def test_one_line_a_code_and_three_answers_connect_a_machine(open_page, harbour, newcomer):
    connecting = open_page()
    sign_in(connecting, "mara")
    connecting.wait_for_url("**/t/harbour/**")
    connecting.goto(f"{harbour.home}connect/")
    expect(connecting.locator(".step-no")).to_have_text(["1", "2", "3", "4"])
    elsewhere = connecting.context.new_page()

    said = newcomer.install(harbour.server.url)
    assert said.splitlines()[-1] == f"Next, in a repository of yours:  stash signin {harbour.server.url}"
    screen = newcomer.stash("signin", harbour.server.url, "--name", "mbp-mara")
    confirm(elsewhere, screen)
    expect(connecting.locator("#heard")).to_contain_text("mbp-mara signed in")

    wire(screen, newcomer)
    connect(screen)
    screen.expect("It arrived. Only you see it: http")
    expect(connecting.locator("#heard")).to_contain_text("The first event is here.")
    expect(connecting.locator(".step-no.done")).to_have_count(4)

    screen.expect("Import 5 sessions? [Y/n]")
    screen.type("y")
    screen.expect("Imported 5 sessions of 1 project")
    assert screen.end() == 0
    assert_old_sessions_are_private(elsewhere, harbour.home, newcomer)
    watch_a_session(elsewhere, harbour.home, newcomer)


def confirm(page: Page, screen: Terminal) -> None:
    """The person opens the address, compares the codes and agrees."""
    shown = screen.expect("Waiting ...")
    code = re.search(r"the code (\S+)\.", shown)[1]
    page.goto(re.search(r"Open (\S+)", shown)[1])
    expect(page.locator("main")).to_contain_text(code)
    page.get_by_role("button", name="Connect this machine").click()
    screen.expect("as mara, team harbour.")


def wire(screen: Terminal, newcomer: Newcomer) -> None:
    """All agents found; nothing is touched before the answer, and nothing of theirs by it."""
    settings = newcomer.home / ".claude" / "settings.json"
    before = settings.read_text()
    shown = screen.expect("Change 5 files?")
    for agent in ("Claude Code", "Codex CLI", "Gemini CLI", "GitHub Copilot CLI", "Droid"):
        assert f"{agent} calls Stash" in shown
    assert settings.read_text() == before
    screen.type("y")
    screen.expect("Let sessions be captured?")
    assert "// mine" in settings.read_text()


def connect(screen: Terminal) -> None:
    """Sessions of this repository, seen by everybody who sees the project."""
    screen.expect("[3]:")
    screen.type("1")
    assert "everybody who can see shop: Dana, Mara, Ravi" in screen.expect("[3]:")
    screen.type("1")
    screen.expect("Connected shop.")


def assert_old_sessions_are_private(page: Page, home: str, newcomer: Newcomer) -> None:
    """Each agent's session is in the list, for its person alone, at the time when it took place."""
    page.goto(f"{home}sessions/?by=mara")
    for agent in newcomer.history:
        row = page.locator("tr", has=page.get_by_text(agent, exact=True))
        expect(row).to_contain_text("Private")
        expect(row.locator("time").last).to_have_attribute("datetime", re.compile("^2026-11-24T09:"))


def watch_a_session(page: Page, home: str, newcomer: Newcomer) -> None:
    """What Claude Code's hooks tell appears in pages that are open already."""
    page.goto(home)
    page.evaluate("window.sameDocument = true")
    newcomer.claude("SessionStart")
    newcomer.claude("UserPromptSubmit", prompt="Keep the café sync within its budget")
    row = page.get_by_role("link", name="Keep the café sync within its budget").first
    expect(row).to_be_visible()
    assert page.evaluate("window.sameDocument")
    row.click()

    log = page.locator("#log")
    expect(log).to_contain_text("Keep the café sync within its budget")
    page.evaluate("window.sameDocument = true")
    newcomer.claude("PostToolUse")
    expect(log).to_contain_text("RETRY_BUDGET_PER_MIN = 20")
    newcomer.claude("Stop")
    expect(log).to_contain_text("The café sync stops retrying once the budget is spent.")
    assert page.evaluate("window.sameDocument")
    expect(page.locator("#live-state")).not_to_contain_text("Running")
