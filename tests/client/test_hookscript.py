"""The script agents call, run as they run it: by the shells this machine has, with the streams agents give it."""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stash_client import accounts, consent, hookscript, inbox
from stash_client.checkout import checkout_of
from stash_client.hook import PROJECT_VARIABLES
from tests.client.hooking import SHELLS, SILENT, Machine, Said, git

TOOL = ("claude-code", "PostToolUse")
PAYLOAD = b'{"hook_event_name": "PostToolUse", "session_id": "s-1", "x": "\\u00e9 \xc3\xa9 \x00"}\n\n'


@pytest.fixture
def machine(tmp_path, monkeypatch) -> Machine:
    monkeypatch.setenv("STASH_HOME", str(tmp_path / "home"))
    for name in ("STASH_URL", "STASH_KEY"):
        monkeypatch.delenv(name, raising=False)
    made = Machine(tmp_path)
    made.sign_in()
    return made


@pytest.fixture
def shop(machine):
    """A connected repository on a machine whose sender runs."""
    path = machine.repository()
    machine.connect(path / ".git")
    with machine.sender_that_lives():
        yield path


def everything_below(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in sorted(folder.rglob("*"))}


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_keeps_the_payload_as_it_came(machine, shop, shell):
    env = {"STASH_MEMORY": "off", "CLAUDE_PROJECT_DIR": "/elsewhere", "CLAUDE_CODE_ENTRYPOINT": "cli"}
    assert machine.hook(*TOOL, cwd=shop, payload=PAYLOAD, shell=shell, env=env) == SILENT
    [record] = machine.records
    assert record.payload == PAYLOAD
    assert record.headers == {
        "harness": "claude-code",
        "event": "PostToolUse",
        "cwd": str(shop),
        "project_dir": "/elsewhere",
        "memory": "off",
        "entrypoint": "cli",
    }
    [path] = inbox.records()
    assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in inbox.folder().iterdir()] == [path.name]


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_leaves_what_is_not_connected_untouched(machine, shop, shell):
    before = everything_below(machine.folder)
    for folder in (machine.folder, Path("/"), Path("/usr")):
        assert machine.hook(*TOOL, cwd=folder, payload=PAYLOAD, shell=shell) == SILENT
    assert everything_below(machine.folder) == before


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_reads_what_it_does_not_keep(machine, shop, shell):
    """An agent that meets a broken pipe tells its person about a failed hook."""
    process = machine.start(*TOOL, cwd=machine.folder, shell=shell)
    process.wait(timeout=60)
    process.stdin.write(b"x" * 1_000_000)
    process.stdin.close()
    assert (process.stdout.read(), process.stderr.read()) == (b"", b"")


def test_knows_a_repository_by_every_way_into_it(machine, shop):
    (shop / "src" / "deep").mkdir(parents=True)
    (machine.folder / "link").symlink_to(shop / "src")
    git("-C", str(shop), "worktree", "add", "-q", str(machine.folder / "other place" / "tree"))
    ways = [shop, shop / "src" / "deep", machine.folder / "link" / "deep", machine.folder / "other place" / "tree"]
    for way in ways:
        assert machine.hook(*TOOL, cwd=way, payload=PAYLOAD) == SILENT
    assert len(machine.records) == len(ways)


def test_a_logical_path_is_kept_as_the_agent_had_it(machine, shop):
    (machine.folder / "link").symlink_to(shop)
    machine.hook(*TOOL, cwd=machine.folder / "link", env={"PWD": str(machine.folder / "link")})
    assert machine.records[0].cwd == str(machine.folder / "link")


def test_another_repository_inside_a_connected_one_is_not_connected(machine, shop):
    git("init", "-q", str(shop / "vendored"))
    library = machine.repository("library")
    git("-C", str(shop), "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "sub")
    for inner in ("vendored", "sub"):
        assert machine.hook(*TOOL, cwd=shop / inner) == SILENT
    assert machine.records == []


def test_a_folder_without_git_is_connected_with_what_lies_below(machine):
    notes = machine.folder / "notes"
    (notes / "2026").mkdir(parents=True)
    (machine.folder / "notes too").mkdir()
    machine.connect(notes)
    inner = machine.repository("notes/code")
    with machine.sender_that_lives():
        for folder in (notes, notes / "2026", machine.folder / "notes too", inner):
            assert machine.hook(*TOOL, cwd=folder) == SILENT
    assert [record.cwd for record in machine.records] == [str(notes), str(notes / "2026")]


def test_everything_means_all_but_what_was_refused(machine):
    shop, diary = machine.repository(), machine.repository("diary")
    machine.connect("", refused=(str(diary / ".git"),))
    with machine.sender_that_lives():
        for folder in (shop, diary, machine.folder):
            assert machine.hook(*TOOL, cwd=folder) == SILENT
    assert [record.cwd for record in machine.records] == [str(shop), str(machine.folder)]


def test_address_and_key_in_the_environment_connect_what_runs_there(machine, shop):
    env = {"STASH_URL": "https://stash.example.test", "STASH_KEY": "stash_x"}
    machine.hook(*TOOL, cwd=machine.folder, env=env)
    machine.hook(*TOOL, cwd=machine.folder, env={"STASH_URL": "https://stash.example.test"})
    [record] = machine.records
    assert record.headers["environment"] == "https://stash.example.test"
    assert b"stash_x" not in next(inbox.records()).read_bytes()


def test_written_in_such_an_environment_it_means_nothing_for_tomorrow(machine, shop, monkeypatch):
    before = hookscript.text()
    monkeypatch.setenv("STASH_URL", "https://stash.example.test")
    monkeypatch.setenv("STASH_KEY", "stash_x")
    assert hookscript.text() == before


@pytest.mark.parametrize("variable", PROJECT_VARIABLES)
def test_agents_whose_hooks_run_elsewhere_say_where_they_work(machine, shop, variable):
    away = machine.person / ".cursor"
    away.mkdir()
    assert machine.hook("cursor", "postToolUse", cwd=away, env={variable: str(shop)}) == Said(0, b"{}", b"")
    assert [record.headers["project_dir"] for record in machine.records] == [str(shop)]


def test_agents_that_say_it_in_the_payload_only_are_understood_too(machine, shop):
    away = machine.person / ".cursor"
    away.mkdir()
    for root in (shop, machine.folder):
        payload = json.dumps({"conversation_id": "c", "workspace_roots": [str(root)]}).encode()
        assert machine.hook("cursor", "postToolUse", cwd=away, payload=payload) == Said(0, b"{}", b"")
    assert [json.loads(record.payload)["workspace_roots"] for record in machine.records] == [[str(shop)]]


@pytest.mark.parametrize("where", ["connected", "elsewhere"])
@pytest.mark.parametrize("event", ["beforeShellExecution", "preToolUse", "stop", "aNewOne"])
def test_an_agent_that_wants_an_answer_gets_it_wherever_it_runs(machine, shop, where, event):
    cwd = shop if where == "connected" else machine.folder
    assert machine.hook("cursor", event, cwd=cwd) == Said(0, b"{}", b"")


_NAME = st.text(
    st.characters(exclude_characters="\0/", exclude_categories=("Cs",))
    | st.sampled_from("'\"`$*?[]!\\\n\r ;&|()#~=-{}"),
    min_size=1,
    max_size=12,
).filter(lambda name: name not in (".", "..") and len(name.encode()) < 200)
_NASTY = ("*", "$(touch pwned)", "'; touch pwned; '", "`touch pwned`", "[a-z]", "a\nb", "\n", "-n", "$HOME", "\\", "'")


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_no_folder_name_is_ever_run_or_taken_for_a_pattern(machine, shell):
    for name in (*_NASTY, "x", "shop"):
        (machine.folder / name).mkdir()
    machine.connect(*(machine.folder / name for name in _NASTY))
    with machine.sender_that_lives():
        for name in (*_NASTY, "x", "shop"):
            assert machine.hook(*TOOL, cwd=machine.folder / name, shell=shell) == SILENT
            assert len(machine.take_records()) == (name in _NASTY)
    assert not list(machine.folder.rglob("pwned"))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=_NAME, other=_NAME, below=st.booleans())
def test_any_folder_name_matches_itself_and_nothing_else(machine, name, other, below):
    top = machine.folder / os.urandom(8).hex()
    mine, foreign = top / "a" / name, top / "a" / other
    foreign.mkdir(parents=True)
    (mine / "below").mkdir(parents=True, exist_ok=True)
    machine.connect(mine)
    with machine.sender_that_lives():
        for shell in SHELLS[:3]:
            assert machine.hook(*TOOL, cwd=mine / "below" if below else mine, shell=shell) == SILENT
            assert len(machine.take_records()) == 1
            assert machine.hook(*TOOL, cwd=foreign, shell=shell) == SILENT
            assert len(machine.take_records()) == (foreign == mine)


def test_a_folder_name_cannot_write_headers(machine):
    folder = machine.folder / "a\n\nmemory=off\nb"
    folder.mkdir()
    machine.connect(folder)
    with machine.sender_that_lives():
        machine.hook(*TOOL, cwd=folder, payload=b"{}")
    [record] = machine.records
    assert (record.headers, record.payload) == ({"harness": "claude-code", "event": "PostToolUse"}, b"{}")


@pytest.mark.parametrize("words", [("../x", "Stop"), ("claude-code", "a/b"), ("claude-code", "a\nb"), ("$(id)", "")])
def test_names_that_are_no_names_are_nothing(machine, shop, words):
    assert machine.hook(*words, cwd=shop) == SILENT
    assert machine.records == []


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_an_agent_that_never_closes_stdin_does_not_hang(machine, shop, shell):
    process = machine.start(*TOOL, cwd=shop, shell=shell)
    process.stdin.write(b'{"half": ')
    process.stdin.flush()
    assert process.wait(timeout=60) == 0
    assert [record.payload for record in machine.records] == [b'{"half": ']
    process.communicate()


def test_a_closed_stdin_is_an_empty_payload_or_nothing(machine, shop):
    command = f'exec sh "{hookscript.path()}" claude-code Stop <&-'
    done = subprocess.run(["sh", "-c", command], cwd=shop, env=machine.environment(), capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert all(record.payload == b"" for record in machine.records)


def test_keeps_tens_of_megabytes(machine, shop):
    payload = os.urandom(1 << 20) * 48
    assert machine.hook(*TOOL, cwd=shop, payload=payload) == SILENT
    assert machine.records[0].payload == payload


def _no_room() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


@pytest.mark.parametrize("payload", [b"{}", b"x" * 100_000])
@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_a_full_disk_leaves_no_half_record(machine, shop, shell, payload):
    """Past a limit of the process that is not announced by a signal, write() fails as on a full disk."""
    more = {"preexec_fn": _no_room, "restore_signals": False}
    assert machine.hook(*TOOL, cwd=shop, payload=payload, shell=shell, **more) == SILENT
    assert [record.payload for record in machine.records] == ([payload] if len(payload) < 4000 else [])
    assert len(list(inbox.folder().iterdir())) == len(machine.records)


def _inbox_is_a_file(machine: Machine) -> None:
    inbox.folder().rmdir()
    (machine.home / "inbox").write_bytes(b"")


def _home_is_gone(machine: Machine) -> None:
    """All but the script, which the shell has read."""
    for path in (machine.home / "inbox", machine.home / "sender.pid", machine.home / "accounts.json"):
        path.rmdir() if path.is_dir() else path.unlink()
    machine.home.rename(machine.folder / "gone")
    (machine.home / "bin").mkdir(parents=True)
    os.replace(machine.folder / "gone" / "bin" / "stash-hook", machine.home / "bin" / "stash-hook")
    (machine.home / "inbox").symlink_to("/proc/1/nowhere")


@pytest.mark.parametrize("harm", [_inbox_is_a_file, _home_is_gone])
@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_whatever_is_wrong_with_the_home_the_agent_does_not_notice(machine, shop, shell, harm):
    harm(machine)
    for words in (TOOL, ("claude-code", "SessionStart"), ("claude-code", "")):
        assert machine.hook(*words, cwd=shop, shell=shell) == SILENT
    assert machine.hook("cursor", "sessionStart", cwd=shop, shell=shell) == Said(0, b"{}", b"")


def test_a_missing_inbox_is_made_again(machine, shop):
    inbox.folder().rmdir()
    assert machine.hook(*TOOL, cwd=shop) == SILENT
    assert len(machine.records) == 1
    assert inbox.folder().stat().st_mode & 0o777 == 0o700


def test_keeps_nothing_where_nobody_would_read_it(machine, monkeypatch):
    shop = machine.repository()
    monkeypatch.setattr(sys, "executable", str(machine.folder / "uninstalled" / "python"))
    machine.connect(shop / ".git")
    assert machine.hook(*TOOL, cwd=shop) == SILENT
    assert machine.hook("cursor", "sessionStart", cwd=shop) == Said(0, b"{}", b"")
    assert machine.records == []


def test_a_record_of_the_same_process_id_is_not_overwritten(machine, shop):
    """The shell that lays the first record there becomes the hook: same parent, same process id."""
    script = """
        printf 'harness=codex\\n\\nfirst' >"$1/claude-code-Stop-$PPID.0-$$"
        : >"$1/.claude-code-Stop-$PPID.1-$$"
        exec sh "$2" claude-code Stop"""
    words = ["sh", "-c", script, "sh", str(inbox.folder()), str(hookscript.path())]
    subprocess.run(words, cwd=shop, env=machine.environment(), input=b"second", check=True, timeout=60)
    assert sorted(record.payload for record in machine.records) == [b"first", b"second"]


class Starts:
    """A stand-in for Python that writes down each start; it never says that it arrived."""

    def __init__(self, machine: Machine, monkeypatch) -> None:
        self.log = machine.folder / "starts"
        python = machine.folder / "python"
        python.write_text(f'#!/bin/sh\necho "$STASH_HOME $5" >>"{self.log}"\n')
        python.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(python))

    @property
    def all(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


def wait_for(process: list[subprocess.Popen]) -> None:
    for one in process:
        assert one.wait(timeout=120) == 0


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_wakes_a_sender_unless_one_lives(machine, monkeypatch, shell):
    starts = Starts(machine, monkeypatch)
    shop = machine.repository()
    machine.connect(shop / ".git")
    with machine.sender_that_lives():
        assert machine.hook(*TOOL, cwd=shop, shell=shell) == SILENT
        assert not (machine.home / "waking").exists()
    assert machine.hook(*TOOL, cwd=shop, shell=shell) == SILENT
    assert (machine.home / "waking").exists()
    for _ in range(2):
        assert machine.hook(*TOOL, cwd=shop, shell=shell) == SILENT
    while not starts.all:
        pass
    assert starts.all == [f"{machine.home} {hookscript.waking.library()}"]


def test_four_hundred_at_once_keep_everything_and_start_one_sender(machine, monkeypatch):
    starts = Starts(machine, monkeypatch)
    shop = machine.repository()
    machine.connect(shop / ".git")
    nowhere = subprocess.DEVNULL
    processes = []
    for number in range(400):
        process = machine.start(*TOOL, cwd=shop, stdout=nowhere, stderr=nowhere)
        process.stdin.write(b"%d" % number)
        process.stdin.close()
        processes.append(process)
    wait_for(processes)
    assert sorted(int(record.payload) for record in machine.records) == list(range(400))
    assert len({record.key for record in machine.records}) == 400
    assert len(starts.all) == 1


def test_killed_at_any_moment_it_leaves_whole_records_only(machine, shop):
    chance = random.Random(7)
    done, payloads = set(), {number: b"%d:" % number + os.urandom(30_000) for number in range(120)}
    for number, payload in payloads.items():
        process = machine.start(*TOOL, cwd=shop, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.stdin.write(payload[:9000])
            process.stdin.flush()
            if chance.random() < 0.6:
                try:
                    process.wait(chance.random() * 0.006)
                except subprocess.TimeoutExpired:
                    process.kill()
            process.stdin.write(payload[9000:])
            process.stdin.close()
        except BrokenPipeError:
            pass
        if process.wait(timeout=60) == 0:
            done.add(number)
    kept = {int(record.payload.partition(b":")[0]): record.payload for record in machine.records}
    assert done <= kept.keys()
    assert all(payloads[number].startswith(payload) for number, payload in kept.items())
    assert all(kept[number] == payloads[number] for number in done)
    assert 0 < len(done) < len(payloads)


def test_write_says_the_same_for_the_same_facts_and_touches_nothing_then(machine, shop):
    before = hookscript.path().stat()
    assert hookscript.write() == hookscript.path()
    assert hookscript.path().stat() == before
    assert before.st_mode & 0o777 == 0o755
    assert hookscript.path().read_text().startswith("#!/bin/sh\n")


def test_write_mends_what_was_changed(machine, shop):
    wanted = hookscript.path().read_bytes()
    hookscript.path().write_bytes(b"#!/bin/sh\necho hello\n")
    hookscript.path().chmod(0o644)
    hookscript.write()
    assert hookscript.path().read_bytes() == wanted
    assert os.access(hookscript.path(), os.X_OK)
    assert [path.name for path in hookscript.path().parent.iterdir()] == ["stash-hook"]


def test_write_never_leaves_what_another_process_knows_better(machine, shop, monkeypatch):
    """A consent saved while this one writes is in the script when both are done."""
    late, real = machine.repository("late"), hookscript.text
    told = iter([hookscript.text() + "# as it was\n"])
    monkeypatch.setattr(hookscript, "text", lambda: next(told, None) or real())
    consent.save(consent.load().with_connection(consent.Connection("lab", str(late / ".git"))))
    hookscript.write()
    assert machine.hook(*TOOL, cwd=late) == SILENT
    assert len(machine.records) == 1


def test_signed_out_nothing_is_captured(machine, shop):
    accounts.save(accounts.Accounts())
    hookscript.write()
    assert machine.hook(*TOOL, cwd=shop) == SILENT
    assert machine.records == []


def test_the_script_decides_as_consent_does(machine):
    """For every choice of places agreed to and refused, and a folder an agent runs in."""
    shop, notes = machine.repository(), machine.folder / "notes"
    (notes / "a").mkdir(parents=True)
    inner = machine.repository("notes/inner")
    places = [str(shop / ".git"), str(notes), str(notes / "a"), str(inner / ".git"), ""]
    with machine.sender_that_lives():
        for place in places:
            for refused in ((), (str(shop / ".git"),), (str(notes),), (str(notes / "a"),)):
                machine.connect(place, refused=tuple(one for one in refused if one != place))
                for folder in (shop, notes, notes / "a", inner, machine.folder):
                    machine.hook(*TOOL, cwd=folder)
                    agreed = consent.load().for_checkout(checkout_of(str(folder), "m1")) is not None
                    assert bool(machine.take_records()) == agreed, (place, refused, folder)


def test_a_repository_connected_where_there_was_no_git_to_ask_is_kept(machine):
    """Then its folder was agreed to; whoever reads the record asks git again."""
    shop = machine.repository()
    machine.connect(shop)
    with machine.sender_that_lives():
        machine.hook(*TOOL, cwd=shop)
    assert len(machine.records) == 1
