"""TOML settings: blocks at the end of the file, gone again without a trace; what Python reads is read alike."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stash_client.wiring import toml
from stash_client.wiring.edits import NotSure, added
from tests.client.wiring import documents
from tests.client.wiring.documents import listed, put, taken

tomllib = pytest.importorskip("tomllib")
EVENTS = listed("SessionStart", "Stop")


def plain(value):
    """Python's value in our terms: what we keep as written is compared by its being there."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value if isinstance(value, (str, int)) else "raw"


def ours(value):
    if isinstance(value, dict):
        return {key: ours(item) for key, item in value.items()}
    if isinstance(value, list):
        return [ours(item) for item in value]
    return value.replace("\r\n", "\n") if isinstance(value, str) else "raw" if isinstance(value, tuple) else value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a = 1\n",
        "a = 1\n\n\n",
        "# note\r\n[x]\r\nb = '''\r\n[[hooks]]\r\n'''\r\n",
        '[[hooks]]\nevent = "Stop"\n# mine\n',
    ],
)
def test_goes_in_and_comes_out_without_a_trace(text):
    after = put(toml, text, EVENTS)
    assert ours(toml.read(after)) == ours(added(toml.read(text), EVENTS))
    assert taken(toml, after) == text


@given(documents.toml())
@settings(max_examples=120, deadline=None)
def test_only_our_entries_differ(text):
    try:
        toml.read(text)
        after = put(toml, text, EVENTS)
    except NotSure:
        return
    assert after.startswith(text)
    assert plain(tomllib.loads(after.lstrip("\ufeff"))) == ours(added(toml.read(text), EVENTS))
    assert taken(toml, after).rstrip("\r\n") == text.rstrip("\r\n")


@given(documents.toml() | st.text(alphabet="a[]=\"'\\\n\r ,.#1t{}", max_size=30))
@settings(max_examples=120, deadline=None)
def test_reads_as_python_does_or_not_at_all(text):
    try:
        value = toml.read(text)
    except NotSure:
        return
    assert ours(value) == plain(tomllib.loads(text.lstrip("\ufeff")))


@pytest.mark.parametrize(
    "text", ["hooks = []\n", "[hooks]\na = 1\n", "hooks = 1\n", "hooks.a = 1\n", "a = 1 b", "a = 1\na = 2\n"]
)
def test_leaves_alone_what_cannot_grow(text):
    with pytest.raises(NotSure):
        put(toml, text, EVENTS)


def test_keeps_what_was_written_between_our_blocks():
    after = put(toml, "a = 1\n", EVENTS)
    mark = after.index("\n# Stash", after.index("[[hooks]]"))
    edited = after[:mark] + "\n[mine]\nx = 1  # kept\n" + after[mark:] + "\n[more]\ny = 2\n"
    assert taken(toml, edited) == "a = 1\n\n[mine]\nx = 1  # kept\n\n[more]\ny = 2\n"


def test_a_block_that_somebody_nested_a_table_in_is_left_alone():
    after = put(toml, "", EVENTS[:1]) + "[hooks.mine]\nx = 1\n"
    with pytest.raises(NotSure):
        taken(toml, after)
