"""JSON settings: what is put in comes out again and leaves every other byte where it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stash_client.wiring import jsonc
from stash_client.wiring.edits import Entry, NotSure, added, count, spliced
from tests.client.wiring import documents
from tests.client.wiring.documents import OURS, nested, put, taken

EVENTS = nested("SessionStart", "Stop")

EXACT = [
    "{}",
    '{"a":1}',
    '{"a": 1,}',
    '{\n  "a": 1\n}\n',
    '{\n\t"a": 1, // why\n}\n',
    '{\r\n    "a": [1,\r\n    2] // tail\r\n}',
    '\ufeff{\n  "hooks": {\n    "Stop": [ {"hooks": [{"command": "x"}]} ]\n  }\n}',
    '{"hooks": {"Stop": [{"hooks": [{"command": "x"}]}], "Other": []}}',
    "// first\n{\n  // inside\n}",
    '{"a": "}", "b": "//", /* { */ "c": "/*"}',
    "{unquoted: 'single', \"n\": -1.5e3}",
    '{"same": 1, "same": 2}',
]


@pytest.mark.parametrize("text", EXACT)
def test_goes_in_and_comes_out_without_a_trace(text):
    after = put(jsonc, text, EVENTS)
    assert jsonc.read(after) == added(jsonc.read(text), EVENTS)
    assert taken(jsonc, after) == text


@given(documents.jsonc())
@settings(max_examples=120, deadline=None)
def test_only_our_entries_differ(text):
    after = put(jsonc, text, EVENTS)
    assert jsonc.read(after) == added(jsonc.read(text), EVENTS)
    assert _without_blanks(_only_foreign(text, after)) == ""
    assert count(jsonc.read(taken(jsonc, after)), OURS) == 0


def _only_foreign(before: str, after: str) -> str:
    """What is in ``before`` and not, in this order, in ``after``."""
    at, lost = 0, ""
    for char in before:
        found = after.find(char, at)
        at, lost = (found + 1, lost) if found >= 0 else (at, lost + char)
    return lost


def _without_blanks(text: str) -> str:
    return "".join(text.split())


def test_keeps_the_indentation_of_its_neighbours():
    after = put(jsonc, '{\n\t"a": 1\n}\n', [Entry(("hooks", "Stop"), {"command": "x"})])
    assert (
        after == '{\n\t"a": 1,\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{\n\t\t\t\t"command": "x"\n\t\t\t}\n\t\t]\n\t}\n}\n'
    )


def test_keeps_the_line_ends_of_the_file():
    after = put(jsonc, '{\r\n  "a": 1\r\n}\r\n', EVENTS)
    assert after.count("\n") == after.count("\r\n") > 10


def test_a_remark_stays_with_the_line_it_is_about():
    after = put(jsonc, '{\n  "a": 1 // about a\n}', EVENTS)
    assert '"a": 1, // about a\n' in after


def test_what_stands_on_one_line_stays_on_one_line():
    assert "\n" not in put(jsonc, '{"a": 1}', EVENTS)


def test_takes_out_ours_from_a_group_that_somebody_added_to():
    ours = json.dumps(documents.handler("Stop"))
    text = f'{{"hooks": {{"Stop": [{{"hooks": [{ours}, {{"command": "theirs"}}]}}]}}}}'
    assert jsonc.read(taken(jsonc, text)) == {"hooks": {"Stop": [{"hooks": [{"command": "theirs"}]}]}}


def test_takes_out_ours_wherever_it_was_moved_to():
    ours = json.dumps({"hooks": [documents.handler("Stop")]})
    theirs = '\n      {"hooks": [{"command": "theirs"}]}, // mine\n    '
    text = '{\n  "hooks": {\n    "Stop": [\n      OURS,' + theirs + "]\n  }\n}"
    assert taken(jsonc, text.replace("OURS", ours)) == text.replace("\n      OURS,", "")


_STRANGE = [
    "", "{", "[1]", '{"a" 1}', '{"a": }', '{"a": 1 "b": 2}', "{} {}", '{"a": "x\n"}', '{"a": 01}', "nul",
    '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": 1}', '{"hooks": {}, "hooks": {}}', "{'a: 1}", "/* {}",
    '{"a": NaN}', "[" * 500,
]  # fmt: skip


@pytest.mark.parametrize("text", _STRANGE)
def test_leaves_alone_what_it_does_not_understand(text):
    with pytest.raises(NotSure):
        put(jsonc, text, EVENTS)


@given(st.text(alphabet='{}[]",:/*\\ \n1ahooks', max_size=30))
def test_never_breaks_on_any_text(text):
    try:
        value = jsonc.read(text)
    except NotSure:
        return
    try:
        after = put(jsonc, text, EVENTS)
    except NotSure:
        return
    assert jsonc.read(after) == added(value, EVENTS)


_PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()


@given(st.recursive(_PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8))
def test_reads_what_python_reads(value):
    assert jsonc.read(json.dumps(value)) == value
    assert jsonc.read(json.dumps(value, ensure_ascii=False, indent=3)) == value


def test_a_splice_is_taken_back_by_its_inverse():
    for splice in jsonc.insert('{"a": 1}', EVENTS[0]):
        assert spliced('{"a": 1}', [splice, splice.inverse('{"a": 1}')]) == '{"a": 1}'
