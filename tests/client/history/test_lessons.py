"""Errors are recognised across sessions, and a fix counts only when the same command passed after a change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stash_client.events import Prompt, ToolCall
from stash_client.history.lessons import Lessons, more_than_once, signature, telling_line


def ran(command: str, *, ok: bool, output: str = "", at: str = "2026-11-03T10:00:00Z") -> ToolCall:
    return ToolCall(name="Bash", family="shell", input={"command": command}, ok=ok, output=output, occurred_at=at)


def edited(*paths: str, ok: bool = True) -> ToolCall:
    return ToolCall(name="Edit", family="edit", paths=paths, ok=ok)


def lessons(native_id: str, *events) -> Lessons:
    seen = Lessons(native_id)
    for event in events:
        seen.see(event)
    return seen


FAILURE = "E   KeyError: 'total'\n/home/a/src/cart.py:41: KeyError"


def test_a_command_that_fails_and_passes_after_a_change_is_solved():
    (one,) = lessons(
        "s1", ran("pytest -q", ok=False, output=FAILURE), edited("cart.py"), ran("pytest  -q", ok=True)
    ).solved
    assert (one.command, one.fix, one.where, one.shown) == (
        "pytest -q",
        ("cart.py",),
        "s1",
        "/home/a/src/cart.py:41: KeyError",
    )


@pytest.mark.parametrize(
    "events",
    [
        (ran("pytest", ok=False, output=FAILURE), ran("pytest", ok=True)),
        (ran("pytest", ok=False, output=FAILURE), edited("cart.py", ok=False), ran("pytest", ok=True)),
        (ran("pytest", ok=False, output=FAILURE), edited("cart.py"), ran("make", ok=True)),
        (ran("pytest", ok=False, output="all good"), edited("cart.py"), ran("pytest", ok=True)),
        (edited("cart.py"), ran("pytest", ok=False, output=FAILURE), ran("pytest", ok=True)),
        (Prompt(text="KeyError: fix it"),),
    ],
    ids=["nothing changed", "the edit failed", "another command", "no error told", "changed before", "only words"],
)
def test_nothing_else_counts_as_solved(events):
    assert lessons("s1", *events).solved == []


@pytest.mark.parametrize(
    "one, other",
    [
        ("/home/a/src/cart.py:41: KeyError", "/home/b/shop/src/cart.py:977: KeyError"),
        ("error[E0382]: borrow of moved value", "error[E0382]:  borrow of moved value"),
        ("TimeoutError: after 30.5s", "TimeoutError: after 7s"),
        ("panicked at 0x7ffe12", "panicked at 0x11aa99"),
    ],
)
def test_the_same_error_has_the_same_signature(one, other):
    assert signature(one) == signature(other)


def test_different_errors_have_different_signatures():
    assert signature("KeyError: 'total'") != signature("KeyError: 'count'")


def test_the_last_line_that_names_an_error_is_the_telling_one():
    output = "Traceback (most recent call last):\n  x\nValueError: first\nModuleNotFoundError: No module named 'x'\nend"
    assert telling_line(output) == "ModuleNotFoundError: No module named 'x'"
    assert telling_line("12 passed in 0.4s") is None


def test_only_what_happened_in_several_sessions_is_told_with_the_latest_first_seen():
    def story(where: str, at: str):
        return lessons(
            where, ran("pytest", ok=False, output=FAILURE), edited(f"{where}.py"), ran("pytest", ok=True, at=at)
        )

    once = lessons("s9", ran("make", ok=False, output="fatal: bad"), edited("a"), ran("make", ok=True))
    found = [*story("s1", "2026-11-01").solved, *story("s2", "2026-11-05").solved, *once.solved]
    ((latest, sessions),) = more_than_once(found)
    assert (latest.where, latest.fix, sessions) == ("s2", ("s2.py",), 2)


@given(st.text())
def test_any_output_is_read_without_fault(output):
    line = telling_line(output)
    assert line is None or len(line) <= 200
    assert signature(signature(output)) is not None
