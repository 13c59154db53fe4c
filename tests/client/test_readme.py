"""The examples of the client's manual work as they stand there, in its order; its tables tell the truth."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sessions_app.models import Event, Session
from stash_client.cli.output import EXIT_CODES
from tests.client.laptop import eventually
from tests.client.machine import machine  # noqa: F401
from tests.client.sessions import capture

PAGE = (Path(__file__).parents[2] / "client" / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```(bash|python)\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.django_db(transaction=True)
def test_examples_do_what_the_manual_says(machine, live_server, dana, shop, tmp_path, monkeypatch):  # noqa: F811
    machine.signed_in(live_server.url, dana.secret)
    machine.connected()
    capture(dana)
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "stash").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m stash_client "$@"\n')
    (folder / "stash").chmod(0o755)
    environ = machine.whole_environ()
    environ["PATH"] = f"{folder}:{environ['PATH']}"
    said = []
    for language, example in EXAMPLES:
        command = (
            ["bash", "-c", f"set -eo pipefail\n{example}"] if language == "bash" else [sys.executable, "-c", example]
        )
        if "newest = " in example:
            eventually(lambda: Event.objects.filter(session__harness="my-agent", kind="session_end").exists())
        done = subprocess.run(
            command, env=environ, cwd=machine.repository, capture_output=True, text=True, timeout=60
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, ""), (example, done)
        said.append(done.stdout)

    assert said[0] == "1 sessions\n"
    assert said[1] == "4 kept\n"
    assert said[3].startswith("dana\n")
    assert "failed: shell {'command': 'pytest'}" in said[3]
    assert "404 " in said[4]
    assert [line.split()[1] for line in said[5].splitlines()] == [
        "session_start", "prompt", "tool_call", "note", "reply", "turn_end",
    ]  # fmt: skip
    mine = Session.objects.filter(harness="my-agent").order_by("started_at")
    assert {(s.native_id == "run-17", s.title) for s in mine} == {(True, "Nightly triage"), (False, "Flaky tests")}


def test_exit_codes_are_those_of_the_program():
    table = PAGE.split("| exit code | means |", 1)[1].split("\n\n", 1)[0]
    rows = [re.fullmatch(r"\| (\d+) \| (.+) \|", line) for line in table.splitlines()]
    assert tuple((int(row[1]), row[2]) for row in rows if row) == EXIT_CODES
