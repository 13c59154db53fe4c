"""A session in the open page: what happens appears, in order, without moving the reader."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, PHONE, now
from tests.sessions_app.wire import edit, event, prompt, reply, shell

pytestmark = pytest.mark.browser
HUNK = (
    "--- a/totals.py\n+++ b/totals.py\n@@ -1,2 +1,2 @@\n def total(items):\n"
    "-    return sum(items)\n+    return round(sum(items), 2)\n"
)


def long(count):
    """``count`` events, prompts and replies in turn."""
    return [prompt(f"question {n}", at=n) if n % 2 else reply(f"answer {n}", at=n) for n in range(1, count + 1)]


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_events_appear_without_reload_in_order(open_page, cookies, harbour, native_id, viewport):
    page = open_page(cookies["dana"], viewport=viewport)
    address = harbour.post(now(prompt("fix the totals")), native_id=native_id)
    page.goto(address)
    page.evaluate("window.sameDocument = true")

    harbour.post(now(reply("I look at the cart first.")), now(shell("pytest -q", "1 failed", 1)), native_id=native_id)
    harbour.post(now(edit("totals.py", HUNK)), now(reply("Done, rounded **once**.")), native_id=native_id)

    expect(page.locator("#e5")).to_contain_text("Done, rounded once.")
    expect(page.locator("#log .ev")).to_have_count(5)
    numbers = page.locator("#log .ev").evaluate_all("all => all.map(one => one.dataset.number)")
    assert numbers == ["1", "2", "3", "4", "5"]
    expect(page.locator("#e3")).to_contain_text("exit 1")
    expect(page.locator("#e4")).to_contain_text("round(sum(items), 2)")
    assert page.evaluate("window.sameDocument")


def test_late_event_goes_to_its_place(page, harbour, native_id):
    address = harbour.post(prompt("first", at=0), reply("third", at=20), native_id=native_id)
    page.goto(address)

    harbour.post(shell("second", at=10), native_id=native_id)

    expect(page.locator("#e3")).to_be_visible()
    assert page.locator("#log .ev").evaluate_all("all => all.map(one => one.dataset.number)") == ["1", "3", "2"]


def test_pill_counts_what_came_while_reading_above(page, harbour, native_id):
    address = harbour.post(*[now(item) for item in long(40)], native_id=native_id)
    page.goto(address)
    expect(page.locator("#e40")).to_be_in_viewport()
    page.mouse.move(600, 400)
    page.mouse.wheel(0, -1500)
    pill = page.locator("[data-follow]")
    expect(pill).to_be_visible()
    before = page.evaluate("document.scrollingElement.scrollTop")

    harbour.post(now(reply("one more")), native_id=native_id)
    expect(pill).to_contain_text("1 new event")
    harbour.post(now(reply("and another")), native_id=native_id)
    expect(pill).to_contain_text("2 new events")
    assert page.evaluate("document.scrollingElement.scrollTop") == before

    page.keyboard.press("f")
    expect(page.locator("#e42")).to_be_in_viewport()
    expect(pill).to_be_hidden()


def test_status_and_title_change_in_the_open_page(page, harbour, native_id):
    address = harbour.post(now(prompt("fix the totals")), native_id=native_id)
    page.goto(address)
    expect(page.locator("#live-state")).to_contain_text("Running")

    harbour.post(now(event("attention", what="permission", command="rm -r build && make")), native_id=native_id)
    expect(page.locator("#live-state")).to_contain_text("Needs you")
    expect(page.locator(".ask-command, .ask code").first).to_have_text("rm -r build && make")

    harbour.post(now(event("turn_end")), native_id=native_id, title="Totals of the cart")
    expect(page.locator("#live-state")).not_to_contain_text("Needs you")
    expect(page.get_by_role("heading", level=1)).to_have_text("Totals of the cart")


@pytest.fixture(scope="module")
def six_hundred(harbour) -> str:
    events = long(600)
    harbour.post(*events[:300], native_id="long")
    return harbour.post(*events[300:], native_id="long")


@pytest.mark.parametrize("number", [3, 230, 599])
def test_permalink_opens_and_marks_its_event(page, six_hundred, number):
    page.goto(f"{six_hundred}#e{number}")

    expect(page.locator(f"#e{number}")).to_be_in_viewport()
    expect(page.locator(f"#e{number}.current")).to_have_count(1)


def test_find_counts_and_walks_through_events_not_loaded_yet(page, harbour, native_id):
    events = long(300)
    events[4]["text"] = "the heron of the harbour"
    events[250]["text"] = "a second heron"
    page.goto(harbour.post(*events, native_id=native_id))

    page.keyboard.press("/")
    page.keyboard.type("heron")

    tally = page.locator("[data-find-tally]")
    expect(tally).to_have_text("1 / 2")
    expect(page.locator("#e5")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(tally).to_have_text("2 / 2")
    expect(page.locator("#e251")).to_be_in_viewport()
    page.get_by_role("button", name="Previous hit").click()
    expect(tally).to_have_text("1 / 2")


def test_kinds_can_be_filtered(page, harbour, native_id):
    page.goto(
        harbour.post(prompt("go", at=0), shell("make", at=1), shell("make test", "no", 2, at=2), native_id=native_id)
    )

    page.get_by_role("link", name="Failures").click()

    expect(page.locator("#log .ev")).to_have_count(1)
    expect(page.locator("#log")).to_contain_text("make test")
    page.get_by_role("link", name="All", exact=True).click()
    expect(page.locator("#log .ev")).to_have_count(3)


def test_keys_walk_through_the_events(page, harbour, native_id):
    page.goto(harbour.post(*long(8), shell("make", "no", 2, at=9), native_id=native_id))
    page.locator("#log").click(position={"x": 5, "y": 5})
    page.keyboard.press("Home")

    page.keyboard.press("j")
    first = page.locator(".ev.current").get_attribute("data-number")
    page.keyboard.press("j")
    second = page.locator(".ev.current").get_attribute("data-number")
    page.keyboard.press("k")
    assert (int(second), page.locator(".ev.current").get_attribute("data-number")) == (int(first) + 1, first)
    page.keyboard.press("x")
    expect(page.locator("#e9.current")).to_be_visible()
    page.keyboard.press("?")
    expect(page.locator("[data-keylist]")).to_contain_text("next failure")


def test_list_and_home_move_by_themselves(page, open_page, cookies, harbour, native_id):
    page.goto("/t/harbour/sessions/")
    home = open_page(cookies["dana"])
    home.goto("/t/harbour/")

    harbour.post(now(prompt("Count the ferries")), native_id=native_id)

    expect(page.locator("main")).to_contain_text("Count the ferries")
    expect(home.locator("main")).to_contain_text("Count the ferries")
    harbour.post(now(event("attention", what="question", text="Count the small ones too?")), native_id=native_id)
    expect(home.locator("main")).to_contain_text("Count the small ones too?")


def test_others_see_shared_sessions_only(open_page, cookies, harbour, native_id):
    shared = harbour.post(prompt("shared work"), native_id=native_id)
    page = open_page(cookies["ravi"], forgive=("404",))
    page.goto(shared)
    expect(page.locator("#e1")).to_contain_text("shared work")
    expect(page.get_by_label("Rename")).to_have_count(0)

    page.goto("/t/harbour/sessions/01a22d98-431c-793c-9129-8881b1e3e2b2/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("body")).to_contain_text("that you can see")
