"""What holds for every command: options, errors, exit codes, terminals, and how soon it starts."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

from stash_client import __version__
from stash_client.cli.commands import COMMANDS, GROUPS
from stash_client.cli.output import EXIT_CODES
from stash_client.cli.parsing import parser_of
from stash_client.cli.words import Asked

ROOT = Path(__file__).parents[3]
SHOWN = [name for name, command in COMMANDS.items() if not command.hidden]
README = (ROOT / "client" / "README.md").read_text(encoding="utf-8")
TESTS = sorted((ROOT / "tests" / "client").rglob("test_*.py"))


def _is_tested(name: str) -> bool:
    """By a file of its own, or by a call with its name as the first word."""
    call = re.compile(rf"""[(\[]\s*(?:\w+, )?(?:"--json", )?"{name}\"[,)\]]""")
    return any(path.stem == f"test_{name}" or call.search(path.read_text(encoding="utf-8")) for path in TESTS)


@pytest.mark.parametrize("name", SHOWN)
def test_every_command_has_help_with_examples_a_test_and_a_line_in_the_manual(name, machine):
    assert COMMANDS[name].group in GROUPS
    said = parser_of(name).format_help()
    examples = import_module(COMMANDS[name].module).EXAMPLES
    assert examples
    assert all(example in said for example in examples)
    assert "--json" in said
    assert re.search(rf"\bstash {name}\b", README), f"client/README.md does not tell of stash {name}"
    assert _is_tested(name), f"no test runs stash {name}"


@pytest.mark.parametrize("name", SHOWN)
def test_every_command_speaks_json_and_nothing_else(name, machine):
    """On a machine where nothing is set up: an answer, or an error; a verdict may be both a document and a code."""
    done = machine.run("--json", name, *_NEEDS.get(name, ()))
    if done.out:
        assert done.json is not None
        assert done.err == ""
    else:
        told = json.loads(done.err)
        assert done.code
        assert told["code"]
        assert told["detail"]


_NEEDS = {"completions": ["bash"], "note": ["x"]}


@pytest.mark.parametrize("words", [("pause",), ("resume",), ("agents",)])
def test_what_needs_no_server_answers_without_one(words, machine):
    assert machine.run(*words).code == 0
    assert machine.run("pause", "1m", "--json").code == machine.run("resume").code == machine.run("agents").code == 0
    assert machine.run("hooks", "show", "codex", "--json").json


@pytest.mark.parametrize(
    "words, asked",
    [
        ([], Asked()),
        (["top"], Asked("top")),
        (["--json", "top", "--once"], Asked("top", ["--once"], json=True)),
        (["top", "--json", "-y"], Asked("top", json=True, yes=True)),
        (["--server", "lab", "top"], Asked("top", server="lab")),
        (["top", "--server=lab"], Asked("top", server="lab")),
        (["note", "--", "--json"], Asked("note", ["--", "--json"])),
        (["--version"], Asked(version=True)),
        (["--help"], Asked()),
        (["top", "-h"], Asked("top", ["-h"])),
        (["--server"], Asked(problem="--server needs the label of a server.")),
        (["--frobnicate", "top"], Asked("--frobnicate", ["top"], problem="stash has no option '--frobnicate'.")),
    ],
)
def test_options_of_every_command_may_stand_anywhere(words, asked):
    assert Asked.from_words(words) == asked


@pytest.mark.parametrize("words", [(), ("help",), ("--help",), ("-h",)])
def test_help_lists_every_command_once(words, machine):
    done = machine.run(*words)
    assert (done.code, done.err) == (0, "")
    assert re.findall(r"^  (\S+)", done.out, re.MULTILINE) == sorted(
        SHOWN, key=lambda name: (GROUPS.index(COMMANDS[name].group), SHOWN.index(name))
    )
    assert machine.run("--json", *words).json["commands"].keys() == set(SHOWN)


def test_help_of_one_command_and_of_exit_codes(machine):
    assert machine.run("help", "sessions").out == machine.run("sessions", "--help").out
    assert "export" in machine.run("help", "--json", "sessions").json["help"]
    assert machine.run("--json", "help", "exit-codes").json == {str(code): meaning for code, meaning in EXIT_CODES}
    assert machine.run("help", "nothing").code == 2


def test_version(machine):
    assert machine.run("--version").out == f"{__version__}\n"
    assert machine.run("--version", "--json").json == {"version": __version__}


@pytest.mark.parametrize(
    "words, hint",
    [
        (("sesions",), "Did you mean: stash sessions"),
        (("zzzzz",), "Run: stash help"),
        (("--frobnicate",), "Run: stash help"),
        (("top", "--onze"), "usage: stash top"),
        (("sessions", "ls", "--status", "x"), "usage: stash sessions ls"),
        (("sessions", "shw"), "usage: stash sessions"),
        (("--server", "elsewhere", "top"), "Signed in to: none."),
    ],
)
def test_a_line_that_makes_no_sense_is_explained(words, hint, machine):
    done = machine.run(*words)
    assert (done.code, done.out) == (2, "")
    assert hint in done.err
    told = machine.run(*words, "--json")
    assert (told.code, told.out) == (2, "")
    assert hint in json.loads(told.err)["hint"]


@pytest.mark.parametrize("words", [("top",), ("sessions",), ("sessions", "show", "x"), ("open",), ("upgrade",)])
def test_without_an_account_a_command_says_how_to_get_one(words, machine):
    done = machine.run(*words, "--json")
    assert (done.code, done.out) == (3, "")
    assert json.loads(done.err) == {
        "code": "not_signed_in",
        "detail": "This machine is not signed in.",
        "hint": "Run: stash signin URL",
    }


def test_a_server_that_is_away_is_exit_code_5(machine):
    machine.signed_in("http://127.0.0.1:9", "stash_k")
    done = machine.run("sessions", "--json")
    assert (done.code, done.out, json.loads(done.err)["code"]) == (5, "", "unreachable")


def test_no_traceback_for_a_file_that_cannot_be_read(machine):
    machine.home.mkdir()
    (machine.home / "accounts.json").mkdir()
    assert machine.run("sessions").code == 3


def test_ctrl_c_is_130_and_quiet(machine):
    process = subprocess.Popen(
        machine.command("emit", "--harness", "x"),
        cwd=machine.repository,
        env=machine.whole_environ(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdin.write(b"no json\n")
    process.stdin.flush()
    assert process.stderr.readline() == b"line 1: not JSON\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_a_reader_that_has_read_enough_ends_it_quietly(machine):
    line = " ".join(machine.command("completions", "bash"))
    done = subprocess.run(
        ["bash", "-c", f"{line} | true; echo ${{PIPESTATUS[0]}}"],
        env=machine.whole_environ(), cwd=machine.repository, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("0\n", "")


def on_terminal(machine, *words: str, **environ: str) -> str:
    """What a person would see."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        machine.command(*words),
        cwd=machine.repository,
        env={**machine.whole_environ(), "TERM": "xterm", **environ},
        stdin=slave,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    seen = b""
    try:
        while piece := os.read(master, 65536):
            seen += piece
    except OSError:  # Linux says so at the end
        pass
    process.wait(30)
    os.close(master)
    return seen.decode("utf-8", "replace")


def test_colours_are_for_terminals_that_want_them(machine):
    assert "\x1b[1m" in on_terminal(machine, "help")
    assert "\x1b" not in on_terminal(machine, "help", NO_COLOR="1")
    assert "\x1b" not in on_terminal(machine, "help", TERM="dumb")
    assert "\x1b" not in on_terminal(machine, "help", "--json")
    assert "\x1b" not in machine.run("help").out


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_terminal_that_cannot_show_a_letter_shows_a_question_mark(encoding, machine):
    machine.home.mkdir()
    (machine.home / "recent.json").write_text(json.dumps([{"harness": "x", "native_id": "1", "session": "sní☃"}]))
    done = subprocess.run(
        machine.command("completions", "words", "sessions"),
        env={**machine.whole_environ(), "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}, capture_output=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.strip() == "sní☃".encode(encoding, "replace")
    told = subprocess.run(
        machine.command("--json", "completions", "words", "sessions"),
        env={**machine.whole_environ(), "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}, capture_output=True,
    )  # fmt: skip
    assert json.loads(told.stdout.decode("ascii")) == ["sní☃"]


HEAVY = {
    "urllib.request", "uuid", "sqlite3", "asyncio", "subprocess", "tempfile", "concurrent", "webbrowser", "difflib",
    "shutil", "stash_client.privacy", "stash_client.harnesses", "stash_client.events",
    "stash_client.sender", "stash_client.checkout",
}  # fmt: skip
NETWORK = {"http.client", "ssl", "socket", "email.message"}


@pytest.mark.parametrize(
    "words, never",
    [
        (["sessions"], HEAVY),
        (["top", "--once"], HEAVY),
        (["sessions", "show", "01a22e2b"], HEAVY),
        (["--version"], HEAVY | NETWORK),
        (["help"], HEAVY | NETWORK),
        (["help", "exit-codes"], HEAVY | NETWORK),
    ],
)
def test_a_command_loads_nothing_heavy_that_it_does_not_need(words, never, machine):
    machine.signed_in("http://127.0.0.1:9", "stash_k")
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "stash_client", *words],
        cwd=machine.repository, env=machine.whole_environ(), capture_output=True, text=True,
    )  # fmt: skip
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "stash_client.cli" in loaded
    assert not loaded & never


def test_importing_the_package_loads_nothing_of_it():
    code = "import sys, stash_client; print([m for m in sys.modules if m.startswith('stash_client.')])"
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "client" / "src")}
    done = subprocess.run([sys.executable, "-S", "-c", code], env=environ, capture_output=True, text=True)
    assert done.stdout == "[]\n"


def test_top_on_a_terminal_goes_on_until_ctrl_c_and_leaves_it_as_it_was(machine):
    machine.signed_in("http://127.0.0.1:9", "stash_k")
    master, slave = pty.openpty()
    process = subprocess.Popen(
        machine.command("top", "--interval", "0.5"),
        cwd=machine.repository, env={**machine.whole_environ(), "TERM": "xterm"},
        stdin=slave, stdout=slave, stderr=slave,
        start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    seen, until = b"", time.monotonic() + 30
    while b"does not answer" not in seen and time.monotonic() < until:
        seen += os.read(master, 65536)
    process.send_signal(signal.SIGINT)
    try:
        while piece := os.read(master, 65536):
            seen += piece
    except OSError:
        pass
    assert process.wait(30) == 130
    assert seen.startswith(b"\x1b[?1049h")
    assert seen.endswith(b"\x1b[?25h\x1b[?1049l")
    os.close(master)
