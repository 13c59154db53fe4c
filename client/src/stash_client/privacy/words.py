"""Lists of words, written as words."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())
