"""Stories that went wrong elsewhere: a server that is off and comes back somewhere else, an answer that gets lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stash_client import home, sender, waking
from stash_client.ids import hook_uid
from tests.client.conftest import connect, sign_in
from tests.client.hooking import SILENT, Machine
from tests.client.records import put_raw
from tests.client.sender.waiting import eventually
from tests.client.stash_like import problem, stash_like

CASES = Path(__file__).parents[2] / "cases"
LIBRARY = Path(__file__).parents[3] / "client" / "src"


@pytest.fixture
def machine(tmp_path, monkeypatch):
    monkeypatch.setenv("STASH_HOME", str(tmp_path / "home"))
    made = Machine(tmp_path)
    made.sign_in("http://127.0.0.1:9")
    made.connect("")
    yield made
    made.stop_sender()


def kill_sender() -> None:
    """The one that hooks started; it may still be starting."""
    eventually(waking.alive)
    pid = waking.told_pid()
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: not waking.alive())


def drain_and_die(after_requests: int) -> None:
    """A drain that is killed when the server has been asked so many times, before it hears the answer."""
    script = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from stash_client import api, sender
left, post = int(sys.argv[2]), api.post
def post_and_die(*words, **facts):
    global left
    answer = post(*words, **facts)
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return answer
api.post = post_and_die
sender.drain()
"""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script, str(LIBRARY), str(after_requests)])
    assert done.returncode == -signal.SIGKILL


def test_events_fired_while_the_server_is_down_arrive_at_its_next_address(machine):
    lines = (CASES / "H03.offline-events.jsonl").read_bytes().splitlines()
    for line in lines:
        event = json.loads(line)["hook_event_name"]
        assert machine.hook("claude-code", event, cwd=machine.folder, payload=line) == SILENT
    kill_sender()
    kept = b"".join(path.read_bytes() for path in home.folder().rglob("*.frames"))
    assert b"stash_key" not in kept
    with stash_like() as server:
        sign_in(server.url, key="stash_rotated")
        drain_and_die(0)
        last = json.dumps({**json.loads(lines[1]), "prompt": "back online"}).encode()
        assert machine.hook("claude-code", "UserPromptSubmit", cwd=machine.folder, payload=last) == SILENT
        assert sender.flush(60).nothing
        kinds = [event["kind"] for event in server.stored]
        assert kinds == ["session_start", "prompt", "tool_call", "prompt", "reply", "turn_end", "prompt"]
        assert server.texts[-1] == "back online"
        times = [event["occurred_at"] for event in server.stored]
        assert times == sorted(times)
        assert set(server.keys) == {"Bearer stash_rotated"}


def test_an_answer_that_gets_lost_makes_no_second_event(stash_home, tmp_path):
    story = json.loads((CASES / "H04.lost-response.json").read_text())
    payload = next(step["hook"] for step in story["do"] if "hook" in step)
    with stash_like() as server:
        sign_in(server.url)
        connect(Path("."))
        record = put_raw(json.dumps(payload).encode(), event="PostToolUse")
        key = f"{record.name}@{record.stat().st_mtime_ns}"
        server.mode = "cut"
        sender.drain()
        sender.drain()
        server.mode = "up"
        assert sender.flush(30).nothing
        assert [event["uid"] for event in server.stored] == [hook_uid("m1", key, 0)]
        assert server.duplicates == 2

        changed = {**server.stored[0], "output": "another word"}
        server.reject = lambda event: problem("uid_conflict", 409) if event == changed else None
        assert server.keep({**server.bodies[0], "events": [changed]})["rejected"]
        assert len(server.stored) == 1


def test_twenty_hooks_at_once_and_senders_that_die_lose_and_double_nothing(machine):
    """The small version of the storm."""
    with stash_like() as server:
        machine.sign_in(server.url)
        machine.connect("")
        for round_ in range(6):
            hooks = []
            for number in range(20):
                payload = {"hook_event_name": "UserPromptSubmit", "session_id": f"s-{number}", "prompt": f"{round_}"}
                one = machine.start("claude-code", "UserPromptSubmit", cwd=machine.folder)
                one.stdin.write(json.dumps(payload).encode())
                one.stdin.close()
                hooks.append(one)
            if round_ % 2 and (pid := waking.told_pid()) and waking.alive():
                os.kill(pid, signal.SIGKILL)
            for one in hooks:
                assert one.wait(60) == 0
                one.stdout.close()
                one.stderr.close()
        assert sender.flush(60).nothing
        told = sorted(
            (session["native_id"], event["text"]) for session, event in zip(server.sessions, server.stored, strict=True)
        )
        assert told == sorted((f"s-{number}", f"{round_}") for number in range(20) for round_ in range(6))
