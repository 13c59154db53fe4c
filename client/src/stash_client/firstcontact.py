"""Whether an event of this machine really arrives: one is sent the way of every other, and looked for on the server."""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass

from stash_client import api, inbox, recent, sender, service
from stash_client.accounts import Account
from stash_client.emitting import Emitter
from stash_client.events import JSON
from stash_client.harnesses.emitted import MARK
from stash_client.outbox import Outbox
from stash_client.sender import state

_PATIENCE = 20.0
_POLL = 0.3


@dataclass(frozen=True)
class Contact:
    """``session``, ``url``: where the event is now, on the server; ``trouble``: why it is not, in words."""

    session: str = ""
    url: str = ""
    trouble: str = ""


def make(account: Account, folder: str, *, seconds: float = _PATIENCE) -> Contact:
    """Send a note from ``folder``, in a session of its own that only its person sees, and wait until it is there."""
    if obstacle := Emitter().obstacle(folder):
        return Contact(trouble=f"{obstacle}.")
    native_id = f"first-contact-{uuid.uuid4().hex[:12]}"
    try:
        recent.make_private(recent.OURS, native_id)
        text = f"Stash works on {account.machine_name}."
        about: dict[str, JSON] = {
            "session": native_id,
            "event": "note",
            "title": "First contact",
            "name": "first-contact",
            "text": text,
        }
        _put(about, folder)
        _put({"session": native_id, "event": "session_end", "reason": "completed"}, folder)
    except OSError as fault:
        return Contact(trouble=f"This machine cannot keep an event: {fault}.")
    return _arrived(account, native_id, time.monotonic() + seconds)


def _put(told: dict[str, JSON], folder: str) -> None:
    """Nobody is woken: this process sends it."""
    whole = {MARK: 1, "n": time.time_ns(), "cwd": folder, **told}
    inbox.put({"harness": recent.OURS, "cwd": folder}, json.dumps(whole).encode())


def _arrived(account: Account, native_id: str, until: float) -> Contact:
    while True:
        sender.drain(seconds=max(1.0, until - time.monotonic()))
        here = next((one for one in recent.all_recent() if one.native_id == native_id), None)
        if here is not None and here.session:
            return Contact(here.session, here.url) if _is_there(account, here.session) else Contact(trouble=_LOST)
        if time.monotonic() >= until:
            return Contact(trouble=_why(account))
        time.sleep(_POLL)


_LOST = "The server took the event and does not show it. An operator can look at its log."


def _is_there(account: Account, session: str) -> bool:
    """A key that only captures cannot look; then the server's answer to the sender has to do."""
    try:
        return service.session_exists(account, session)
    except api.Refused as refusal:
        return refusal.status == 403
    except api.Unreachable:
        return False


def _why(account: Account) -> str:
    """What keeps events here, as the sender told it."""
    box = Outbox().boxes.get(account.label)
    told = state.read(box.folder) if box else state.State()
    if told.paused:
        return f"The server takes no events with this key: {told.detail or told.paused}."
    if told.error:
        return f"The event waits on this machine, because sending fails: {told.error}."
    return "The event waits on this machine and no answer has come yet. stash status shows what waits."
