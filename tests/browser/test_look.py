"""Every page in both themes and widths: readable, reachable, quiet."""

import json
from importlib import resources

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, PHONE, now
from tests.sessions_app.wire import edit, event, prompt, reply, shell

pytestmark = pytest.mark.browser
AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text()
OPEN = ["/accounts/login/"]
INSIDE = [
    "/t/harbour/",
    "/t/harbour/sessions/",
    "session",
    "/t/harbour/search/",
    "/t/harbour/search/?q=totals",
    "/t/harbour/files/",
    "/t/harbour/settings/",
    "/t/harbour/settings/keys/",
    "/t/harbour/settings/capture/",
    "/t/harbour/settings/members/",
    "/t/harbour/settings/projects/",
    "/t/harbour/settings/audit/",
    "/t/harbour/connect/",
]
ANSWER = """I read `cart.py` first:

1. one
2. two

```python
x = 1  # why
```

| a | b |
|---|---|
| 1 | 2 |
"""
HUNK = "--- a/totals.py\n+++ b/totals.py\n@@ -1,2 +1,2 @@ def total\n x = 1\n-y = 2\n+y = 3\n"


@pytest.fixture(scope="package")
def rich(harbour) -> str:
    """A session with one of everything, in the index."""
    address: str = harbour.post(
        now(event("session_start", source="startup", model="m-1")),
        now(prompt("Fix the *totals* of <b>the cart</b>")),
        now(reply(ANSWER)),
        now(event("tool_call", name="Read", family="read", input={"file_path": "cart.py"}, paths=["cart.py"], ok=True)),
        now(shell("pytest -q", "\n".join(f"line {n}" for n in range(80)) + "\nE  assert 1 == 2\n1 failed", 1)),
        now(edit("totals.py", HUNK, ok=True)),
        now(event("thinking", text="Rounding once is enough.")),
        now(event("subagent", agent_id="a1", agent_type="explore", state="finished", task="Who rounds?", text="Two.")),
        now(event("compaction", trigger="auto", tokens_before=148000, tokens_after=21000, text="**Kept**: the plan")),
        now(event("note", name="Unheard", text="something new")),
        now(event("attention", what="permission", text="Allow this command?", command="make deploy")),
        native_id="rich",
    )
    harbour.server.manage("index", "--once")
    return address


def find_violations(page) -> list[str]:
    """Serious and critical ones, as "rule: where"."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [
        f"{rule['id']}: {node['html'][:160]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_keeps_anybody_out(open_page, cookies, rich, theme, viewport):
    found: dict[str, list[str]] = {}
    for state, addresses in ((None, OPEN), (cookies["dana"], INSIDE)):
        page = open_page(state, color_scheme=theme, viewport=viewport)
        for address in addresses:
            page.goto(rich if address == "session" else address)
            page.wait_for_load_state("load")
            if violations := find_violations(page):
                found[address] = violations
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= viewport["width"], f"{address} scrolls sideways"
    assert found == {}, json.dumps(found, indent=1)


def test_theme_is_chosen_and_stays(page):
    page.goto("/t/harbour/")
    page.get_by_label("Settings and sign-out").click()
    page.locator(".me [data-theme-set=dark]").click()
    page.goto("/t/harbour/sessions/")

    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"


def test_list_is_walked_by_keys(page, harbour, native_id):
    harbour.post(now(prompt("Walk here")), native_id=native_id)
    page.goto("/t/harbour/sessions/?status=running")
    expect(page.locator(".row-like").first).to_contain_text("Walk here")
    page.keyboard.press("j")
    expect(page.locator(".selected")).to_have_count(1)
    expect(page.locator(".selected")).to_contain_text("Walk here")
    page.keyboard.press("Enter")
    expect(page.locator("#e1")).to_contain_text("Walk here")


def test_missing_page_helps(open_page, cookies):
    page = open_page(cookies["dana"], forgive=("404",))
    page.goto("/t/harbour/nothing-here/")

    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("link", name="Home").first).to_be_visible()


def test_pages_work_without_scripts(open_page, cookies, rich):
    page = open_page(cookies["dana"], java_script_enabled=False)
    page.goto(rich)
    expect(page.locator("#e2")).to_contain_text("the cart")
    page.get_by_role("link", name="Failures").click()
    expect(page.locator("#log .ev")).to_have_count(1)
