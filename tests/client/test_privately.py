"""Which sessions ask to be private."""

from __future__ import annotations

import pytest

from stash_client import privately


@pytest.fixture(autouse=True)
def _home(tmp_path, monkeypatch):
    monkeypatch.setenv("STASH_HOME", str(tmp_path))


def test_private_until_shared_again():
    privately.make_private("codex", "s-1")
    assert privately.is_private("codex", "s-1")
    assert not privately.is_private("claude-code", "s-1")
    assert not privately.is_private("codex", "s-2")
    privately.share("codex", "s-1")
    privately.share("codex", "s-1")
    assert not privately.is_private("codex", "s-1")


def test_a_subagent_is_as_private_as_its_parent():
    privately.make_private("codex", "s-1")
    assert privately.is_private("codex", "s-1/a-7/b")
    assert not privately.is_private("codex", "s-10/a-7")


@pytest.mark.parametrize("native_id", ["../../etc/passwd", "a\x00b", "", "x" * 5000, "\ud800"])
def test_any_id_is_a_file_name(tmp_path, native_id):
    privately.make_private("codex", native_id)
    assert [path.parent for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / "private"]
    assert privately.is_private("codex", native_id)
