"""An event as read; apart from ``models``, because most commands show none and start sooner without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Optional

from stash_client.api.models import made

if TYPE_CHECKING:
    from stash_client.events import AnyEvent


@dataclass(frozen=True)
class Event:
    """An event as read. ``number``: its address in the session, for ever; ``seq``: its place in order of arrival.

    An event that was completed later comes again with a new ``seq`` and the same ``uid``. Fields that its kind does
    not have keep their defaults; ``typed`` has it as a value of its own kind.
    """

    seq: int
    number: int = 0
    uid: str = ""
    n: int = 0
    kind: str = ""
    occurred_at: str = ""
    name: str = ""
    family: str = ""
    text: str = ""
    input: Any = None
    output: Optional[str] = None
    ok: Optional[bool] = None
    exit_code: Optional[int] = None
    duration_ms: Optional[int] = None
    call_id: Optional[str] = None
    paths: Sequence[str] = ()
    diff: Optional[str] = None
    model: Optional[str] = None
    command: Optional[str] = None
    what: Optional[str] = None
    reason: Optional[str] = None
    redactions: Mapping[str, int] = field(default_factory=dict)
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Event:
        return made(cls, wire, raw=wire)

    def typed(self) -> Optional[AnyEvent]:
        """As a value of ``stash_client.events``; None for a kind this client does not know yet."""
        from stash_client.events import KINDS, Usage

        kind = KINDS.get(self.kind)
        if kind is None:
            return None
        usage = self.raw.get("usage")
        own = {"usage": made(Usage, usage)} if isinstance(usage, Mapping) else {}
        return made(kind, self.raw, **own)  # type: ignore[return-value]
