"""A laptop that has never heard of Stash: a home with agents, their old sessions, and a repository with a remote."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.client.laptop import Terminal

SAMPLES = Path(__file__).resolve().parents[1] / "harness_samples"
THEIRS = "/home/mika/projects/orchard-api"
LIVE = "7c1f6f0e-3f5e-4a53-9d3c-2f1f3c0b9a11"
_OLD_SESSIONS = {
    "claude-code": "e4bbcf61-f6fb-4587-adc0-dea7d4307be9",
    "codex": "019ab2f4-7c10-7d31-9e55-3b2f60c7a911",
    "gemini-cli": "47e6d9f6-54b3-43ee-ad61-72e519a94d39",
    "copilot-cli": "aa5feab3-2c2d-41ff-ab56-eda8dfeb77ef",
    "droid": "27d9a3ab-9a50-4592-afbf-e2df07cb8020",
}
_PLACES = {
    "claude-code": ".claude/projects/-src-shop/{id}.jsonl",
    "codex": ".codex/sessions/2026/11/24/rollout-2026-11-24T09-15-00-{id}.jsonl",
    "gemini-cli": ".gemini/tmp/shop/chats/session-2026-11-24T09-15-{id}.jsonl",
    "copilot-cli": ".copilot/session-state/{id}/events.jsonl",
    "droid": ".factory/sessions/-src-shop/{id}.jsonl",
}


@dataclass(frozen=True, slots=True)
class Newcomer:
    """``home`` knows the usual programs and nothing of this checkout's packages."""

    home: Path
    _terminals: list[Terminal] = field(default_factory=list)

    @property
    def repository(self) -> Path:
        return self.home / "src" / "shop"

    @property
    def settings(self) -> Path:
        return self.home / ".config" / "stash"

    @property
    def history(self) -> dict[str, str]:
        """Native id of the old session of each agent."""
        return dict(_OLD_SESSIONS)

    def move_in(self) -> None:
        subprocess.run(["git", "init", "-q", "-b", "main", self.repository], check=True)
        remote = "git@git.example.test:acme/shop.git"
        subprocess.run(["git", "-C", self.repository, "remote", "add", "origin", remote], check=True)
        for harness, place in _PLACES.items():
            file = self.home / place.format(id=_OLD_SESSIONS[harness])
            file.parent.mkdir(parents=True, exist_ok=True)
            sample = SAMPLES / harness / "transcript.jsonl"
            file.write_text(sample.read_text().replace(THEIRS, str(self.repository)))
        (self.home / ".claude" / "settings.json").write_text('{\n  // mine\n  "model": "opus"\n}\n')

    def install(self, url: str) -> str:
        """The server's own line, in a shell; what it said."""
        line = f'sh -c "$(curl -fsSL {url}/install)"'
        done = subprocess.run(["sh", "-c", line], env=self.environ, capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def stash(self, *words: str) -> Terminal:
        """On a terminal, in the repository."""
        command = [str(self.home / ".local/bin/stash"), *words]
        self._terminals.append(Terminal(command, cwd=self.repository, env={**self.environ, "TERM": "dumb"}))
        return self._terminals[-1]

    def claude(self, name: str, **changes: Any) -> str:
        """Claude Code calls what its settings name for this event; what it is answered.

        ``name``: of a sample payload; ``changes``: what is different about it.
        """
        payload = json.loads(
            (SAMPLES / "claude-code" / f"{name}.json").read_text().replace(THEIRS, str(self.repository))
        )
        payload |= {"session_id": LIVE, "transcript_path": str(self.home / "not-there.jsonl"), **changes}
        said = ""
        for command in self._wired(payload["hook_event_name"], payload.get("tool_name", "")):
            done = subprocess.run(
                command, shell=True, input=json.dumps(payload), cwd=self.repository, env=self.environ,
                capture_output=True, text=True, timeout=30, check=True,
            )  # fmt: skip
            assert done.stderr == ""
            said += done.stdout
        return said

    def _wired(self, event: str, tool: str) -> list[str]:
        whole = (self.home / ".claude" / "settings.json").read_text()
        hooks = json.loads("\n".join(line for line in whole.splitlines() if not line.strip().startswith("//")))["hooks"]
        entries = [entry for entry in hooks[event] if entry.get("matcher", "*") in ("", "*", tool)]
        return [hook["command"] for entry in entries for hook in entry["hooks"]]

    @property
    def environ(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "PATH": f"{self.home}/.local/bin:{_tools(self.home)}",
            "STASH_PYTHON": sys.executable,
            "STASH_INSTALL_WITH": "venv",
            "GIT_CONFIG_NOSYSTEM": "1",
            "LANG": "C.UTF-8",
            "no_proxy": "*",
        }

    def leave(self) -> None:
        """What runs on terminals and in the background ends with the test."""
        for terminal in self._terminals:
            terminal.kill()
        with suppress(OSError, ValueError):
            os.kill(int((self.settings / "sender.pid").read_text()), signal.SIGKILL)


def _tools(home: Path) -> str:
    """A folder of git beside the system's own, wherever this machine keeps git."""
    git = shutil.which("git")
    return os.pathsep.join(dict.fromkeys(["/usr/bin", "/bin", str(Path(git).parent) if git else "/usr/bin"]))
