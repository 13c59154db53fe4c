"""What is wrong on a machine is found, explained and, where that is safe, mended."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from stash_client import hookscript, inbox
from stash_client.doctor.server import older
from stash_client.history.finding import Found
from stash_client.history.ledger import Ledger
from tests.client.laptop import Laptop

NOWHERE = {"label": "lab", "url": "http://127.0.0.1:9", "key": "stash_FAKEfakeFAKEfake"}
_ME = {
    "user": {"id": "1", "username": "dana", "name": "Dana"}, "team": {"id": "1", "slug": "harbour", "name": "Harbour"},
    "role": "member", "scopes": ["capture"], "key": None, "machine": None,
}  # fmt: skip


class Answering(BaseHTTPRequestHandler):
    """``server.answers``: path -> (status, body)."""

    def do_GET(self) -> None:
        status, said = self.server.answers.get(self.path.partition("?")[0], (404, {}))
        data = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as running:
        running.answers = {
            "/api/v1/me": (200, _ME),
            "/api/v1/client-config": (200, {"minimum_version": "0.0.1", "latest_version": "0.0.1"}),
            "/healthz": (200, {}),
        }
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def healthy(laptop, server) -> Laptop:
    """Signed in, connected, wired; ``stash`` is on the path."""
    laptop.signed_in({**NOWHERE, "url": f"http://127.0.0.1:{server.server_port}"})
    laptop.connected({"server": "lab", "name": "shop", "slug": "shop"})
    programs = laptop.folder / "programs"
    programs.mkdir()
    (programs / "stash").write_text("#!/bin/sh\necho unknown\n")
    (programs / "stash").chmod(0o755)
    laptop.extra["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
    os.chmod(laptop.home, 0o700)
    os.chmod(laptop.home / "accounts.json", 0o600)
    write_script(laptop)
    return laptop


def write_script(laptop: Laptop) -> None:
    """As everything that changes consent does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STASH_HOME", str(laptop.home))
        hookscript.write()


def found(laptop: Laptop, *words: str) -> dict[str, dict]:
    """code -> finding."""
    _, out, err = laptop.run("doctor", *words, "--json")
    assert out, err
    return {finding["code"]: finding for finding in json.loads(out)["findings"]}


def test_nothing_is_wrong_on_a_healthy_machine(healthy):
    assert healthy.run("doctor") == (0, "Nothing is wrong.\n", "")


def test_before_sign_in(laptop):
    code, said, _ = laptop.run("doctor")
    assert (code, "stash signin URL" in said) == (1, True)


# ---- servers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer, code",
    [
        ((503, {}), "server_unreachable"),
        ((401, {"detail": "This key is unknown.", "type": "urn:stash:problem:x"}), "signed_out"),
        ((403, {"detail": "No.", "type": "urn:stash:problem:x"}), "server_refuses"),
        ((404, b"<html>"), "not_a_server"),
        ((200, b"<html>"), "not_a_server"),
    ],
)
def test_a_server_that_does_not_answer_as_ours(healthy, server, answer, code):
    server.answers["/api/v1/me"] = answer
    [finding] = found(healthy).values()
    assert (finding["code"], bool(finding["evidence"]), bool(finding["fix"])) == (code, True, True)
    assert healthy.run("doctor")[0] == 1


def test_a_server_that_is_not_there(healthy):
    healthy.signed_in(NOWHERE)
    assert "nothing is lost" in found(healthy)["server_unreachable"]["what"]


@pytest.mark.parametrize(
    "config, code, exit_code",
    [
        ({"minimum_version": "99.0"}, "version_skew", 1),
        ({"minimum_version": "0.0.1", "latest_version": "99.0"}, "upgrade", 0),
    ],
)
def test_version_skew(healthy, server, config, code, exit_code):
    server.answers["/api/v1/client-config"] = (200, config)
    assert found(healthy)[code]["fix"] == "stash upgrade"
    assert healthy.run("doctor")[0] == exit_code


@pytest.mark.parametrize(
    "one, other, is_older",
    [("0.1.0", "0.2", True), ("0.10.0", "0.9", False), ("1.0", "1.0", False), ("", "1", False), ("1", "", False)],
)
def test_older(one, other, is_older):
    assert older(one, other) is is_older


# ---- the machine -------------------------------------------------------------------------------------------------


def test_what_is_open_to_others_is_closed(healthy):
    key = healthy.home / "accounts.json"
    key.chmod(0o644)
    assert str(key) in found(healthy)["too_open"]["evidence"]
    assert found(healthy, "--fix")["too_open"]["fixed"]
    assert key.stat().st_mode & 0o777 == 0o600
    assert found(healthy) == {}


def test_what_stash_makes_is_closed_from_the_start(healthy):
    told = b'{"session": "run-1", "event": "prompt", "text": "hello"}\n'
    assert healthy.run("emit", "--harness", "my-agent", payload=told)[0] == 0
    healthy.run("preview")
    assert (healthy.home / "outbox").is_dir()
    assert (healthy.home / "sender.lock").exists()
    assert "too_open" not in found(healthy)


def test_a_home_that_cannot_be_written(healthy):
    shutil.rmtree(healthy.home)
    healthy.home.write_text("a file")
    code, said, err = healthy.run("doctor")
    assert (code, "cannot keep anything" in said, "Traceback" in err) == (1, True, False)


@pytest.mark.parametrize(
    "harm", [lambda path: path.unlink(), lambda path: path.chmod(0o600), lambda path: path.write_text("")]
)
def test_the_script_agents_call_is_written_anew(healthy, harm):
    script = healthy.home / "bin" / "stash-hook"
    before = script.read_bytes()
    harm(script)
    assert "hook_stale" in found(healthy)
    assert found(healthy, "--fix")["hook_stale"]["fixed"]
    assert script.read_bytes() == before
    assert os.access(script, os.X_OK)


def test_another_version_first_on_the_path(healthy):
    (healthy.folder / "programs" / "stash").write_text("#!/bin/sh\necho 0.0.7\n")
    assert "0.0.7" in found(healthy)["two_versions"]["evidence"]


def test_no_stash_on_the_path(healthy):
    (healthy.folder / "programs" / "stash").unlink()
    if shutil.which("stash", path=os.environ["PATH"]) is None:
        assert found(healthy)["not_on_path"]["weight"] == "note"


def test_the_last_fault_is_shown_and_put_away(healthy):
    (healthy.home / "fault.txt").write_text("Traceback\nOSError: disk full")
    assert found(healthy)["fault"]["evidence"] == "OSError: disk full"
    found(healthy, "--fix")
    assert found(healthy) == {}


# ---- agents ------------------------------------------------------------------------------------------------------


def test_an_agent_that_is_not_wired(healthy):
    (healthy.user_home / ".claude").mkdir()
    assert found(healthy)["not_wired"]["fix"] == "stash hooks install claude-code"
    healthy.run("hooks", "install", "claude-code", "--yes")
    assert found(healthy) == {}


def test_hooks_that_codex_was_not_told_to_trust(healthy):
    (healthy.user_home / ".codex").mkdir()
    healthy.run("hooks", "install", "codex", "--yes")
    assert "/hooks" in found(healthy)["untrusted_hooks"]["fix"]


def test_hooks_registered_twice_are_wired_once(healthy):
    settings = healthy.user_home / ".claude" / "settings.json"
    settings.parent.mkdir()
    healthy.run("hooks", "install", "claude-code", "--yes")
    once = json.loads(settings.read_text())
    twice = {"hooks": {event: [*calls, *calls] for event, calls in once["hooks"].items()}}
    settings.write_text(json.dumps(twice, indent=2))
    assert "double_hooks" in found(healthy)
    assert found(healthy, "--fix")["double_hooks"]["fixed"]
    assert "double_hooks" not in found(healthy)


def test_settings_that_call_a_script_that_is_gone(healthy):
    settings = healthy.user_home / ".claude" / "settings.json"
    settings.parent.mkdir()
    call = {"type": "command", "command": "/old/place/stash-hook claude-code Stop"}
    settings.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [call]}]}}))
    assert found(healthy)["hook_gone"]["evidence"] == "/old/place/stash-hook"
    found(healthy, "--fix")
    assert "/old/place" not in settings.read_text()
    assert found(healthy) == {}


# ---- capture -----------------------------------------------------------------------------------------------------


def test_a_malformed_capture_policy(healthy):
    (healthy.repository / ".stash.toml").write_text("[capture]\nprompts = 'no'\n")
    assert "malformed" in found(healthy)["capture_policy"]["evidence"]


@pytest.mark.parametrize("code", ["other_server", "other_project"])
def test_a_marker_that_names_another_place_than_agreed(healthy, server, code):
    url = f"http://127.0.0.1:{server.server_port}" if code == "other_project" else "https://evil.example.test"
    healthy.connected({"server": "lab", "slug": "shop", "project": "p-1"})
    write_script(healthy)
    (healthy.repository / ".stash.toml").write_text(f'[stash]\nserver = "{url}"\nproject = "p-2"\n')
    assert list(found(healthy)) == [code]


def test_a_connection_without_its_server(healthy):
    healthy.connected({"server": "gone"})
    assert found(healthy)["no_account"]["evidence"] == "gone"


def test_a_pause_is_told(healthy):
    healthy.run("pause")
    assert found(healthy)["paused"]["fix"] == "stash resume"


def test_sessions_that_ran_here_and_never_came(healthy):
    folder = healthy.user_home / ".claude" / "projects" / "-shop"
    folder.mkdir(parents=True)
    healthy.run("hooks", "install", "claude-code", "--yes")
    for name, cwd in (("0a1b2c3d", healthy.repository), ("ffff0000", healthy.folder)):
        record = {"type": "user", "uuid": "u", "sessionId": name, "cwd": str(cwd), "timestamp": "2026-11-30T15:00:00Z",
                  "message": {"role": "user", "content": "hi"}}  # fmt: skip
        (folder / f"{name}.jsonl").write_text(json.dumps(record) + "\n")
        os.utime(folder / f"{name}.jsonl", (time.time() - 3600,) * 2)
    finding = found(healthy)["never_captured"]
    assert "1 session ran here" in finding["what"]
    assert "0a1b2c3d" in finding["evidence"]
    come = [{"harness": "claude-code", "native_id": "0a1b2c3d"}]
    (healthy.home / "recent.json").write_text(json.dumps(come))
    assert found(healthy) == {}


def test_sessions_that_an_import_brought_are_not_missing(healthy):
    folder = healthy.user_home / ".claude" / "projects" / "-shop"
    folder.mkdir(parents=True)
    file = folder / "0a1b2c3d.jsonl"
    record = {"type": "user", "uuid": "u", "sessionId": "0a1b2c3d", "cwd": str(healthy.repository),
              "timestamp": "2026-11-30T15:00:00Z", "message": {"role": "user", "content": "hi"}}  # fmt: skip
    file.write_text(json.dumps(record) + "\n")
    os.utime(file, (time.time() - 3600,) * 2)
    assert "never_captured" in found(healthy)
    facts = file.stat()
    Ledger(healthy.home / "imported.jsonl").finished(
        Found("claude-code", 0, str(file), facts.st_size, facts.st_mtime_ns), [str(healthy.repository / ".git")]
    )
    assert "never_captured" not in found(healthy)


# ---- the spool ---------------------------------------------------------------------------------------------------


def keep(laptop: Laptop, at: float) -> None:
    told = {"stash": 1, "n": 1, "session": "run-1", "event": "prompt", "text": "x", "cwd": str(laptop.repository)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STASH_HOME", str(laptop.home))
        path = inbox.put({"harness": "my-agent", "cwd": str(laptop.repository)}, json.dumps(told).encode())
    os.utime(path, (at, at))


def test_what_no_sender_works_on_is_sent(healthy):
    keep(healthy, time.time() - 600)
    assert found(healthy)["no_sender"]["evidence"].startswith("1 wait for 10 min")
    assert found(healthy, "--fix")["no_sender"]["fixed"]
    assert "no_sender" not in found(healthy)


def test_a_backlog_is_explained(healthy):
    healthy.signed_in(NOWHERE)
    keep(healthy, time.time() - 7200)
    healthy.run("send")
    finding = found(healthy)["backlog"]
    assert "1 events wait, the oldest for 2 h; " in finding["evidence"]
