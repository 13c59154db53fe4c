"""Capture what an agent of your own does::

    with stash_client.session("my-agent", title="Nightly triage") as s:
        s.prompt("Which tests are flaky?")
        s.tool("shell", {"command": "pytest -q"}, output="1 failed", ok=False)
        s.reply("Two of them.")

It goes the way of an agent's hooks: kept on this machine, cleaned of secrets, sent when the server can be reached.
Nothing here waits for a network or raises into the agent; where nothing may be captured a warning says so once.
"""

from __future__ import annotations

import os
import uuid
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from stash_client.emitting import Emitter, folder_of


class Captured:
    """A session that is running; made by ``session``. ``id`` names it for every later process that adds to it."""

    def __init__(self, harness: str, fields: Mapping[str, Any], folder: str) -> None:
        self.harness, self.id = harness, str(fields["session"])
        self._fields, self._folder = dict(fields), folder
        self._emitter: Optional[Emitter] = Emitter()
        obstacle = self._emitter.obstacle(folder)
        if obstacle:
            self._emitter = None
            _warn_once(f"{obstacle}: {folder}")

    @property
    def captures(self) -> bool:
        """Whether what is told is kept."""
        return self._emitter is not None

    def __enter__(self) -> Captured:
        self.tell("session_start", source="startup")
        return self

    def __exit__(self, kind: Optional[type[BaseException]], *_: object) -> None:
        if kind is not None:
            stopped = issubclass(kind, (KeyboardInterrupt, SystemExit))
            self.tell("turn_end", reason="interrupted" if stopped else "error", text=kind.__name__)
        self.end(reason="error" if kind else "completed")

    def prompt(self, text: str, *, attachments: Sequence[str] = ()) -> None:
        """What a person typed; what a program wrote is a ``note``."""
        self.tell("prompt", text=text, attachments=list(attachments))

    def reply(
        self,
        text: str,
        *,
        model: Optional[str] = None,
        usage: Optional[Mapping[str, int]] = None,
        ends_turn: bool = True,
    ) -> None:
        """``usage``: tokens: ``input``, ``output``, ``cache_read``, ``cache_write``. ``ends_turn``: it is done now."""
        self.tell("reply", text=text, model=model, usage=dict(usage) if usage else None)
        if ends_turn:
            self.tell("turn_end", reason="completed")

    def tool(
        self,
        name: str,
        input: Any = None,
        *,
        output: Optional[str] = None,
        ok: Optional[bool] = None,
        exit_code: Optional[int] = None,
        duration_ms: Optional[int] = None,
        family: Optional[str] = None,
        paths: Sequence[str] = (),
        diff: Optional[str] = None,
    ) -> None:
        """A finished call. ``family``: shell, edit, read, search, web, agent, mcp, other; guessed from common names."""
        self.tell("tool_call", name=name, input=input, output=output, ok=ok, exit_code=exit_code,
                  duration_ms=duration_ms, family=family, paths=list(paths), diff=diff)  # fmt: skip

    def note(self, text: str, *, name: str = "note") -> None:
        self.tell("note", name=name, text=text)

    def thinking(self, text: str) -> None:
        self.tell("thinking", text=text)

    def running(self, what: str) -> None:
        """What it is doing now; shown to watchers, never stored."""
        self.tell("activity", text=what)

    def needs_you(self, text: str, *, command: Optional[str] = None) -> None:
        """It waits for its person: a question, or ``command`` to be allowed."""
        self.tell("attention", what="permission" if command else "question", text=text, command=command)

    def end(self, reason: str = "completed") -> None:
        """Over; a ``with`` statement does this."""
        self.tell("session_end", reason=reason)
        if self._emitter:
            self._emitter.wake(now=True)

    def tell(self, event: str, **fields: Any) -> None:
        """Any event of the vocabulary (``stash_client.events``) by name."""
        if self._emitter is None:
            return
        told = {name: value for name, value in fields.items() if value is not None and value != []}
        try:
            self._emitter.put(self.harness, {**self._fields, "event": event, **told}, self._folder)
        except (OSError, TypeError, ValueError, RecursionError) as fault:
            _warn_once(f"An event could not be kept: {fault}")


_warned: set[str] = set()


def _warn_once(text: str) -> None:
    if text not in _warned:
        _warned.add(text)
        warnings.warn(f"stash: {text}", RuntimeWarning, stacklevel=4)


def session(
    harness: str,
    *,
    id: Optional[str] = None,
    title: Optional[str] = None,
    model: Optional[str] = None,
    cwd: Optional[str] = None,
    branch: Optional[str] = None,
    version: Optional[str] = None,
) -> Captured:
    """A session of the agent called ``harness``, to be used in a ``with`` statement.

    ``id``: the agent's own, to go on with a session later. ``cwd``: where it works; its repository must be connected.
    """
    folder = folder_of(os.fspath(cwd) if cwd else None)
    told = {"session": id or str(uuid.uuid4()), "title": title, "model": model, "branch": branch, "version": version}
    return Captured(harness, {name: value for name, value in told.items() if value is not None}, folder)
