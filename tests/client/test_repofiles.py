"""What connecting writes into a repository, and disconnecting takes out again."""

from __future__ import annotations

import pytest

from stash_client import marker, repofiles
from stash_client.repofiles import Change
from stash_client.service import Project

_SHOP = Project("0197aaaa-0000-7000-8000-000000000001", "shop", "Shop")


def _connect(root):
    plan = repofiles.to_connect(root, server="https://stash.example.test", project=_SHOP)
    for change in plan.changes:
        repofiles.apply(change)
    return plan


def _bytes(root):
    return {path.name: path.read_bytes() for path in root.iterdir()}


def test_written_into_an_empty_repository_and_taken_out(tmp_path):
    plan = _connect(tmp_path)
    assert [change.path.name for change in plan.changes] == [".stash.toml", "AGENTS.md"]
    assert marker.read(str(tmp_path)).project == _SHOP.id
    assert "project `shop`" in (tmp_path / "AGENTS.md").read_text()
    assert _connect(tmp_path).changes == ()
    for change in repofiles.to_disconnect(tmp_path).changes:
        repofiles.apply(change)
    assert _bytes(tmp_path) == {}


def test_what_others_wrote_stays_byte_for_byte(tmp_path):
    (tmp_path / ".stash.toml").write_bytes(b"# ours\r\n[capture]\r\nignore = ['a']\r\n")
    (tmp_path / "CLAUDE.md").write_bytes("# Régles\n".encode())
    (tmp_path / "CLAUDE.md").chmod(0o640)
    before = _bytes(tmp_path)
    _connect(tmp_path)
    assert all(now.startswith(before[name]) for name, now in _bytes(tmp_path).items())
    assert (tmp_path / "CLAUDE.md").stat().st_mode & 0o777 == 0o640
    for change in repofiles.to_disconnect(tmp_path).changes:
        repofiles.apply(change)
    assert _bytes(tmp_path) == before


@pytest.mark.parametrize("text", [b"[stash\n", b"\xff\xfe", b"a = [1 2]\n"])
def test_a_file_we_do_not_understand_is_left_alone_and_named(tmp_path, text):
    (tmp_path / ".stash.toml").write_bytes(text)
    plan = _connect(tmp_path)
    assert [path.name for path, _ in plan.left_alone] == [".stash.toml"]
    assert (tmp_path / ".stash.toml").read_bytes() == text


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "agents.md").write_text("x\n")
    (tmp_path / "AGENTS.md").symlink_to("notes/agents.md")
    _connect(tmp_path)
    assert (tmp_path / "AGENTS.md").is_symlink()
    assert "stash:start" in (tmp_path / "notes" / "agents.md").read_text()


def test_what_changed_after_it_was_shown_is_not_overwritten(tmp_path):
    file = tmp_path / "AGENTS.md"
    file.write_text("now")
    with pytest.raises(ValueError, match="changed meanwhile"):
        repofiles.apply(Change(file, b"then", b"new"))
    assert file.read_text() == "now"
