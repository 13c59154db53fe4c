"""What stored text looks like, and that it can do nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions_app.models import Session
from sessions_app.rendering import code, diffs, export, output, text, tools
from sessions_app.rendering.events import order_of, view_of
from sessions_app.rendering.markdown import TAGS, markdown
from tests.sessions_app.factories import make_event
from tests.sessions_app.inert import PAYLOADS, judged

HOSTILE = st.text(
    alphabet=st.one_of(st.sampled_from("<>&\"'`[]()!*_#|\\/:=-~ \n\t\r\x00\x1b\u202e\u200b"), st.characters()),
    max_size=200,
)


# ---- text ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "stored, seen",
    [
        ("plain", "plain"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("a\r\nb", "a\nb"),
        ("a\rb", "a␍b"),
        ("\x1b[2J\x1b[H", "␛[2J␛[H"),
        ("a\x00b\x7f", "a␀b␡"),
        ("\x9b31m", "‹U+009B›31m"),
        ("abc\u202egnp.exe", "abc‹U+202E›gnp.exe"),
        ("\u200b\u2066zero", "‹U+200B›‹U+2066›zero"),
        ("\U000e0041tag", "‹U+E0041›tag"),
        ("a\u200db", "a‹U+200D›b"),
        ("👩\u200d💻 and می\u200cخواهم", "👩\u200d💻 and می\u200cخواهم"),
        ("\ud800", "‹U+D800›"),
        ("naïve 日本語 😀", "naïve 日本語 😀"),
    ],
)
def test_shown_spells_out_what_hides(stored, seen):
    assert text.shown(stored) == seen


def test_one_line_cuts_at_the_limit():
    assert text.one_line("  several\n words  ") == "several words"
    assert text.one_line("x" * 300, 10) == "xxxxxxxxx…"


def test_without_data_replaces_base64_and_keeps_rulers():
    data = "iVBORw0KGgo" * 100
    assert text.without_data(f"image {data} end") == f"image [{len(data)} characters of base64] end"
    assert text.without_data("=" * 500) == "=" * 500
    assert text.without_data("a" * 500) == "a" * 500


def test_linked_escapes_everything_and_links_only_http():
    assert text.linked("<b> see https://x.test/a?b=1&c=2). javascript:alert(1)") == (
        '&lt;b&gt; see <a href="https://x.test/a?b=1&amp;c=2" rel="nofollow noopener noreferrer">'
        "https://x.test/a?b=1&amp;c=2</a>). javascript:alert(1)"
    )


# ---- markdown --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source, html",
    [
        ("**bold** `a<b`", "<p><strong>bold</strong> <code>a&lt;b</code></p>\n"),
        ("~~gone~~", "<p><s>gone</s></p>\n"),
        ("<T> and <b>x</b>", "<p>&lt;T&gt; and &lt;b&gt;x&lt;/b&gt;</p>\n"),
        ("setup.py and main.rs", "<p>setup.py and main.rs</p>\n"),
        (
            "[click](https://x.test)",
            '<p><a href="https://x.test" rel="nofollow noopener noreferrer">click</a></p>\n',
        ),
        ("[click](javascript:x)", "<p>[click](javascript:x)</p>\n"),
        ("[out](/accounts/logout/)", "<p>out</p>\n"),
        ("[out](//evil.test)", "<p>out</p>\n"),
        (
            "![pic](https://x.test/p.png)",
            '<p><a href="https://x.test/p.png" rel="nofollow noopener noreferrer">pic</a></p>\n',
        ),
        (
            "[![pic](https://x.test/p.png)](https://y.test)",
            '<p><a href="https://y.test" rel="nofollow noopener noreferrer">[pic]</a></p>\n',
        ),
        ("```python\nif a < b: pass\n```", None),
    ],
)
def test_markdown(source, html):
    got = markdown(source)
    if html is None:
        html = (
            '<pre class="hl" tabindex="0"><code><span class="k">if</span> <span class="n">a</span> '
            '<span class="o">&lt;</span> <span class="n">b</span>'
            '<span class="p">:</span> <span class="k">pass</span>\n</code></pre>\n'
        )
    assert got == html


def test_markdown_of_a_table_has_no_style():
    assert markdown("|a|b|\n|:-:|-:|\n|1|2|") == (
        "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n"
        "</tbody>\n</table>\n"
    )


@settings(max_examples=300, deadline=None)
@given(HOSTILE)
def test_markdown_never_leaves_the_allow_list(source):
    judge = judged(markdown(source))
    assert judge.faults == []
    assert judge.tags <= TAGS


@pytest.mark.parametrize("payload", PAYLOADS)
def test_markdown_of_hostile_payloads_is_inert(payload):
    for source in (
        payload,
        f"# {payload}",
        f"[{payload}](https://x.test)",
        f"```{payload}\n{payload}\n```",
        f"|{payload}|",
    ):
        assert judged(markdown(source)).faults == []


@pytest.mark.parametrize(
    "source",
    [
        "[" * 60_000,
        "*a " * 20_000,
        "> " * 20_000,
        "`" * 60_000,
        "![](" * 15_000,
        "|a" * 30_000,
        "<" * 60_000,
        "- " * 30_000,
    ],
)
def test_markdown_of_pathological_text_returns(source):
    assert judged(markdown(source)).faults == []


def test_code_is_plain_when_the_language_is_unknown_or_the_code_long():
    assert code.highlighted("a < b", "no-such-language") == "a &lt; b"
    assert code.highlighted("x" * (code.MOST + 1), "python") == "x" * (code.MOST + 1)


# ---- output ----------------------------------------------------------------------------------------------------------


def numbered(count):
    return [f"line {n}" for n in range(count)]


def test_short_output_is_not_folded():
    assert output.output_of("a <b>\n") == output.Output("a &lt;b&gt;")


def test_long_output_keeps_head_and_tail():
    got = output.output_of("\n".join(numbered(66)))
    assert got.folded == 46
    assert got.head.split("\n") == numbered(66)[:8]
    assert got.middle.split("\n") == numbered(66)[8:54]
    assert got.tail.split("\n") == numbered(66)[54:]


def test_a_failure_keeps_its_error_line_outside_the_fold():
    lines = numbered(100)
    lines[50] = "E   AssertionError: <1> != 2"
    got = output.output_of("\n".join(lines), failed=True)
    assert got.head.split("\n") == lines[:4]
    assert got.tail.split("\n")[:2] == ['<span class="err">E   AssertionError: &lt;1&gt; != 2</span>', "⋯"]
    assert got.tail.split("\n")[2:] == lines[-16:]


def test_a_failure_whose_error_is_near_the_end_shows_from_there():
    lines = [*numbered(60), "E   boom", "E   really", "x.py:3: Boom", "1 failed in 3 s"]
    got = output.output_of("\n".join(lines), failed=True)
    assert (
        got.tail
        == '<span class="err">E   boom</span>\n<span class="err">E   really</span>\nx.py:3: Boom\n1 failed in 3 s'
    )


def test_a_long_middle_is_loaded_on_request():
    big = "\n".join(f"{n} {'x' * 100}" for n in range(2600))
    got = output.output_of(big, url="/somewhere/")
    assert (got.middle, got.middle_url, got.folded) == ("", "/somewhere/", 2580)
    assert len(got.head) + len(got.tail) < 4000
    assert output.middle_of(big).count("\n") == 2579


def test_one_endless_line_is_cut():
    got = output.output_of("y" * 200_000)
    assert got.head.endswith("… 198000 more characters")


@settings(max_examples=200, deadline=None)
@given(HOSTILE, st.booleans())
def test_output_never_makes_a_tag_but_span(source, failed):
    got = output.output_of(source * 40, failed=failed)
    assert judged(str(got.head) + str(got.middle) + str(got.tail)).tags <= {"span"}


# ---- diffs -----------------------------------------------------------------------------------------------------------

DIFF = """--- a/shop/pay.py
+++ b/shop/pay.py
@@ -31,3 +31,4 @@ def handle
 same
-    old = get(ref)
+    old = get(other)
+    new <b>
 end
"""


def test_diff_numbers_both_sides_and_marks_changed_words():
    got = diffs.parse(DIFF)
    assert (got.added, got.removed, [file.path for file in got.files]) == (2, 1, ["shop/pay.py"])
    (hunk,) = got.files[0].hunks
    assert hunk.header == "@@ -31,3 +31,4 @@ def handle"
    assert [(row.kind, row.old, row.new, row.html) for row in hunk.rows] == [
        ("same", 31, 31, "same"),
        ("del", 32, None, "    old = get(<del>ref</del>)"),
        ("add", None, 32, "    old = get(<ins>other</ins>)"),
        ("add", None, 33, "    new &lt;b&gt;"),
        ("same", 33, 34, "end"),
    ]


def test_diff_of_several_files_names_each():
    got = diffs.parse(DIFF + DIFF.replace("shop/pay.py", "shop/tax.py"))
    assert [(file.path, file.many) for file in got.files] == [("shop/pay.py", True), ("shop/tax.py", True)]


def test_diff_of_a_new_file():
    got = diffs.parse("--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n")
    assert [row.kind for row in got.files[0].hunks[0].rows] == ["add", "add"]
    assert [row.new for row in got.files[0].hunks[0].rows] == [1, 2]


def test_removed_line_that_looks_like_a_header_is_a_line():
    got = diffs.parse("--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- comment\n+-- other\n end\n")
    assert (got.added, got.removed) == (1, 1)


def test_long_diff_is_cut_and_counted():
    got = diffs.parse("--- a/x\n+++ b/x\n@@ -1,0 +1,1000 @@\n" + "+x\n" * 1000)
    assert (got.shown, got.cut, got.added) == (400, 600, 1000)


@settings(max_examples=200, deadline=None)
@given(HOSTILE)
def test_diff_of_anything_never_makes_a_tag_but_ins_and_del(source):
    got = diffs.parse("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n" + source)
    html = "".join(row.html for file in got.files for hunk in file.hunks for row in hunk.rows)
    assert judged(html).tags <= {"ins", "del"}


# ---- tools -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields, argument, result",
    [
        (
            {"family": "shell", "input": {"command": "uv run pytest -q"}, "output": "..\n64 passed in 18.2s"},
            "uv run pytest -q",
            "64 passed",
        ),
        (
            {"family": "shell", "input": {"command": ["bash", "-lc", "ls"]}, "output": "1 failed, 2 passed"},
            "bash -lc ls",
            "1 failed, 2 passed",
        ),
        (
            {"family": "shell", "input": {"command": "git commit"}, "output": "[main b81e4d0] Let it\n"},
            "git commit",
            "b81e4d0",
        ),
        (
            {"family": "search", "input": {"pattern": "mark_paid\\(", "path": "src"}, "output": "a\nb\n\nc"},
            "mark_paid\\( in src",
            "3 matches",
        ),
        ({"family": "search", "input": {"pattern": "x"}, "output": "Found 1 file\na.py"}, "x", "1 file"),
        ({"family": "search", "input": {"pattern": "x"}, "output": "No matches found"}, "x", "no matches"),
        ({"family": "read", "input": {"file_path": "a/b.py", "offset": 10, "limit": 5}}, "", "10–14"),
        ({"family": "edit", "paths": ["a.py", "b.py"]}, "", "and 1 more"),
        ({"family": "web", "input": {"url": "https://x.test"}}, "https://x.test", ""),
        ({"family": "mcp", "name": "mcp__browser__screenshot", "input": {"full": True}}, "full=true", ""),
        ({"family": "other", "input": None}, "", ""),
        ({"family": "other", "input": ["odd", 1]}, '["odd", 1]', ""),
    ],
)
def test_tool_call_in_one_line(fields, argument, result):
    card = tools.card_of(make_event("tool_call", ok=True, **{"name": "Tool", **fields}))
    assert (card.argument, card.result) == (argument, result)


def test_tool_names_of_servers_read_as_words():
    assert tools.tool_name("mcp__browser__screenshot") == "browser screenshot"
    assert tools.tool_name("Bash\x00") == "Bash␀"
    assert tools.tool_name("") == "tool"


def test_a_failed_call_is_open_a_passed_one_closed():
    failed = tools.card_of(make_event("tool_call", family="shell", exit_code=2, output="x"))
    passed = tools.card_of(make_event("tool_call", family="shell", ok=True, exit_code=0, output="x"))
    unknown = tools.card_of(make_event("tool_call", family="shell", output="x"))
    assert [(card.state, card.open) for card in (failed, passed, unknown)] == [
        ("failed", True),
        ("passed", False),
        ("unknown", False),
    ]


def test_display_order_survives_big_and_negative_positions():
    rows = [
        make_event(at=0, n=-5, number=2),
        make_event(at=0, n=-5, number=10),
        make_event(at=0, n=0, number=1),
        make_event(at=0, n=2**63 - 1, number=3),
        make_event(at=1, n=0, number=4),
    ]
    keys = [order_of(row) for row in rows]
    assert keys == sorted(keys)
    assert len({len(key) for key in keys}) == 1


# ---- events ----------------------------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | HOSTILE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(HOSTILE, inner, max_size=4),
    max_leaves=8,
)
KINDS = (  # noqa: SIM905
    "session_start prompt reply thinking tool_call turn_end attention compaction subagent notification briefing_shown"
    " session_end note something_new"
).split()


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(KINDS), HOSTILE, st.sampled_from(list(tools.ICONS)), JSON, HOSTILE)
def test_any_event_can_be_viewed_and_exported(kind, words, family, given_input, printed):
    event = make_event(
        kind, number=1, seq=1, text=words, name=words, family=family, output=printed, input=given_input, diff=printed,
        paths=[words], attachments=[words], task=words, command=words, what="question", child=words, reason="error",
    )  # fmt: skip
    view = view_of(event)
    assert judged(str(view.html)).faults == []
    "".join(export.jsonl_of([[event]])).encode("utf-8", "surrogatepass")


def test_markdown_export_fences_longer_than_what_is_inside():
    event = make_event(
        "tool_call", number=3, name="Bash", family="shell", input={"command": "cat x"}, output="```\n~~~\n````"
    )
    lines = "".join(
        export.markdown_of(
            Session(
                harness="codex",
                title="T",
                started_at=event.occurred_at,
                last_event_at=event.occurred_at,
                person=_person(),
            ),
            [[event]],
        )
    )
    assert "`````\n```\n~~~\n````\n`````" in lines


def _person():
    from accounts.models import User

    return User(username="dana", name="Dana")
