# ruff: noqa: E501 - tables read better than columns
"""What is passed over without being read never holds what is looked for."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.models import Session
from sessions_app.rendering.export import markdown_of
from sessions_app.selectors import pages
from sessions_app.selectors.holding import sessions_holding
from stash.vfs.regex import Dialect, Wish, matcher
from stash.vfs.regex.needles import needle_of
from stash.vfs.regex.perl import parts_of
from tests.sessions_app.wire import edit, event, prompt, reply, shell
from tests.vfs.lines import RUST
from tests.vfs.tree import out, tell


@pytest.mark.parametrize(
    "pattern, needle",
    [
        ("timeout", "timeout"),
        (r"\btimeout\b", "timeout"),
        ("time.*outs?", "time"),
        ("xyz+def", "xyz"),
        ("abx*yz", ""),
        ("foo|bar", ""),
        ("(foo|bar)zebra", "zebra"),
        ("(?i)timeout", ""),
        ("ab", ""),
        (r"src/main\.py", "src/main.py"),
        ("2026-11-24", ""),
        ("zebra{0,2}x", "zebr"),
        ("[abc]def ghij", "ghij"),
        ("größe", ""),
    ],
)
def test_the_needle_is_what_every_match_contains(pattern, needle):
    assert needle_of(parts_of(pattern)) == needle


@given(
    pattern=st.sampled_from([p for p in RUST if p not in ("(", "a{", "[a-", r"x\y")]),
    text=st.text(alphabet="failedretyhFix oTmu.12/", max_size=40),
)
def test_no_match_lacks_the_needle(pattern, text):
    found = matcher(Wish((pattern,), Dialect.PERL))
    if found.matches(text.encode()) and found.needle:
        assert found.needle in text


@pytest.mark.django_db
def test_every_word_of_a_transcript_is_found_in_its_session(dana, shop):
    """Whatever a rendered transcript says, the question before rendering does not pass it over."""
    tell(
        dana, "s-1",
        prompt("Prüfe `code` <tag> and x\x1b[31mred", at=1), shell("make -j4 && echo \"done\\n\"", "out\r\nput " + "Qb9" * 300, 2, at=2),
        edit("src/a_b.py", "@@ -1 +1 @@\n-old_name\n+new_name\n", at=3), reply("tab\tbed näive \u202e hidden", at=4),
        event("tool_call", name="mcp__x__y", family="mcp", input={"deep": {"key_one": ["a/b", 1.5, True, None]}, "u": "é"}, ok=True, at=5),
        event("attention", what="permission", text="may I?", command="rm -rf build", at=6), event("compaction", text="kept this", at=7),
        event("subagent", agent_id="a", task="look around", text="report", at=8), event("notification", name="idle_prompt", text="hm", at=9),
        event("note", text="noted", at=10), event("turn_end", text="ended so", at=11),
        branch="feature/rare-branch",
    )  # fmt: skip
    session = Session.objects.select_related("person", "project").get(native_id="s-1")
    text = "".join(markdown_of(session, pages(session)))
    choice = random.Random(7)
    needles = {
        needle_of(parts_of_fixed(line))
        for line in text.splitlines()
        for _ in range(3)
        for line in [_piece(line, choice)]
    }
    for needle in sorted(needles - {""}):
        for fold in (False, True):
            asked = needle.swapcase() if fold else needle
            assert sessions_holding([session], asked, fold=fold), needle
    assert not sessions_holding([session], "walrus", fold=True)


def parts_of_fixed(text: str):
    from stash.vfs.regex.parts import atom

    return [atom(char) for char in text]


def _piece(line: str, choice: random.Random) -> str:
    start = choice.randrange(len(line)) if line else 0
    return line[start : start + choice.randrange(3, 30)]


@pytest.mark.django_db
def test_a_search_over_many_renders_only_what_may_match(dana, shop, django_assert_max_num_queries):
    for number in range(12):
        tell(
            dana,
            f"s-{number}",
            prompt(f"work {'needle' if number == 7 else 'hay'}", at=number),
            reply("fine", at=number),
        )
    with django_assert_max_num_queries(12):
        assert out(dana, "rg -l needle /projects/shop").count("\n") == 1
    assert out(dana, "grep -rc --include=transcript.md needle /projects/shop | grep -c :0") == "11\n"
    assert out(dana, "grep -rL --include=transcript.md needle /projects/shop | wc -l") == "11\n"
    assert out(dana, "rg -l 'UTC' /projects/shop | wc -l") == "12\n"
