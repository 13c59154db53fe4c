"""Brings one server what waits for it. Address and key are looked up each time: a queue knows a label only."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Optional

from stash_client import accounts, api, client_config, consent, recent
from stash_client.accounts import Account
from stash_client.outbox import Box, Entry, Frame, Queue
from stash_client.outbox.frames import encode
from stash_client.recent import Recent
from stash_client.sender.batching import Batch, batches, is_stale
from stash_client.sender.state import Kept

_SECONDS = 30
_WINDOW_FRAMES, _WINDOW_BYTES = 1000, 8 * 1024 * 1024
_NEVER = (400, 409, 413, 415, 422)
"""What a body can be refused for that the same body will be refused for again."""
_PARKED = ("project_not_connected", "project_not_writable")
_TRY_PARKED_SECONDS = 3600
_TRY_PAUSED_SECONDS = 900
_LEARN_SECONDS = 60


class Came(Enum):
    """How far a delivery came. ``LATER``: the server is away; ``PAUSED``: its person must do something."""

    THROUGH, LATER, PAUSED = "through", "later", "paused"


class _Stop(Exception):
    """Nothing more can be sent now."""

    def __init__(self, came: Came, why: str, *, after: float = 0) -> None:
        super().__init__(why)
        self.came, self.after = came, after


class Courier:
    """``delivered``: events the server has said it has."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.state = Kept(box.folder)
        self.delivered = 0
        self._forced = False
        self._until = float("inf")
        self._learn_at = 0.0

    @property
    def has_work(self) -> bool:
        return not (self.box.queue.is_empty and self.box.parked.is_empty)

    def deliver(
        self,
        *,
        only: Optional[Callable[[Frame], bool]] = None,
        until: float = float("inf"),
        forced: bool = False,
        stop: Callable[[], bool] = lambda: False,
    ) -> Came:
        """Send what waits, oldest first, until ``until`` (monotonic). ``forced``: also what was paused or parked."""
        self._until, self._forced = until, forced
        try:
            account = self._account()
            if not client_config.path(self.box.server).exists():
                self._learn(account)
            if self._may_try_parked(account):
                end = self.box.parked.close_last()
                self._empty(self.box.parked, account, only, end, stop)
            self._empty(self.box.queue, account, only, 2**62, stop)
        except _Stop as stopped:
            self.state.failed(str(stopped), after=stopped.after)
            return stopped.came
        except OSError as error:
            self.state.failed(str(error))
            return Came.LATER
        self._learn(account)
        return Came.THROUGH

    def _account(self) -> Account:
        account = accounts.load().named(self.box.server)
        if account is None:
            self.state.change(paused="signed_out", account="", detail="This machine is not signed in there.")
            raise _Stop(Came.PAUSED, "not signed in")
        now = self.state.now
        waits = _is_within(_TRY_PAUSED_SECONDS, now.error_at)
        if now.paused and now.account == _mark(account) and waits and not self._forced:
            raise _Stop(Came.PAUSED, now.error or now.paused)
        return account

    def _learn(self, account: Account) -> None:
        """What to leave out. Without an answer the last one holds; a server that has none is not asked all the time."""
        now = time.monotonic()
        if now < self._learn_at or self._seconds() <= 0:
            return
        self._learn_at = now + _LEARN_SECONDS
        with contextlib.suppress(api.Unreachable, api.Refused, OSError):
            client_config.refresh(account, seconds=min(5, self._seconds()))

    def _may_try_parked(self, account: Account) -> bool:
        if self.box.parked.is_empty:
            return False
        now, agreed = self.state.now, _agreements(account)
        due = not _is_within(_TRY_PARKED_SECONDS, now.parked_at)
        if not (self._forced or due or now.parked_with != agreed):
            return False
        self.state.change(parked_with=agreed, parked_at=time.time())
        return True

    def _empty(
        self,
        queue: Queue,
        account: Account,
        only: Optional[Callable[[Frame], bool]],
        end: int,
        stop: Callable[[], bool],
    ) -> None:
        while not stop() and self._seconds() > 0:
            entries = queue.waiting(most=_WINDOW_FRAMES, most_bytes=_WINDOW_BYTES, only=only, until=end)
            try:
                if not entries:
                    return
                queue.finish([entry for entry in entries if is_stale(entry)])
                for batch in batches([entry for entry in entries if not is_stale(entry)]):
                    self._send(queue, account, batch)
                    if queue.is_wanted or stop():
                        break
            finally:
                queue.release()

    def _seconds(self) -> float:
        return min(_SECONDS, self._until - time.monotonic())

    def _send(self, queue: Queue, account: Account, batch: Batch) -> None:
        """Every frame of the batch is finished afterwards. Raises _Stop."""
        try:
            answer = self._post(account, batch)
        except api.Unreachable as away:
            raise _Stop(Came.LATER, str(away), after=away.after) from None
        except api.Refused as refusal:
            self._refused(queue, account, batch, refusal)
            return
        if not isinstance(answer.get("accepted"), int):
            raise _Stop(Came.LATER, "what answered there is not Stash")
        self._set_aside(account, batch.entries, answer.get("rejected"))
        queue.finish(batch.entries)
        self.delivered += len(batch.entries)
        self.state.sent(str(answer.get("message") or ""))
        _note(batch, answer)

    def _post(self, account: Account, batch: Batch) -> dict[str, Any]:
        if self._seconds() <= 0:
            raise _Stop(Came.LATER, "no time left")
        return api.post(f"{account.url}/api/v1/events", batch.body(), key=account.key, seconds=self._seconds())

    def _refused(self, queue: Queue, account: Account, batch: Batch, refusal: api.Refused) -> None:
        """Only Stash itself may say that something will never do: a proxy, a moved server or another site may not.

        The exception is size: what no way lets through would else hold up everything behind it.
        """
        if refusal.is_ours and refusal.code in _PARKED:
            self._park(account, batch.entries)
        elif (refusal.is_ours and refusal.status in _NEVER) or refusal.status == 413:
            if len(batch.entries) > 1:
                for half in batch.halves():
                    self._send(queue, account, half)
                return
            self.box.refused.put(batch.entries[0].frame, refusal.problem or {"status": refusal.status})
        elif refusal.is_ours and refusal.status in (401, 403):
            self.state.change(paused="not_allowed", account=_mark(account), detail=str(refusal)[:500])
            raise _Stop(Came.PAUSED, str(refusal))
        else:
            raise _Stop(Came.LATER, f"the server answered {refusal.status}: {refusal}")
        queue.finish(batch.entries)

    def _set_aside(self, account: Account, entries: Sequence[Entry], rejected: object) -> None:
        """Single events the server does not take. Raises OSError."""
        parked = []
        for item in rejected if isinstance(rejected, list) else ():
            entry, problem = _named(entries, item)
            code = problem.get("code")
            if entry is None or (code == "uid_conflict" and entry.frame.cut):
                continue
            if code in _PARKED:
                parked.append(entry)
            else:
                self.box.refused.put(entry.frame, problem)
        if parked:
            self._park(account, parked)

    def _park(self, account: Account, entries: Sequence[Entry]) -> None:
        """Kept until its person connects the project there, or signs in as somebody who may. Raises OSError."""
        if self.box.parked.is_empty:
            self.state.change(parked_with=_agreements(account), parked_at=time.time())
        self.box.parked.append([encode(entry.frame) for entry in entries])
        self.box.parked.publish()


def _named(entries: Sequence[Entry], item: Any) -> tuple[Optional[Entry], Mapping[str, Any]]:
    index = item.get("index") if isinstance(item, Mapping) else None
    problem = item.get("problem") if isinstance(item, Mapping) else None
    known = isinstance(index, int) and 0 <= index < len(entries)
    return entries[index] if known else None, problem if isinstance(problem, Mapping) else {}  # type: ignore[index]


def _is_within(seconds: float, at: float) -> bool:
    """A time in the future is of a clock that was set back since; nobody waits for it to come."""
    return 0 <= time.time() - at < seconds


def _mark(account: Account) -> str:
    """Tells accounts apart without telling the key."""
    return hashlib.sha256(f"{account.url}\0{account.key}".encode()).hexdigest()[:16]


def _agreements(account: Account) -> str:
    """Changes when its person signs in anew or connects something."""
    said = f"{_mark(account)}\0{consent.load()!r}"
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:16]


def _note(batch: Batch, answer: Mapping[str, Any]) -> None:
    harness, native_id = batch.entries[0].frame.key
    if answer.get("session"):
        recent.note([Recent(harness, native_id, session=str(answer["session"]), url=str(answer.get("url") or ""))])
