"""The plain words that occur, and the nearest of them to one that does not."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models.functions import Length

from stash.search.models import Word

SHORTEST, LONGEST = 4, 24
MOST = 400_000
_MOST_LOOKED_AT = 8_000
_MOST_OFFERED = 4


class Vocabulary:
    """What this process knows to be written down, so that a word is written once."""

    def __init__(self) -> None:
        self._known = set(Word.objects.values_list("text", flat=True)[:MOST])

    def add(self, words: Iterable[str]) -> None:
        if len(self._known) >= MOST:
            return
        new = [word for word in set(words) if word not in self._known and is_plain(word)]
        Word.objects.bulk_create([Word(text=word) for word in sorted(new)], ignore_conflicts=True, batch_size=500)
        self._known.update(new)


def is_plain(word: str) -> bool:
    return SHORTEST <= len(word) <= LONGEST and word.isalpha()


def similar(word: str) -> list[str]:
    """Up to four words with the same first letter, one typing error away, or two if the word is long."""
    if not is_plain(word):
        return []
    reach = 1 if len(word) < 6 else 2
    nearby = (
        Word.objects.filter(text__gte=word[0], text__lt=chr(ord(word[0]) + 1))
        .annotate(size=Length("text"))
        .filter(size__gte=len(word) - reach, size__lte=len(word) + reach)
    )
    found: dict[int, list[str]] = {}
    for other in nearby.values_list("text", flat=True)[:_MOST_LOOKED_AT]:
        if (steps := distance(word, other, reach)) <= reach:
            found.setdefault(steps, []).append(other)
    return sorted(found[min(found)])[:_MOST_OFFERED] if found else []


def distance(one: str, other: str, most: int) -> int:
    """Insertions, deletions, replacements and swaps of neighbours between two words; more than ``most`` is not told."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            step = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                step = min(step, earlier[j - 2] + 1)
            row.append(step)
        if min(row) > most:
            return most + 1
    return row[-1]
