"""Install, install again, uninstall, on homes as people have them: every byte, mode and link as it was."""

from __future__ import annotations

import json
import os
import shlex
import stat
from pathlib import Path

import pytest

from stash_client import hookscript, wiring
from stash_client.wiring import commands, files, records
from stash_client.wiring.edits import calls_us
from stash_client.wiring.planning import ByHand, Overtaken
from tests.client.wiring.conftest import snapshot

AUTOMATIC = [name for name, installer in wiring.INSTALLERS.items() if installer.parts]
FOREIGN = '{"type": "command", "command": "say done"}'

JSON_FILES = {
    "comments": '// mine\n{\n  /* model */ "model": "x", // why\n  "hooks": {\n    // none yet\n  },\n}\n',
    "foreign hooks": '{\n    "env": {"A": "b"},\n    "hooks": {\n        "Stop": [{"hooks": [FOREIGN]}],\n'
    '        "stop": [FOREIGN]\n    }\n}'.replace("FOREIGN", FOREIGN),
    "carriage returns": '{\r\n\t"model": "x",\r\n\t"list": [\r\n\t\t1,\r\n\t]\r\n}\r\n',
    "mark of byte order": '\ufeff{\n  "model": "é – ☕"\n}\n',
    "one line": '{"model":"x","permissions":{"allow":[]}}',
    "same key twice": '{"model": 1, "model": 2}\n',
    "empty": "",
    "blank": "\n\n",
    "no entries": "{ }",
    "no final line end": '{\n "a": [],\n "b": {}\n}',
}  # fmt: skip
TOML_FILES = {
    "comments": '# mine\nmodel = "x"  # why\n\n[tools]\na = [\n  1, # one\n]\n# last\n',
    "foreign hooks": '[[hooks]]\nevent = "Stop"\ncommand = "say done"\n\n[other]\nx = 1',
    "carriage returns": 'a = 1\r\nb = """\r\n[[hooks]]\r\n"""\r\n',
    "empty": "",
}
YAML_FILES = {
    "comments": "# mine\nmodel: x  # why\n\ntools:\n  - a\n  # last\n",
    "foreign hooks": "hooks:\n  on_session_start:\n  - command: say hello\n    timeout: 3\n  # mine\n\n"
    "z: |\n  hooks:\n    x\n",
    "carriage returns": 'model: "x y"\r\nhooks: {}\r\nz: 1\r\n',
    "no final line end": "model: x",
    "empty": "",
}
SHAPES = {"json": JSON_FILES, "toml": TOML_FILES, "yaml": YAML_FILES}


def settings_of(harness: str) -> tuple[Path, str] | None:
    """The file of somebody else that wiring edits, and its format."""
    for part in wiring.INSTALLERS[harness].parts:
        file = part.choices[-1] if hasattr(part, "choices") else part
        if hasattr(file, "format"):
            return file.spot.path, file.format
    return None


CASES = [
    (harness, name)
    for harness in AUTOMATIC
    for name in SHAPES[(settings_of(harness) or (None, "json"))[1]]
    if settings_of(harness) and not (harness == "kiro" and '"hooks": {' in JSON_FILES.get(name, ""))
]


def install(harness: str) -> None:
    wiring.apply(wiring.plan(harness))


def uninstall(harness: str) -> None:
    wiring.apply(wiring.removal(harness))


@pytest.mark.parametrize("harness, shape", CASES)
def test_install_reinstall_uninstall_leaves_every_byte(person, harness, shape):
    path, format_ = settings_of(harness)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(SHAPES[format_][shape].encode())
    path.chmod(0o640)
    before = snapshot(person)

    install(harness)
    once = snapshot(person)
    assert wiring.state(harness).wiring == "wired"
    assert path.stat().st_mode & 0o777 == 0o640
    install(harness)
    assert wiring.plan(harness) == []
    assert snapshot(person) == once != before

    uninstall(harness)
    assert snapshot(person) == before
    assert wiring.removal(harness) == []
    assert records.load() == {}


@pytest.mark.parametrize("harness", AUTOMATIC)
def test_files_and_folders_that_were_made_go_again(person, harness):
    (person / "Documents").mkdir()
    before = snapshot(person)
    install(harness)
    install(harness)
    assert wiring.state(harness).wiring == "wired"
    uninstall(harness)
    assert snapshot(person) == before


@pytest.mark.parametrize("harness", AUTOMATIC)
def test_folders_stay_when_something_else_is_in_them(person, harness):
    install(harness)
    path = wiring.plan(harness) or [Path(file) for file in wiring.state(harness).files]
    mine = path[0].parent / "mine.txt"
    mine.write_text("x")
    uninstall(harness)
    assert mine.read_text() == "x"


@pytest.mark.parametrize("harness", AUTOMATIC)
def test_every_command_calls_the_hook_by_its_absolute_path(person, harness, tmp_path, monkeypatch):
    monkeypatch.setenv("STASH_HOME", str(tmp_path / "a folder, with 'quotes'"))
    install(harness)
    hook = str(tmp_path / "a folder, with 'quotes'" / "bin" / "stash-hook")
    text = "".join(Path(file).read_text() for file in wiring.state(harness).files)
    assert any(form in text for form in (hook, shlex.quote(hook), json.dumps(shlex.quote(hook))[1:-1]))
    assert wiring.state(harness).wiring == "wired"
    uninstall(harness)
    assert [path for path in person.rglob("*") if path.is_file()] == []


def test_the_path_is_that_of_the_script_that_is_written(person):
    assert commands.hook_path() == hookscript.path()


def test_links_of_dotfile_managers_stay_links(person):
    dotfiles = person / "dotfiles" / "claude"
    dotfiles.mkdir(parents=True)
    (dotfiles / "settings.json").write_text('{\n  "model": "x"\n}\n')
    (person / ".claude").mkdir()
    (person / ".claude" / "settings.json").symlink_to(dotfiles / "settings.json")
    before = snapshot(person)
    install("claude-code")
    assert (person / ".claude" / "settings.json").is_symlink()
    assert "stash-hook" in (dotfiles / "settings.json").read_text()
    install("claude-code")
    uninstall("claude-code")
    assert snapshot(person) == before


def test_a_linked_folder_is_followed_too(person):
    (person / "dotfiles").mkdir()
    (person / ".codex").symlink_to(person / "dotfiles", target_is_directory=True)
    before = snapshot(person)
    install("codex")
    assert (person / "dotfiles" / "hooks.json").exists()
    uninstall("codex")
    assert snapshot(person) == before


def test_an_edit_around_ours_is_kept(person):
    path = person / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n  "model": "x",\n}\n')
    install("claude-code")
    path.write_text(path.read_text().replace('"model": "x"', '"model": "y", // better\n  "theme": "dark"'))
    install("claude-code")
    uninstall("claude-code")
    assert path.read_text() == '{\n  "model": "y", // better\n  "theme": "dark",\n}\n'


@pytest.mark.parametrize(
    "harness, text",
    [
        ("claude-code", '{"model": "x"'),
        ("claude-code", '{"hooks": [1]}'),
        ("cursor", '{"hooks": {"stop": {}}}'),
        ("claude-code", '{"hooks": {}, "hooks": {}}'),
        ("kimi-code", "hooks = []\n"),
        ("kimi-code", "a = = 1\n"),
        ("hermes", "a: &x 1\n"),
        ("hermes", "hooks: {Stop: []}\n"),
        ("openclaw", '{"plugins": {"entries": []}}'),
        ("openclaw", '{"plugins": {"entries": {"stash": {"enabled": false}}}}'),
    ],
)
def test_what_is_not_understood_is_left_alone(person, harness, text):
    path, _ = settings_of(harness)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    before = snapshot(person)
    with pytest.raises(ByHand, match="left alone"):
        wiring.plan(harness)
    assert snapshot(person) == before
    assert "stash" in wiring.by_hand(harness)[0][1].lower()


def test_a_file_that_is_read_only_is_somebody_elses_business(person):
    path = person / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text("{}")
    path.chmod(0o444)
    with pytest.raises(ByHand, match="read-only"):
        wiring.plan("claude-code")


def test_another_file_of_our_name_is_left_alone(person):
    path = person / "Documents" / "Cline" / "Hooks" / "TaskStart"
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\nmine\n")
    with pytest.raises(ByHand, match="another file"):
        wiring.plan("cline")
    assert wiring.removal("cline") == []


def test_a_file_of_ours_that_was_changed_is_left_alone(person):
    install("opencode")
    path = person / ".config" / "opencode" / "plugins" / "stash.js"
    path.write_text(path.read_text() + "\n// mine\n")
    with pytest.raises(ByHand, match="changed by hand"):
        wiring.removal("opencode")


def test_what_somebody_wrote_meanwhile_is_not_overwritten(person):
    path = person / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text("{}")
    changes = wiring.plan("claude-code")
    path.write_text('{"mine": 1}')
    with pytest.raises(Overtaken):
        wiring.apply(changes)
    assert path.read_text() == '{"mine": 1}'


def test_the_file_as_it_was_is_kept_for_its_person_alone(person, tmp_path):
    path = person / ".claude" / "settings.json"
    path.parent.mkdir()
    for number in range(8):
        path.write_text(json.dumps({"number": number}))
        install("claude-code")
        uninstall("claude-code")
    copies = sorted((tmp_path / "stash" / "backups").rglob("*"))
    kept = [copy for copy in copies if copy.is_file()]
    assert len(kept) == 5
    assert all(stat.S_IMODE(copy.stat().st_mode) == 0o600 for copy in kept)
    assert "stash-hook" in kept[-1].read_text()


def test_a_write_that_fails_leaves_the_old_file(person, monkeypatch):
    path = person / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text("{}")
    changes = wiring.plan("claude-code")
    monkeypatch.setattr(os, "replace", _full_disk)
    with pytest.raises(OSError, match="full"):
        files.write(changes[0].path, changes[0].after)
    assert path.read_text() == "{}"
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.json"]


def _full_disk(*_):
    raise OSError("disk full")


def test_droid_uses_hooks_json_only_where_it_exists(person):
    folder = person / ".factory"
    folder.mkdir()
    (folder / "settings.json").write_text(f'{{"hooks": {{"Stop": [{{"hooks": [{FOREIGN}]}}]}}}}')
    install("droid")
    assert not (folder / "hooks.json").exists()
    uninstall("droid")

    (folder / "hooks.json").write_text("{}")
    before = snapshot(person)
    install("droid")
    assert "stash-hook" in (folder / "hooks.json").read_text()
    assert "stash-hook" not in (folder / "settings.json").read_text()
    uninstall("droid")
    assert snapshot(person) == before


def test_droid_moves_with_its_agent_to_hooks_json(person):
    folder = person / ".factory"
    folder.mkdir()
    install("droid")
    (folder / "hooks.json").write_text("{}")
    assert wiring.state("droid").wiring == "partly"
    install("droid")
    assert wiring.state("droid").files == (str(folder / "hooks.json"),)


def test_vscode_is_served_by_the_settings_of_claude_code(person):
    install("vscode-copilot")
    assert wiring.state("claude-code").wiring == wiring.state("vscode-copilot").wiring == "wired"


def test_nothing_is_allowed_or_unlocked(person, tmp_path):
    for harness in AUTOMATIC:
        install(harness)
    words = ("permission", "sandbox", "allow", "approval", "trust", "bypass")
    for path in (path for path in person.rglob("*") if path.suffix in (".json", ".toml", ".yaml")):
        text = (
            path.read_text()
            .replace(str(tmp_path), "")
            .replace("PermissionRequest", "")
            .replace("allowConversationAccess", "")
            .lower()
        )
        assert not [word for word in words if word in text], path


def test_no_secret_is_written(person, tmp_path):
    (tmp_path / "stash").mkdir()
    account = {"label": "lab", "url": "https://stash.example.org", "key": "stash_EXAMPLEkey", "machine": "m"}
    (tmp_path / "stash" / "accounts.json").write_text(json.dumps({"accounts": [account], "default": "lab"}))
    for harness in AUTOMATIC:
        install(harness)
    assert not [path for path in person.rglob("*") if path.is_file() and b"EXAMPLEkey" in path.read_bytes()]


def test_moved_folders_are_honoured(person, tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    install("claude-code")
    install("opencode")
    assert (tmp_path / "claude" / "settings.json").exists()
    assert (tmp_path / "config" / "opencode" / "plugins" / "stash.js").exists()


def test_a_folder_that_was_moved_since_is_still_cleaned(person, tmp_path, monkeypatch):
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    install("codex")
    monkeypatch.delenv("CODEX_HOME")
    uninstall("codex")
    assert not (tmp_path / "codex").exists()
    assert records.load() == {}


@pytest.mark.parametrize(
    "harness, file, text",
    [
        ("codex", ".codex/config.toml", '[[hooks.Stop]]\nhooks = [{ command = "/x/stash-hook codex Stop" }]\n'),
        ("opencode", ".config/opencode/opencode.json", '{"plugin": ["./plugins/stash.js"]}'),
    ],
)
def test_what_somebody_wired_elsewhere_too_is_double(person, harness, file, text):
    install(harness)
    path = person / file
    path.write_text(text)
    state = wiring.state(harness)
    assert state.wiring == "double"
    assert path.name in state.todo


@pytest.mark.parametrize(
    "manner, line",
    [
        ("sh", "'/a b/stash-hook' codex Stop"),
        ("argv", "'/a b/stash-hook' codex Stop"),
        ("cmd", '"/a b/stash-hook" codex Stop'),
        ("git-bash", '"/a b/stash-hook" codex Stop'),
        ("powershell", "& '/a b/stash-hook' codex Stop"),
    ],
)
def test_a_folder_with_a_blank_is_quoted_for_each_shell(manner, line):
    assert commands.quoted("/a b/stash-hook", ["codex", "Stop"], manner) == line
    assert calls_us(line)


def test_paths_of_windows_survive_git_bash():
    assert commands.quoted(r"C:\Users\d\stash-hook.exe", ["x", "y"], "git-bash") == '"C:/Users/d/stash-hook.exe" x y'
    assert calls_us('"C:/Users/d/stash-hook.exe" x y')


@pytest.mark.parametrize(
    "command", ["my-stash-hook x", "stash-hooks", "/x/stash-hook.bak", "git stash", "echo stash-hookx"]
)
def test_what_only_sounds_like_us_is_not_ours(command):
    assert not calls_us(command)


@pytest.mark.parametrize(
    "harness, file, text, said",
    [
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "switched off"),
        ("codex", ".codex/config.toml", "[features]\nhooks = true\n", "/hooks"),
        ("openclaw", ".openclaw/openclaw.json", '{"plugins": {"allow": ["x"]}}', "plugins.allow"),
        ("openclaw", ".openclaw/openclaw.json", '{"plugins": {"allow": ["x", "stash"]}}', "Restart"),
    ],
)
def test_what_keeps_hooks_from_running_is_said(person, harness, file, text, said):
    path = person / file
    path.parent.mkdir()
    path.write_text(text)
    install(harness)
    assert said in wiring.state(harness).todo
