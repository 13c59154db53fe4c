from __future__ import annotations

from pathlib import Path

import pytest

MOVED = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")


@pytest.fixture
def person(tmp_path, monkeypatch) -> Path:
    """An empty home folder, and a Stash folder outside of it."""
    home = tmp_path / "dana"
    home.mkdir()
    for name in MOVED:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("STASH_HOME", str(tmp_path / "stash"))
    return home


def snapshot(home: Path) -> dict[str, tuple[str, bytes, int]]:
    """Everything below: kind or link target, content, mode."""
    found = {}
    for path in sorted(home.rglob("*")):
        name = str(path.relative_to(home))
        if path.is_symlink():
            found[name] = (f"-> {path.readlink()}", b"", 0)
        elif path.is_dir():
            found[name] = ("folder", b"", 0)
        else:
            found[name] = ("file", path.read_bytes(), path.stat().st_mode & 0o7777)
    return found
