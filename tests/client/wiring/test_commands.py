"""The commands as they stand in the settings run, from a folder with a blank, and keep what they are given."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from stash_client import accounts, consent, home, hookscript, wiring
from stash_client.accounts import Account
from stash_client.checkout import checkout_of
from stash_client.consent import Connection
from stash_client.wiring import jsonc, toml, yaml
from stash_client.wiring.commands import ARGV

READERS = {".json": jsonc.read, ".toml": toml.read, ".yaml": yaml.read}
WITH_COMMANDS = [name for name, installer in wiring.INSTALLERS.items() if installer.hook_file()]


@pytest.fixture
def connected(person, tmp_path, monkeypatch) -> Path:
    """A repository whose person agreed to its capture."""
    monkeypatch.setenv("STASH_HOME", str(tmp_path / "my stash"))
    repository = tmp_path / "shop"
    subprocess.run(["git", "init", "-q", repository], check=True)
    account = Account("lab", "http://127.0.0.1:9", "k", "m", "laptop", "dana", "harbour")
    accounts.save(accounts.load().with_account(account))
    place = checkout_of(str(repository), "m").place
    consent.save(consent.load().with_connection(Connection("lab", place)))
    hookscript.write()
    return repository


def commands_in(value: object) -> list[str]:
    if isinstance(value, dict):
        return [command for item in value.values() for command in commands_in(item)]
    if isinstance(value, list):
        return [command for item in value for command in commands_in(item)]
    return [value] if isinstance(value, str) and "stash-hook" in value else []


def words_of(harness: str, command: str) -> list[str]:
    """As the agent would run it."""
    file = wiring.INSTALLERS[harness].hook_file()
    return shlex.split(command) if file.shell == ARGV else ["sh", "-c", command]


def kept() -> list[str]:
    folder = home.folder() / "inbox"
    return [path.read_text() for path in folder.iterdir() if not path.name.startswith(".")]


@pytest.mark.parametrize("harness", WITH_COMMANDS)
def test_a_wired_command_keeps_the_payload(connected, harness):
    wiring.apply(wiring.plan(harness))
    file = wiring.INSTALLERS[harness].hook_file()
    path = file.spot.path
    commands = commands_in(READERS[path.suffix](path.read_text()))
    assert len(commands) == len(file.events)
    quiet = next(command for command in commands if "tool" in command.lower())
    payload = json.dumps({"session_id": "s", "tool_name": "x", "cwd": str(connected)})
    done = subprocess.run(
        words_of(harness, quiet), cwd=connected, input=payload, text=True, capture_output=True, timeout=30
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [f"harness={harness}\n" in record and record.endswith(payload) for record in kept()] == [True]


def test_an_executable_file_answers_even_when_the_hook_is_gone(connected, person):
    wiring.apply(wiring.plan("cline"))
    script = person / "Documents" / "Cline" / "Hooks" / "PreToolUse"
    payload = json.dumps({"taskId": "1", "clineVersion": "3", "hookName": "PreToolUse"})
    for _ in range(2):
        done = subprocess.run([script], cwd=connected, input=payload, text=True, capture_output=True, timeout=30)
        assert (done.returncode, done.stderr, json.loads(done.stdout)["cancel"]) == (0, "", False)
        hookscript.path().unlink(missing_ok=True)
    assert len(kept()) == 1


def test_gemini_is_not_denied_anything_when_the_hook_is_gone(connected):
    wiring.apply(wiring.plan("gemini-cli"))
    path = wiring.INSTALLERS["gemini-cli"].hook_file().spot.path
    hookscript.path().unlink()
    for command in commands_in(jsonc.read(path.read_text())):
        done = subprocess.run(["sh", "-c", command], cwd=connected, input=b"{}", capture_output=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
