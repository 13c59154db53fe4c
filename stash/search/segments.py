"""Segments: written once, read by word, merged so that a question meets few of them."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from django.db import transaction
from django.db.models import Max

from stash.search.models import Page as PageRow
from stash.search.models import Segment
from stash.search.postings import (
    LOW_BITS,
    MOST_PAGE_BITS,
    UNIT_BITS,
    Page,
    length_code,
    pack,
    packed,
    page,
    page_bits,
    term_hash,
)

FAN = 6
"""So many segments of about one size become one."""
_SMALLEST = 256
_PAGES_AT_ONCE = 200
_MOST_HASHES = 400_000

Packed = tuple[int, int, bytes | memoryview]
"""Hash of a word, number of its postings, and those as a page holds them."""

_hashes: dict[str, int] = {}


def hash_of(word: str) -> int:
    found = _hashes.get(word)
    if found is None:
        if len(_hashes) > _MOST_HASHES:
            _hashes.clear()
        found = _hashes[word] = term_hash(word)
    return found


@dataclass
class Draft:
    """A segment in the making."""

    lists: dict[int, list[int]] = field(default_factory=dict)
    units: int = 0
    words: int = 0
    again: list[int] = field(default_factory=list)

    def add(self, key: int, words: Sequence[str], *, again: bool = False) -> int:
        """Note a unit's words; answers the code of its length."""
        length = length_code(len(words))
        lists, known = self.lists, _hashes
        for word, times in Counter(words).items():
            term = known.get(word) or hash_of(word)
            posting = pack(key, times, length)
            if (found := lists.get(term)) is None:
                lists[term] = [posting]
            else:
                found.append(posting)
        self.units += not again
        self.words += 0 if again else len(words)
        if again:
            self.again.append(key)
        return length


def live_segments() -> list[Segment]:
    """Oldest first."""
    return list(Segment.objects.filter(live=True).order_by("rank"))


def write(draft: Draft) -> Segment | None:
    """Add what the draft holds, at once visible; part of the caller's transaction."""
    if not draft.units and not draft.again:
        return None
    postings = sum(map(len, draft.lists.values()))
    segment = Segment.objects.create(
        rank=(Segment.objects.aggregate(last=Max("rank"))["last"] or 0) + 1,
        live=True,
        page_bits=page_bits(postings, len(draft.lists)),
        units=draft.units,
        words=draft.words,
        postings=postings,
        again=array("Q", draft.again).tobytes(),
    )
    lists = ((term, len(draft.lists[term]), packed(sorted(draft.lists[term]))) for term in sorted(draft.lists))
    PageRow.objects.bulk_create(_pages(segment, lists))
    return segment


def page_number(bits: int, term: int) -> int:
    return term >> (64 - bits) if bits else 0


def page_id(segment: int, number: int) -> int:
    return segment << MOST_PAGE_BITS | number


def _pages(segment: Segment, lists: Iterable[Packed]) -> Iterator[PageRow]:
    bits = segment.page_bits
    for number, some in groupby(lists, lambda one: page_number(bits, one[0])):
        yield PageRow(id=page_id(segment.pk, number), data=page(some))


def due(segments: Sequence[Segment], *, fan: int = FAN) -> list[Segment]:
    """The newest segments that should become one, if any; ``segments`` oldest first."""
    levels = [_level(segment, fan) for segment in segments]
    for level in sorted(set(levels)):
        run = len(levels)
        while run and levels[run - 1] <= level:
            run -= 1
        if len(levels) - run >= fan:
            return list(segments[run:])
    return []


def _level(segment: Segment, fan: int) -> int:
    size, level = segment.units + len(segment.again) // 8, 0
    while size > _SMALLEST:
        size //= fan
        level += 1
    return level


def merge(segments: Sequence[Segment], *, gone: Collection[int] = (), is_whole: bool) -> Segment:
    """One segment of several that follow each other, without the sources that are ``gone``.

    Pages are written in small transactions while the old segments go on answering; the change-over is one short one.
    ``is_whole``: nothing older exists, so that nothing has to be remembered as told again.
    """
    again = [set(array("Q", bytes(segment.again))) for segment in segments]
    postings = sum(segment.postings for segment in segments)
    made = Segment.objects.create(
        rank=segments[-1].rank,
        page_bits=page_bits(postings, postings // 8),
        units=sum(segment.units for segment in segments),
        words=sum(segment.words for segment in segments),
        postings=0,
        again=b"" if is_whole else array("Q", sorted(set().union(*again))).tobytes(),
    )
    parts = [_Part(segment, set().union(*again[place + 1 :])) for place, segment in enumerate(segments)]
    shared = min(segment.page_bits for segment in segments)
    total = 0
    for start in range(1 << shared):
        lists = _merged(parts, shared, start, frozenset(gone))
        total += sum(count for _, count, _ in lists)
        rows = list(_pages(made, lists))
        for at in range(0, len(rows), _PAGES_AT_ONCE):
            PageRow.objects.bulk_create(rows[at : at + _PAGES_AT_ONCE])
    with transaction.atomic():
        Segment.objects.filter(pk__in=[segment.pk for segment in segments]).delete()
        made.live, made.postings = True, total
        made.save(update_fields=["live", "postings"])
    for segment in segments:
        delete_pages(segment.pk)
    return made


@dataclass(frozen=True, slots=True)
class _Part:
    """A segment that is merged; later ones tell its ``stale`` units again."""

    segment: Segment
    stale: set[int]

    def pages(self, shared: int, start: int) -> Iterator[Page]:
        """Those whose hashes begin with these bits."""
        wide = self.segment.page_bits - shared
        first = page_id(self.segment.pk, start << wide)
        rows = PageRow.objects.filter(id__range=(first, first + (1 << wide) - 1)).order_by("id")
        for data in rows.values_list("data", flat=True):
            yield Page.of(bytes(data))


def _merged(parts: Sequence[_Part], shared: int, start: int, gone: frozenset[int]) -> list[Packed]:
    """The lists of all words whose hashes begin with these bits. What stands in one part only is copied as it is."""
    places: dict[int, list[tuple[_Part, Page, int]]] = {}
    for part in parts:
        for held in part.pages(shared, start):
            for at, term in enumerate(held.hashes):
                if (known := places.get(term)) is None:
                    places[term] = [(part, held, at)]
                else:
                    known.append((part, held, at))
    lists: list[Packed] = []
    for term in sorted(places):
        part, found, at = places[term][0]
        if len(places[term]) == 1 and not gone and not part.stale:
            lists.append((term, found.counts[at], found.raw(at)))
        elif postings := _together(places[term], gone):
            lists.append((term, len(postings), packed(postings)))
    return lists


def _together(places: Sequence[tuple[_Part, Page, int]], gone: frozenset[int]) -> list[int]:
    together: list[int] = []
    for part, found, at in places:
        postings = found.newest(at, found.counts[at])
        if part.stale:
            postings = [one for one in postings if one >> LOW_BITS not in part.stale]
        together += postings
    if gone:
        together = [one for one in together if one >> (LOW_BITS + UNIT_BITS) not in gone]
    together.sort()
    return together


def delete_pages(segment: int) -> None:
    """In steps: a lock held for long would keep writers waiting."""
    while True:
        low, high = page_id(segment, 0), page_id(segment + 1, 0) - 1
        ids = list(PageRow.objects.filter(id__range=(low, high)).values_list("id", flat=True)[:500])
        if not ids:
            return
        PageRow.objects.filter(id__in=ids).delete()


def drop_leftovers() -> None:
    """What a merge that was interrupted, or one that could not finish deleting, has left."""
    for segment in Segment.objects.filter(live=False):
        delete_pages(segment.pk)
        segment.delete()
    live = set(Segment.objects.values_list("pk", flat=True))
    last = 0
    while (row := PageRow.objects.filter(id__gte=last).order_by("id").values_list("id", flat=True).first()) is not None:
        segment_id = row >> MOST_PAGE_BITS
        if segment_id not in live:
            delete_pages(segment_id)
        last = page_id(segment_id + 1, 0)
