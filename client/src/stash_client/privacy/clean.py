"""The door: only ``Clean`` values may be stored or sent, and only ``scrub`` makes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Generic, TypeVar

from .patterns import BUILTIN, Patterns
from .policy import OPEN, Policy
from .walk import Scrubber

T = TypeVar("T")
_SEAL = object()


@dataclass(frozen=True)
class Clean(Generic[T]):
    """``redactions``: how many findings of each type were taken out of the value."""

    value: T
    redactions: Mapping[str, int]
    _seal: object = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self._seal is not _SEAL:
            raise TypeError("only scrub() makes Clean values")


def scrub(value: T, *, patterns: Patterns = BUILTIN, policy: Policy = OPEN, home: str | None = None) -> Clean[T]:
    """The value without secrets, fit to be stored and shown.

    ``value``: text, JSON (keys are scrubbed too, and tell about their values) or a dataclass of ``events``; numbers,
    booleans and None pass. In order: policy, characters, secrets in the whole text, length (EVENT_TEXT_LIMIT per text).
    Scrubbing twice changes and counts nothing more. Raises TypeError for any other type.
    """
    scrubber = Scrubber(patterns=patterns, policy=policy, home=home)
    clean = scrubber.scrubbed(value)
    return Clean(clean, MappingProxyType(dict(scrubber.counts)), _SEAL)
