"""``.stash.toml``: what it proposes, what it leaves out, and how it is written into somebody's file."""

from __future__ import annotations

import os

import pytest

from stash_client import marker, toml
from stash_client.marker import Marker
from stash_client.privacy.policy import METADATA_ONLY, Policy

_WHOLE = """\
[stash]
server = "https://stash.example.test/"
project = "0197-abc"   # ours
[capture]
ignore = ["secrets/**", 'data/*.csv',]
prompts = false
"""
_WISH = {"server": "https://stash.example.test", "project": "0197-abc", "name": "Shop"}


def written(folder, text) -> Marker:
    (folder / ".stash.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return marker.read(str(folder))


def test_reads_what_a_repository_proposes_and_leaves_out(tmp_path):
    policy = Policy(("secrets/**", "data/*.csv"), prompts=False)
    assert written(tmp_path, _WHOLE) == Marker("https://stash.example.test", "0197-abc", "", policy)


def test_no_file_is_an_empty_marker(tmp_path):
    assert marker.read(str(tmp_path)) == Marker()
    assert marker.read(str(tmp_path / "nowhere")) == Marker()


@pytest.mark.parametrize(
    "text",
    [
        "[capture]\nprompts = 'no'",
        "[capture]\nignores = ['x']",
        "[capture]\nignore = 'x'",
        "[capture]\nignore = [1]",
        "[capture.deep]\nx = 1",
        "capture = true",
        "[capture\nprompts = false",
        "[capture]\nprompts = false\nprompts = true",
        b"\xff\xfe[\x00",
        "[stash]\nx = " + "[" * 5000,
        "#" * 70_000,
    ],
)
def test_what_cannot_be_understood_means_metadata_only_and_is_told(tmp_path, text):
    found = written(tmp_path, text)
    assert found.policy == METADATA_ONLY
    assert ".stash.toml" in found.fault


def test_asking_for_metadata_only_is_no_fault(tmp_path):
    found = written(tmp_path, "[capture]\nmetadata_only = true\nprompts = false\noutput = false")
    assert (found.policy.metadata_only, found.fault) == (True, "")


def test_a_pipe_in_a_clone_makes_nobody_wait(tmp_path):
    os.mkfifo(tmp_path / ".stash.toml")
    assert marker.read(str(tmp_path)).policy == METADATA_ONLY


def test_what_is_shown_cannot_move_the_cursor(tmp_path):
    assert written(tmp_path, '[stash]\nname = "a\\u001b[2Jb\\nc"').name == "a[2Jbc"


_FILES = [
    "",
    "# mine\n",
    "x = 1",
    "x = 1\n\n",
    'a = """\n[stash]\n"""\r\n[capture]\r\nignore = [\r\n  "x", # why\r\n]\r\n',
    "\ufeff[capture]\nprompts = true\n",
    "[other]\nb = ['''it's''', \"q\"]\n[other.deep]\n'a b' = -1_000\n",
]


@pytest.mark.parametrize("text", _FILES)
def test_written_and_taken_out_again_leaves_the_same_bytes(text):
    once = marker.with_project(text, **_WISH)
    found = marker.parse(once.removeprefix("\ufeff"))
    assert (found.server, found.project, found.name) == tuple(_WISH.values())
    assert marker.with_project(once, **_WISH) == once
    assert once.startswith(text)
    assert ("\r\n" in once) == ("\r\n" in text)
    assert marker.without_project(once) == text if text.strip() else marker.without_project(once) == ""


def test_writing_changes_only_the_values_that_differ():
    text = "[stash] # ours\nproject = 'old' # the id\nserver = \"https://stash.example.test\"\nextra = 1\n\n[capture]\n"
    assert marker.with_project(text, **_WISH) == (
        '[stash] # ours\nproject = "0197-abc" # the id\nserver = "https://stash.example.test"\nextra = 1\n'
        'name = "Shop"\n\n[capture]\n'
    )
    assert marker.without_project(text) == "[stash] # ours\nextra = 1\n\n[capture]\n"


def test_a_file_that_cannot_be_parsed_is_not_written():
    with pytest.raises(toml.Malformed, match="line 2"):
        marker.with_project("a = 1\nb = [1 2]\n", **_WISH)


@pytest.mark.parametrize("text", ["stash.server = 'x'\n", "stash = {server = 'x'}\n", "[[stash]]\n"])
def test_what_is_written_in_another_way_is_not_written_over(text):
    with pytest.raises(toml.Malformed, match="not written as a table"):
        marker.with_project(text, **_WISH)
