"""Names and texts that somebody else chose: readable on a terminal, and unable to steer it."""

from __future__ import annotations

import json
import re

import pytest

from stash_client.cli.output import Output, plain
from tests.client.laptop import Laptop, Terminal

HOSTILE = "-rf \x1b]0;owned\x07\x1b[2J\x9b1A\u202e'\"gpj"
_OWN = re.compile(r"\x1b\[(?:0|1|2|31|32|33|36)m")
_STEERING = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def laptop(tmp_path):
    """Everything that can have a name has a hostile one."""
    made = Laptop(tmp_path)
    made.repository = made.clone(tmp_path / HOSTILE, f"https://git.example.test/acme/{HOSTILE}.git")
    (made.repository / "AGENTS.md").write_text(f"{HOSTILE}\n")
    (made.repository / ".stash.toml").write_text(f"[capture]\nignore = [{json.dumps(HOSTILE)}]\n")
    made.signed_in({"label": HOSTILE, "url": "http://127.0.0.1:9", "key": "stash_x", "machine_name": HOSTILE})
    made.connected({"server": HOSTILE, "slug": HOSTILE, "name": HOSTILE})
    recent = {"harness": HOSTILE, "native_id": HOSTILE, "place": str(made.repository / ".git"), "server": HOSTILE}
    (made.home / "recent.json").write_text(json.dumps([recent]))
    (made.home / "waking").touch()
    (made.home / "fault.txt").write_text(HOSTILE)
    yield made
    made.close()


def on_terminal(laptop: Laptop, *words: str) -> str:
    environ = {name: value for name, value in laptop.environ.items() if name not in ("NO_COLOR", "TERM")}
    command = laptop._command(words)
    terminal = Terminal(command, cwd=laptop.repository, env={**environ, "TERM": "xterm"})
    terminal.end()
    return terminal.shown


@pytest.mark.parametrize(
    "words",
    [("status",), ("spool",), ("spool", "show"), ("preview",), ("doctor",), ("agents",), ("note", "x"), ("private",),
     ("connect", "--yes"), ("import", "--dry-run"), ("status", "--json"), ("spool", "--json"), ("nothing" + HOSTILE,)],
    ids=" ".join,
)  # fmt: skip
def test_no_command_lets_a_name_steer_the_terminal(laptop, words):
    told = {"session": HOSTILE, "event": "prompt", "text": HOSTILE}
    laptop.run("emit", "--harness", HOSTILE, payload=json.dumps(told).encode())
    if words == ("spool", "show"):
        (laptop.home / "waking").unlink()
        laptop.run("send")
    shown = on_terminal(laptop, *words).replace("\r", "")
    assert shown
    assert _STEERING.findall(_OWN.sub("", shown)) == []


def test_our_own_colours_stay(monkeypatch, capsys):
    out = Output()
    out.colours = True
    out.say(f"{out.styled(HOSTILE, 'red')} and \x1b[8mhidden")
    assert capsys.readouterr().out == f"\x1b[31m{plain(HOSTILE)}\x1b[0m and [8mhidden\n"


def test_a_document_says_the_same_without_what_steers(capsys):
    Output(as_json=True).result({"name": HOSTILE})
    said = capsys.readouterr().out
    assert json.loads(said) == {"name": HOSTILE}
    assert _STEERING.findall(said) == []
