"""A block of ours in somebody's rule files."""

from __future__ import annotations

import pytest

from stash_client import rulefiles

_BODY = "## Stash\nwords\n"


@pytest.mark.parametrize("text", ["", "# Rules\n", "# Rules", "a\r\nb\r\n", "a\n\n\n", "\ufeffx\n"])
def test_put_in_and_taken_out_again_leaves_the_same_text(text):
    once = rulefiles.with_block(text, _BODY)
    assert "## Stash" in once
    assert once.startswith(text)
    assert ("\r" in once) == ("\r" in text)
    assert rulefiles.with_block(once, _BODY) == once
    assert rulefiles.without_block(once) == text


def test_new_words_take_the_place_of_the_old_and_nothing_else():
    once = rulefiles.with_block("above\n", _BODY) + "below\n"
    again = rulefiles.with_block(once, "other\n")
    assert again == once.replace("## Stash\nwords", "other")
    assert rulefiles.without_block(again) == "above\n\nbelow\n"


@pytest.mark.parametrize("text", ["<!-- stash:end -->\n<!-- stash:start -->", "<!-- stash:start --> no end"])
def test_marks_that_make_no_pair_are_left_alone(text):
    assert rulefiles.without_block(text) == text
    assert rulefiles.with_block(text, _BODY).startswith(text)


def test_files_are_those_that_are_there_each_once(tmp_path):
    assert rulefiles.files(tmp_path) == [tmp_path / "AGENTS.md"]
    (tmp_path / "CLAUDE.md").write_text("x")
    assert rulefiles.files(tmp_path) == [tmp_path / "CLAUDE.md"]
    (tmp_path / "GEMINI.md").symlink_to("CLAUDE.md")
    (tmp_path / "AGENTS.md").write_text("y")
    assert rulefiles.files(tmp_path) == [tmp_path / "AGENTS.md", tmp_path / "CLAUDE.md"]


def test_no_link_leads_out_of_the_repository(tmp_path):
    (tmp_path / "mine.md").write_text("x")
    root = tmp_path / "repository"
    root.mkdir()
    (root / "AGENTS.md").symlink_to("../mine.md")
    assert rulefiles.files(root) == []
