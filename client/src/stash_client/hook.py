"""The slow half of the hook: what ``stash-hook.sh`` cannot decide or answer, and on Windows all of it.

Whatever happens, the status is 0 and stdout has exactly what the agent expects; faults are kept in a file. Imports
stand where they are needed: a session waits for this.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, TypeVar

from stash_client import inbox

if TYPE_CHECKING:
    from stash_client.harnesses import Harness
    from stash_client.inbox import Record
    from stash_client.outbox import Frame

PROJECT_VARIABLES = (
    "CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "GEMINI_PROJECT_DIR", "DEVIN_PROJECT_DIR", "FACTORY_PROJECT_DIR",
    "QWEN_PROJECT_DIR",
)  # fmt: skip
"""Where agents say which folder they work in, whatever the hook's own folder is."""
STDIN_SECONDS = 2.0
ANSWER_SECONDS = 1.5
"""For all a session's start waits for: sending what is unsent here, and the briefing."""
FLUSH_SECONDS = 8.0
"""At the end of a session in an environment that is thrown away; agents are told to wait ten."""
_MOST_CHANGED = 200
_REMEMBERED_SECONDS = 7 * 24 * 3600
_NO_SESSION = frozenset({"unknown", "unreadable"})
_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Call:
    """``folder``: where the hook ran. ``told``: the payload, {} where it is no JSON object."""

    harness: str
    event: str
    folder: str
    payload: bytes
    told: Mapping[str, Any]


@dataclass(frozen=True)
class Briefing:
    """``id``: as the server calls it. ``harness``, ``session``: of the one that is briefed, whoever's hook it ran."""

    id: str
    text: str
    harness: str
    session: str
    cwd: str


def main() -> None:
    """``stash-hook HARNESS [EVENT [FOLDER]]``, payload on stdin."""
    harness, event, folder = (*sys.argv[1:4], "", "", "")[:3]
    briefing = None
    try:
        call = _call(harness, event, folder or os.getcwd())
        event = call.event
        briefing = _handled(call)
    except Exception:
        _note_fault()
    _print_answer(harness, event, briefing)
    if briefing:
        try:
            _report(briefing)
        except Exception:
            _note_fault()


def _note_fault() -> None:
    import traceback

    inbox.note_fault(traceback.format_exc())


def _call(harness: str, event: str, folder: str) -> Call:
    payload = _stdin()
    told = _read(payload)
    return Call(harness, event or _named(told), folder, payload, told if isinstance(told, dict) else {})


def _read(payload: bytes) -> Any:
    """None where it is no JSON. What agents write nearly so is understood as the sender will."""
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        from stash_client.harnesses.reading import Empty, Unreadable, decode
    try:
        return decode(payload)
    except (Empty, Unreadable):
        return None


def _named(told: Any) -> str:
    if not isinstance(told, dict):
        return ""
    names = (told.get(key) for key in ("hook_event_name", "hookEventName", "hookName"))
    return next((name for name in names if isinstance(name, str)), "")


def _stdin() -> bytes:
    """What comes within two seconds: some agents never close it."""
    pieces: list[bytes] = []

    def read() -> None:
        left = inbox.MOST_BYTES
        while left and (piece := os.read(0, min(left, 1 << 20))):
            pieces.append(piece)
            left -= len(piece)

    _within(STDIN_SECONDS, read)
    return b"".join(list(pieces))


def _within(seconds: float, work: Callable[[], _Made]) -> Optional[_Made]:
    """What ``work`` returns; None when it fails or takes longer. Looking up a host's name cannot be told to hurry."""
    found: list[_Made] = []

    def run() -> None:
        try:
            found.append(work())
        except Exception:
            _note_fault()

    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    worker.join(seconds)
    return found[0] if found else None


def _handled(call: Call) -> Optional[Briefing]:
    """Keep the payload if its person agreed to that here; the briefing if this event asks for one."""
    from stash_client import consent, pausing, waking
    from stash_client.checkout import place_of

    consents = consent.load()
    if pausing.is_paused() or not consents.connections:
        return None
    folder = next((f for f in _folders(call) if consents.for_checkout(place_of(f))), None)
    if folder is None:
        return None
    record = inbox.read(inbox.put(_headers(call), call.payload))
    waking.heal()
    if os.environ.get("STASH_MEMORY") != "off" and _injects(call):
        inbox.tidy()
        if briefing := _within(ANSWER_SECONDS, lambda: _briefing(record, folder, call.told.get("source"))):
            return briefing
    elif _is_last_chance(call):
        _within(FLUSH_SECONDS, _flush)
    waking.wake()
    return None


def _injects(call: Call) -> bool:
    harness = _harness(call.harness)
    return call.event in harness.injects and harness.begins(call.told)


def _harness(name: str) -> Harness:
    from stash_client.harnesses import harness_named

    return harness_named(name)


def _folders(call: Call) -> list[str]:
    """Where the agent may be at work, as ``capture`` looks at it too: as the payload says, a variable, the hook."""
    from stash_client.harnesses.base import first

    told = first(call.told, "cwd")
    said = told if isinstance(told, list) else [told]
    return [folder for folder in (*said, _project_dir(), call.folder) if isinstance(folder, str) and folder]


def _project_dir() -> str:
    return next(filter(None, map(os.environ.get, PROJECT_VARIABLES)), "")


def _headers(call: Call) -> dict[str, str]:
    """As ``header`` in the script."""
    return {
        "harness": call.harness,
        "event": call.event,
        "cwd": call.folder,
        "project_dir": _project_dir(),
        "memory": os.environ.get("STASH_MEMORY", ""),
        "entrypoint": os.environ.get("CLAUDE_CODE_ENTRYPOINT", ""),
    }


def _is_last_chance(call: Call) -> bool:
    from stash_client import accounts
    from stash_client.hookscript import ends

    return accounts.from_environment() is not None and ends(_harness(call.harness), call.event)


def _flush() -> None:
    from stash_client import sender

    sender.flush(FLUSH_SECONDS)


def _briefing(record: Record, folder: str, source: Any) -> Optional[Briefing]:
    """Asked of the server the session goes to, after what was unsent here; None when there is nothing to tell."""
    from stash_client import accounts, api, sender
    from stash_client.capture import Capture

    frames = Capture().captured(record).frames
    frame = next(iter(frames), None)
    account = accounts.load().named(frame.server) if frame else None
    if frame is None or account is None or frame.session["native_id"] in _NO_SESSION:
        return None
    if not any(frame.kind == "session_start" for frame in frames) and _asked_before(*frame.key):
        return None
    sender.drain_place(frame.place, ANSWER_SECONDS / 2)
    question = {
        "session": dict(frame.session),
        "checkout": frame.session.get("checkout"),
        "branch": frame.session.get("branch"),
        "changed_files": _changed(folder, frame),
        "source": source if isinstance(source, str) else None,
        "interactive": frame.session.get("interactive"),
    }
    try:
        said = api.post(f"{account.url}/api/v1/briefings", question, key=account.key, seconds=ANSWER_SECONDS)
    except (api.Unreachable, api.Refused):
        return None
    text = said.get("text")
    if not isinstance(text, str) or not text.strip():
        return None
    return Briefing(str(said.get("id", "")), text, *frame.key, folder)


def _asked_before(harness: str, native_id: str) -> bool:
    """Some agents take context with every turn only: the first one is the session's start."""
    from stash_client import home, recent

    folder = home.made("asked")
    for entry in list(os.scandir(folder)):
        if abs(time.time() - entry.stat().st_mtime) > _REMEMBERED_SECONDS:
            os.unlink(entry.path)
    try:
        os.close(os.open(folder / recent.key_of(harness, native_id), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return True
    return False


def _changed(folder: str, frame: Frame) -> list[str]:
    """Files that differ from the last commit, relative to the checkout; names leave the machine as in any event."""
    from stash_client import client_config
    from stash_client.checkout import git
    from stash_client.events import ToolCall
    from stash_client.privacy import Policy, scrub
    from stash_client.privacy.policy import IGNORED

    said = git(folder, "diff", "--name-only", "-z", "HEAD")
    names = ToolCall(name="changed", paths=tuple((said or "").split("\0")[:-1][:_MOST_CHANGED]))
    policy, patterns = Policy.from_mapping(frame.session.get("policy")), client_config.stored(frame.server).patterns
    return [name for name in scrub(names, patterns=patterns, policy=policy).value.paths if name != IGNORED]


def _print_answer(harness: str, event: str, briefing: Optional[Briefing]) -> None:
    try:
        from stash_client.harnesses import hook_answer

        said = hook_answer(harness, event, briefing.text if briefing else None)
        while said:
            said = said[os.write(1, said) :]
    except Exception:
        _note_fault()


def _report(briefing: Briefing) -> None:
    """That the session was told, as an event of its own: only now may it be given somebody's unfinished work."""
    from stash_client import waking

    event = {
        "stash": 1, "event": "briefing_shown", "session": briefing.session, "cwd": briefing.cwd,
        "briefing_id": briefing.id or None,
    }  # fmt: skip
    headers = {"harness": briefing.harness, "event": "briefing_shown", "cwd": briefing.cwd}
    inbox.put(headers, json.dumps(event).encode())
    waking.wake()
