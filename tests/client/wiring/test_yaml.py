"""YAML settings: read as PyYAML reads them or not at all; whole lines go in and come out."""

from __future__ import annotations

import pytest
import yaml as reference
from hypothesis import given, settings
from hypothesis import strategies as st

from stash_client.wiring import yaml
from stash_client.wiring.documents import Wanted, installed
from stash_client.wiring.edits import NotSure, added
from tests.client.wiring import documents
from tests.client.wiring.documents import OURS, flat, put, taken

EVENTS = flat("SessionStart", "Stop")


def texts(value):
    """As a reader that takes every scalar for text: PyYAML's BaseLoader has "" for nothing."""
    if isinstance(value, dict):
        return {str(key): texts(item) for key, item in value.items()}
    if isinstance(value, list):
        return [texts(item) for item in value]
    return "" if value is None else str(value)


def loaded(text: str):
    return texts(reference.load(text.lstrip("\ufeff"), reference.BaseLoader) or {})


def trimmed(value):
    """Block texts: we keep them as written, without unindenting them."""
    if isinstance(value, dict):
        return {key: trimmed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [trimmed(item) for item in value]
    return "".join(value.split())


@pytest.mark.parametrize(
    "text",
    ["", "x: 1\n", "x: 1\r\n", "---\nx:\n- 1\n- k: v\n  l: w\n", "hooks:\n  Stop:\n  - command: foo\n  # end\n\nz: 1\n",
     "z: |\n  hooks:\n\n  - x\n# last\n", "hooks:\n    Other:\n        - command: foo\n"],
)  # fmt: skip
def test_goes_in_and_comes_out_without_a_trace(text):
    after = put(yaml, text, EVENTS)
    assert trimmed(loaded(after)) == trimmed(texts(added(yaml.read(text), EVENTS)))
    assert taken(yaml, after) == text


@given(documents.yaml())
@settings(max_examples=120, deadline=None)
def test_only_our_entries_differ(text):
    try:
        before = yaml.read(text)
        after = put(yaml, text, EVENTS)
    except NotSure:
        return
    assert trimmed(loaded(after)) == trimmed(texts(added(before, EVENTS)))
    left = taken(yaml, after)
    assert [line for line in text.splitlines() if "hooks" not in line and "Stop" not in line] == [
        line for line in left.splitlines() if "hooks" not in line and "Stop" not in line
    ]


@given(documents.yaml())
@settings(max_examples=100, deadline=None)
def test_common_files_are_understood(text):
    assert trimmed(texts(yaml.read(text))) == trimmed(loaded(text))


@given(documents.yaml() | st.text(alphabet="ab:- \n\"'#|>&*{}[]?!,\t", max_size=25))
@settings(max_examples=200, deadline=None)
def test_reads_as_the_reference_does_or_not_at_all(text):
    try:
        value = yaml.read(text)
    except NotSure:
        return
    assert trimmed(texts(value)) == trimmed(loaded(text))


_STRANGE = [
    "a: &x 1\n", "a: *x\n", "a: !t 1\n", "? a\n: b\n", "a: [1, [2]]\n", "a: {b: {c: 1}}\n", "a: b\n  - c\n",
    "\ta: 1\n", "- a\n", "a\n", "a: 1\n---\nb: 2\n", "%YAML 1.2\n---\na: 1\n", "<<: 1\n", "a: 1\na: 2\n",
    "a: 'x\ny'\n", "hooks: [a]\n", "hooks: {Stop: x}\n", "a: 1\n b: 2\n", "a: >2\n  x\n", "hooks: foo\n",
    "hooks:\n- a\n", "hooks:\n  Stop: foo\n", "hooks:\n  Stop:\n    a: 1\n", "hooks: []\n",
]  # fmt: skip


@pytest.mark.parametrize("text", _STRANGE)
def test_leaves_alone_what_it_does_not_surely_understand(text):
    with pytest.raises(NotSure):
        installed(text.encode(), Wanted("yaml", tuple(EVENTS), OURS), None)
