"""Where words are, packed: a posting is one 64-bit number, a page holds the postings of a range of words.

A posting is, from its highest bit, the number of its source (24 bits), the place of its unit in that source (20), how
often the word stands there (6) and the unit's length (8, see ``length_code``). Lists are sorted, so the newest sources
are at their end; they are stored as differences, compressed in blocks, so that a reader takes as many as it can afford.
"""

from __future__ import annotations

import math
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate
from operator import sub

UNIT_BITS, TIMES_BITS, LENGTH_BITS = 20, 6, 8
LOW_BITS = TIMES_BITS + LENGTH_BITS
LOW = (1 << LOW_BITS) - 1
MOST_UNITS = 1 << UNIT_BITS
MOST_TIMES = (1 << TIMES_BITS) - 1
MOST_SOURCES = 1 << 24
_BLOCK = 2048
_PLAIN = 40
"""Lists up to this length are stored as they are: compressing them costs more than it saves."""
_PAGE_BYTES = 8192
MOST_PAGE_BITS = 20


def key_of(source: int, unit: int) -> int:
    return source << UNIT_BITS | unit


def pack(key: int, times: int, length: int) -> int:
    return key << LOW_BITS | min(times, MOST_TIMES) << LENGTH_BITS | length


def length_code(words: int) -> int:
    """A length in one byte: exact for short units, within three percent for long ones."""
    return min(255, round(24 * math.log2(1 + words / 4)))


LENGTHS = tuple(4 * (2 ** (code / 24) - 1) for code in range(256))
"""The length that each code stands for."""


def term_hash(word: str) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def page_bits(postings: int, terms: int) -> int:
    """How many of a hash's first bits choose its page, so that a page is not much more than one word needs."""
    return max(0, min(MOST_PAGE_BITS, ((postings * 6 + terms * 16) // _PAGE_BYTES).bit_length()))


@dataclass(frozen=True, slots=True)
class Page:
    """Hashes in order with the number of their postings and the ends of their lists in ``data``."""

    hashes: Sequence[int]
    counts: Sequence[int]
    ends: Sequence[int]
    data: memoryview

    @classmethod
    def of(cls, blob: bytes) -> Page:
        view = memoryview(blob)
        terms = int.from_bytes(view[:8], "little")
        at = 8 + 8 * terms
        middle = at + 4 * terms
        end = middle + 4 * terms
        return cls(view[8:at].cast("Q"), view[at:middle].cast("I"), view[middle:end].cast("I"), view[end:])

    def find(self, term: int) -> int | None:
        """Its place in this page."""
        at = bisect_left(self.hashes, term)
        return at if at < len(self.hashes) and self.hashes[at] == term else None

    def raw(self, at: int) -> memoryview:
        return self.data[self.ends[at - 1] if at else 0 : self.ends[at]]

    def newest(self, at: int, most: int) -> Sequence[int]:
        """The postings of the word at that place, at least ``most`` of the newest if there are as many."""
        return _unpacked(self.raw(at), self.counts[at], most)


def page(lists: Iterable[tuple[int, int, bytes | memoryview]]) -> bytes:
    """A page of (hash, number of postings, postings as ``packed``), hashes in order."""
    hashes, counts, ends, data = array("Q"), array("I"), array("I"), bytearray()
    for term, count, postings in lists:
        hashes.append(term)
        counts.append(count)
        data += postings
        ends.append(len(data))
    head = len(hashes).to_bytes(8, "little") + hashes.tobytes() + counts.tobytes() + ends.tobytes()
    return head + bytes(data)


def packed(postings: Sequence[int]) -> bytes:
    """Sorted postings as a page holds them."""
    if len(postings) <= _PLAIN:
        return array("Q", postings).tobytes()
    blocks = [_block(postings[at : at + _BLOCK]) for at in range(0, len(postings), _BLOCK)]
    return b"".join(len(block).to_bytes(4, "little") + block for block in blocks)


def _block(postings: Sequence[int]) -> bytes:
    differences = array("Q", postings[:1])
    differences.extend(map(sub, postings[1:], postings))
    return zlib.compress(differences.tobytes(), 1)


def _unpacked(data: memoryview, count: int, most: int) -> Sequence[int]:
    if count <= _PLAIN:
        return array("Q", data.tobytes())
    first = max(0, (count - most) // _BLOCK) if most < count else 0
    found: list[int] = []
    for block in _blocks(data, first):
        differences = array("Q")
        differences.frombytes(zlib.decompress(block))
        found += accumulate(differences)
    return found


def _blocks(data: memoryview, first: int) -> Iterator[memoryview]:
    at = number = 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "little")
        if number >= first:
            yield data[at + 4 : at + 4 + size]
        at += 4 + size
        number += 1
