"""Completion as a shell does it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from stash_client.cli.completions import SHELLS, candidates

_ASK = """
eval "$(stash completions bash)"
COMP_WORDS=({words}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_stash
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def complete(machine, tmp_path):
    """Asks a bash with ``stash`` on its PATH what may follow; the last word is the one being typed."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "stash"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m stash_client "$@"\n')
    program.chmod(0o755)
    environ = machine.whole_environ()
    environ["PATH"] = f"{folder}:{environ['PATH']}"

    def ask(*words: str) -> list[str]:
        quoted = " ".join(f"'{word}'" for word in ("stash", *words))
        done = subprocess.run(
            ["bash", "-c", _ASK.format(words=quoted)],
            env=environ,
            cwd=machine.repository,
            capture_output=True,
            text=True,
        )
        assert done.stderr == ""
        return done.stdout.split()

    return ask


def test_bash_completes_commands_verbs_options_and_values(complete, machine):
    machine.home.mkdir()
    known = [{"harness": "codex", "native_id": "1", "session": "01a22e2b-78b6"}, {"harness": "codex", "native_id": "2"}]
    (machine.home / "recent.json").write_text(json.dumps(known))
    assert complete("ses") == ["sessions"]
    assert "hook" not in complete("")
    assert set(complete("sessions", "")) >= {"ls", "show", "open", "tail", "export", "--json"}
    assert complete("sessions", "show", "01") == ["01a22e2b-78b6"]
    assert complete("sessions", "export", "--fo") == ["--format"]
    assert complete("sessions", "export", "--format", "") == ["jsonl", "md"]
    assert complete("sessions", "--status", "nee") == ["needs_you"]
    assert "claude-code" in complete("sessions", "ls", "--harness", "")
    assert complete("sessions", "show", "01a22e2b-78b6", "--fu") == ["--full"]
    assert "shop" not in complete("open", "")


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_in_every_script(shell, machine):
    done = machine.run("completions", shell)
    assert (done.code, done.err) == (0, "")
    for words in candidates().values():
        assert all(word.lstrip("%") in done.out for word in words if word != "%files")
    assert machine.run("completions", shell, "--json").json["script"] == done.out.rstrip()
    if shell == "bash":
        assert subprocess.run(["bash", "-n"], input=done.out, text=True, capture_output=True).stderr == ""
