"""What was captured never acts, in whatever field it came."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, now
from tests.browser.test_look import find_violations
from tests.sessions_app.wire import event, prompt, reply, shell

pytestmark = pytest.mark.browser
CASES = json.loads((Path(__file__).parents[1] / "cases" / "M03.inert.json").read_text())
PAYLOADS = [*CASES["html"], *CASES["terminal"], *CASES["csv"]]


def everywhere(bad):
    """One event of each kind with the payload in all its fields."""
    return [
        event("session_start", source=bad, model=bad),
        prompt(bad, attachments=[bad]),
        reply(f"before {bad} after\n\n```{bad}\n{bad}\n```\n\n- {bad}\n\n| {bad} |\n|---|", model=bad),
        event("thinking", text=bad),
        shell(f"echo '{bad}'", f"{bad}\n" * 60 + bad, 1),
        event("tool_call", name=bad, family="other", input={bad: bad}, output=bad, ok=False),
        event("tool_call", name="Edit", family="edit", input={"file_path": bad}, paths=[bad], ok=True,
              diff=f"--- a/{bad}\n+++ b/{bad}\n@@ -1,1 +1,1 @@ {bad}\n-{bad}\n+{bad}!\n".replace("\r", " ")),
        event("tool_call", name="Grep", family="search", input={"pattern": bad, "path": bad}, output=bad),
        event("tool_call", name="WebFetch", family="web", input={"url": bad}, output=bad),
        event("subagent", agent_id=f"a-{PAYLOADS.index(bad)}", agent_type=bad, task=bad, state="finished", text=bad),
        event("compaction", trigger=bad, text=bad, tokens_before=2, tokens_after=1),
        event("notification", name=bad, text=bad),
        event("note", name=bad, text=bad),
        event("activity", name=bad, text=bad),
        event("turn_end", reason="error", text=bad),
        event("attention", what="permission", text=bad, command=bad),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def hostile(harbour) -> Iterator[list[str]]:
    """A session for each payload: addresses."""
    addresses = [
        harbour.post(
            *[now(item) for item in everywhere(bad)],
            native_id=f"hostile-{number}", title=bad, branch=bad, model=bad, machine=bad, cwd=bad,
        )
        for number, bad in enumerate(PAYLOADS)
    ]  # fmt: skip
    yield addresses
    for address in addresses:
        harbour.delete(address)


def test_payloads_are_text_in_the_stream(page, harbour, native_id):
    page.goto(harbour.post(now(prompt("start")), native_id=native_id))

    for bad in PAYLOADS:
        harbour.post(*[now(item) for item in everywhere(bad)], native_id=native_id, title=bad, branch=bad)

    expect(page.locator(f"#e{1 + len(PAYLOADS) * 15}")).to_be_attached()
    assert_inert(page)
    page.get_by_role("button", name="Fold all tools").click()
    page.get_by_role("button", name="Unfold all tools").click()
    assert_inert(page)


def test_payloads_are_text_in_the_page_of_a_session(page, hostile):
    for address in hostile:
        page.goto(address)
        page.locator("#log details").evaluate_all("all => all.forEach(one => one.open = true)")
        expect(page.locator("#e15")).to_be_attached()
        assert_inert(page)


@pytest.mark.parametrize("address", ["/t/harbour/sessions/", "/t/harbour/"])
def test_payloads_are_text_in_lists(page, hostile, address):
    page.goto(address)
    expect(page.locator("main")).to_contain_text("window.__xss=1")
    assert_inert(page)


@pytest.mark.parametrize("address", ["/t/harbour/sessions/", "/t/harbour/"])
def test_long_names_break_no_list_on_a_phone(open_page, cookies, hostile, address):
    page = open_page(cookies["dana"], viewport=PHONE)
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert find_violations(page) == []


def assert_inert(page) -> None:
    assert page.evaluate("window.__xss") is None
    assert page.locator("main :is(script, iframe, img, object, embed)").count() == 0
    assert page.locator("main [style], main [onerror], main [onload], main a[href^='javascript' i]").count() == 0
    assert page.locator("main a[href^='data:' i]").count() == 0


def test_downloads_are_text(page, harbour, native_id):
    bad = CASES["html"][0]
    address = harbour.post(*everywhere(bad), native_id=native_id, title=bad)
    for name, kind in (("transcript.md", "text/markdown"), ("events.jsonl", "application/")):
        answer = page.request.get(f"{address}{name}")
        assert answer.headers["content-type"].startswith(kind)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "attachment" in answer.headers["content-disposition"]
