import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stash_client.events import Note
from stash_client.harnesses import Empty, Unreadable, decode, parse_hook
from tests.client.harnesses.stories import CASES, case_lines, only

PROMPT = "Größe der Rechnung prüfen – ¿está bien? 請求書"


@pytest.mark.parametrize("name", ["H01.no-bom.json", "H01.one-bom.json", "H01.two-boms.json"])
def test_any_run_of_byte_order_marks_is_dropped(name):
    assert only(parse_hook("cursor", (CASES / name).read_bytes())).text == PROMPT


@pytest.mark.parametrize("payload", [b"", b" \r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf \n"])
def test_nothing_is_empty(payload):
    with pytest.raises(Empty):
        decode(payload)
    assert parse_hook("cursor", payload) == ()


def test_byte_order_mark_alone_says_nothing():
    assert parse_hook("cursor", (CASES / "H01.bom-only.txt").read_bytes()) == ()


def test_unescaped_windows_paths_are_repaired():
    value = decode((CASES / "H06.invalid-escape.txt").read_bytes())
    assert value["cwd"] == r"C:\Users\dana\work"
    assert value["tool_input"]["file_path"] == r"C:\Users\dana\work\notes.md"
    assert only(parse_hook("claude-code", (CASES / "H06.invalid-escape.txt").read_bytes())).text == "Reading notes.md"


def test_repair_leaves_escaped_strings_alone():
    assert decode(rb'{"a": "line\none \"two\"", "b": "C:\dir"}') == {"a": 'line\none "two"', "b": "C:\\dir"}


@pytest.mark.parametrize("payload", [b"{", b"hello", b'{"a": 1} trailing', b"[" * 100_000])
def test_what_is_no_json_is_kept_as_text(payload):
    with pytest.raises(Unreadable):
        decode(payload)
    (batch,) = parse_hook("claude", payload, occurred_at="2026-10-01T09:00:00Z", n=3)
    assert (batch.session.harness, batch.session.native_id) == ("claude-code", "unreadable")
    assert batch.events == (
        Note(name="unreadable", text=payload.decode(), occurred_at="2026-10-01T09:00:00Z", n=3),
    )  # fmt: skip


def test_invalid_utf8_is_replaced():
    assert decode(b'{"a": "\xff\xfe b"}') == {"a": "\ufffd\ufffd b"}


def test_lone_surrogates_and_control_characters_are_let_through():
    assert decode(b'{"a": "x\\udc9f", "b": "tab\there"}') == {"a": "x\udc9f", "b": "tab\there"}


def test_numbers_no_database_takes_become_text():
    assert decode(b"[NaN, -Infinity, 1e999, 1.5]") == ["NaN", "-Infinity", "1e999", 1.5]


H06 = {line["case"][0]: line["stdin"] for line in case_lines("H06.variants.jsonl")}


@pytest.mark.parametrize("case, output", [
    ("a", "hi\n"), ("b", "# Shop\n"), ("c", "ticket 7 is open"), ("d", "ticket 7\nticket 8"), ("e", None),
    ("f", "/home/dana/work/shop\n"), ("g", "x"),
])  # fmt: skip
def test_output_is_found_in_every_shape(case, output):
    assert only(parse_hook("claude-code", H06[case])).output == output


def test_a_missing_folder_stays_unknown():
    for case, harness in (("g", "claude-code"), ("h", "cursor")):
        (batch,) = parse_hook(harness, H06[case])
        assert batch.session.cwd is None


def test_a_patch_in_the_command_is_an_edit_of_all_its_files():
    event = only(parse_hook("codex", H06["i"]))
    assert (event.family, event.paths, event.ok) == ("edit", ("totals.py", "notes/new.md"), True)
    assert event.diff == (
        "--- a/totals.py\n+++ b/totals.py\n@@ -1,1 +1,1 @@\n-a\n+b\n"
        "--- /dev/null\n+++ b/notes/new.md\n@@ -0,0 +1,1 @@\n+hello\n"
    )


def test_an_unknown_event_is_kept_under_its_name():
    event = only(parse_hook("claude-code", H06["j"]))
    assert event == Note(name="SomethingNewIn2027", text='detail: {"x": 1}', extra={"detail": {"x": 1}})


def test_a_number_where_text_is_expected_is_its_digits():
    assert only(parse_hook("claude-code", H06["k"])).text == "42"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(json_values)
def test_what_is_json_comes_back_unchanged(value):
    if value is not None:
        assert decode(json.dumps(value).encode()) == value
