"""With a record of what was put in, the very bytes come back; without one, our marks suffice."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given, settings

from stash_client.wiring.documents import Wanted, installed, is_complete, ours_in, removed
from stash_client.wiring.edits import NotSure, Ours
from tests.client.wiring import documents

JSON = Wanted("json", tuple(documents.nested("SessionStart", "Stop")), Ours(("hooks",)), "{}\n")
TOML = Wanted("toml", tuple(documents.listed("SessionStart", "Stop")), Ours(("hooks",)))
YAML = Wanted("yaml", tuple(documents.flat("SessionStart", "Stop")), Ours(("hooks",)))


def round_trip(text: str, wanted: Wanted) -> None:
    data = text.encode()
    try:
        after, record = installed(data, wanted, None)
    except NotSure:
        assume(False)
    assert is_complete(after.decode(), wanted)
    assert ours_in(after, wanted) == len(wanted.entries)
    assert installed(after, wanted, record) == (after, record)
    assert removed(after, wanted, record) == data


@given(documents.jsonc())
@settings(max_examples=100, deadline=None)
def test_json_is_the_same_bytes_again(text):
    round_trip(text, JSON)


@given(documents.toml())
@settings(max_examples=100, deadline=None)
def test_toml_is_the_same_bytes_again(text):
    round_trip(text, TOML)


@given(documents.yaml())
@settings(max_examples=100, deadline=None)
def test_yaml_is_the_same_bytes_again(text):
    round_trip(text, YAML)


@pytest.mark.parametrize(
    "text", ["", " \n", "\ufeff", "{}", "{ }", "{\n}\n", '{"hooks": {}}', '{"hooks": {"Stop": []}}', '{"hooks": { } }']
)
def test_what_was_empty_is_as_empty_again(text):
    round_trip(text, JSON)


@pytest.mark.parametrize("text", ["hooks: {}\n", "hooks:\n", "hooks:\n  Stop: []  # none\n", "x: 1"])
def test_nothing_written_in_yaml_is_the_same_nothing_again(text):
    round_trip(text, YAML)


def test_an_edit_beside_ours_is_kept():
    after, record = installed(b'{\n  "a": 1\n}\n', JSON, None)
    edited = after.replace(b'"a": 1,', b'"a": 2, // mine\n  "b": [],')
    assert removed(edited, JSON, record) == b'{\n  "a": 2, // mine\n  "b": []\n}\n'


def test_what_was_there_before_us_stays_when_it_is_empty_again():
    after, record = installed(b'{"hooks": {"Stop": []}, "a": 1}', JSON, None)
    edited = after.replace(b'"a": 1', b'"a": 2')
    assert json.loads(removed(edited, JSON, record)) == {"hooks": {"Stop": []}, "a": 2}


def test_a_file_made_for_us_goes_unless_something_else_is_in_it():
    after, record = installed(None, JSON, None)
    assert removed(after, JSON, record) is None
    assert json.loads(removed(after.replace(b"{", b'{"mine": 1,', 1), JSON, record)) == {"mine": 1}
    assert removed(after + b"// mine\n", JSON, record) == b"{}\n// mine\n"


def test_without_a_record_ours_is_known_by_its_command():
    after, _ = installed(b'{\n  "a": 1\n}\n', JSON, None)
    assert removed(after, JSON, None) == b'{\n  "a": 1\n}\n'


def test_entries_of_another_day_are_replaced():
    old = Wanted("json", tuple(documents.nested("SessionStart", "Gone")), Ours(("hooks",)), "{}\n")
    before = b'{"a": 1}\n'
    first, record = installed(before, old, None)
    second, record = installed(first, JSON, record)
    assert second == installed(before, JSON, None)[0]
    assert removed(second, JSON, record) == before


def test_entries_of_another_day_are_replaced_beside_an_edit():
    old = Wanted("json", tuple(documents.nested("SessionStart", "Gone")), Ours(("hooks",)), "{}\n")
    first, record = installed(b'{\n  "a": 1\n}\n', old, None)
    second, record = installed(first.replace(b"1", b"2"), JSON, record)
    assert is_complete(second.decode(), JSON)
    assert removed(second, JSON, record) == b'{\n  "a": 2\n}\n'


def test_doubled_entries_become_single():
    after, record = installed(b'{"a": 1}', JSON, None)
    text = after.decode()
    group = json.dumps({"hooks": [documents.handler("Stop")]})
    doubled = text.replace(group, f"{group}, {group}").encode()
    assert ours_in(doubled, JSON) == 3
    assert ours_in(installed(doubled, JSON, record)[0], JSON) == 2


def test_what_is_not_text_is_left_alone():
    with pytest.raises(NotSure, match="UTF-8"):
        installed(b'{"a": "\xff"}', JSON, None)
