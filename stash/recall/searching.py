"""The one search: a question, an actor, and the best units of what that actor may see, by session or one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from uuid import UUID

from django.core.cache import cache
from django.db.models import Q
from django.utils import timezone

from accounts.models import Membership
from sessions_app.models import Event, Session
from sessions_app.rendering.text import one_line
from stash.actors import Actor
from stash.recall.candidates import Candidates, Meaning, candidates, newest, no_meaning
from stash.recall.facets import Facets, counted
from stash.recall.narrowing import Narrowing, narrowing
from stash.recall.units import FIELDS, text_of
from stash.search.dates import When, days_in, leaning
from stash.search.passages import Passage, passage
from stash.search.queries import FILTERS, Question, understand
from stash.search.ranking import Weights, grouped_score
from stash.search.tokens import query_tokens

SESSION, NONE = "session", "none"
_PASSAGES = 3
_DEEPEST = 400
_MOST_PEOPLE = 500
_NAMES_KEPT = 60


@dataclass(frozen=True, slots=True)
class Settings:
    """How a search is made; the stages can be switched off to see what each gives."""

    weights: Weights = field(default_factory=Weights)
    typos: bool = True
    gate: bool = True
    dates: bool = True
    authors: bool = True
    meaning: Meaning = no_meaning


_USUAL = Settings()


@dataclass(frozen=True, slots=True)
class Found:
    """One unit. ``rank``: its place by words, ``likeness``: its place by meaning; None where it has none."""

    event: Event
    passage: Passage
    score: float
    rank: int | None
    likeness: int | None


@dataclass(frozen=True, slots=True)
class Hit:
    """A session with its best units, or one unit. ``more``: how many others of the session fit as well."""

    session: Session
    units: Sequence[Found]
    score: float
    more: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """``note`` says why there is nothing; ``by_meaning``: whether likeness of meaning was asked as well."""

    hits: Sequence[Hit] = ()
    next: int | None = None
    ignored: Sequence[str] = ()
    note: str = ""
    words: Sequence[str] = ()
    by_meaning: bool = False
    facets: Facets = field(default_factory=Facets)


@dataclass
class _Ranked:
    units: dict[int, float] = field(default_factory=dict)
    sessions: dict[UUID, float] = field(default_factory=dict)
    of_session: dict[UUID, list[int]] = field(default_factory=dict)


def search(
    actor: Actor,
    typed: str,
    *,
    filters: Mapping[str, str] | None = None,
    limit: int = 20,
    offset: int = 0,
    group: str = SESSION,
    within: UUID | None = None,
    settings: Settings = _USUAL,
) -> Answer:
    """Everything typed is a question. ``filters``: those chosen beside it, which win over typed ones.

    ``within``: of this session only.
    """
    question = understand(typed)
    chosen = {name: value for name, value in (filters or {}).items() if name in FILTERS and value}
    narrowed = narrowing(actor, {**question.filters, **chosen})
    if within is not None:
        narrowed.sessions.append(Q(pk=within))
    words = query_tokens(question.text)
    if not words and not narrowed:
        return Answer(ignored=narrowed.ignored, note=_why_nothing(question))
    found = _candidates(actor, words, question, narrowed, settings)
    texts = _checked(found, question)
    ranked = _ranked(actor, found, words, question, settings)
    return _answer(found, ranked, texts, narrowed, limit=limit, offset=min(offset, _DEEPEST), group=group)


def _why_nothing(question: Question) -> str:
    if not question.text.strip():
        return "Nothing was asked for."
    return "Only signs or very common words were asked for; add a word that says what it is about."


def _candidates(
    actor: Actor, words: Sequence[str], question: Question, narrowed: Narrowing, settings: Settings
) -> Candidates:
    if not words:
        return newest(actor, narrowed)
    return candidates(
        actor,
        words,
        question.text,
        narrowed,
        weights=settings.weights,
        typos=settings.typos,
        meaning=settings.meaning,
    )


def _checked(found: Candidates, question: Question) -> dict[int, str]:
    """Leave out what lacks an exact phrase or holds an unwanted word; the texts that had to be read for it."""
    if not question.phrases and not question.without:
        return {}
    events = _events(happened.event for happened in found.where.values())
    texts = {key: text_of(events[at.event]) for key, at in found.where.items() if at.event in events}
    needed = [_plain(phrase) for phrase in question.phrases]
    unwanted = [set(query_tokens(one)) for one in question.without]
    for key in list(found.where):
        text = texts.get(key, "")
        plain = _plain(text) if needed else ""
        if not all(phrase in plain for phrase in needed) or _holds(text, unwanted):
            del found.where[key]
    return texts


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _holds(text: str, unwanted: Sequence[set[str]]) -> bool:
    words = set(query_tokens(text)) if unwanted else set()
    return any(one and one <= words for one in unwanted)


def _ranked(actor: Actor, found: Candidates, words: Sequence[str], question: Question, settings: Settings) -> _Ranked:
    weights = settings.weights
    share = min(1.0, found.coverage / weights.covered) if settings.gate and found.meaning else 1.0
    ranked = _Ranked()
    base: dict[int, float] = {}
    for key, at in found.where.items():
        likeness = found.meaning.get(key, 0.0)
        base[key] = share * found.lexical.get(key, 0.0) + weights.meaning * likeness * likeness
        ranked.of_session.setdefault(at.session, []).append(key)
    sums = {session: grouped_score(base[key] for key in keys) for session, keys in ranked.of_session.items()}
    when = days_in(question.text, timezone.now().date()) if settings.dates else When()
    fits = {session: _leaning(found, session, when) for session in sums} if when else {}
    best = max(sums.values(), default=0.0)
    ranked.sessions = {one: total + weights.date * fits.get(one, 0.0) * best for one, total in sums.items()}
    authors = _authors(actor, words) if settings.authors else frozenset()
    for key, score in base.items():
        session = found.where[key].session
        mine = found.sessions[session].person in authors
        ranked.units[key] = score * (weights.author if mine else 1.0) + weights.date_of_unit * fits.get(session, 0.0)
    _only_shown(ranked, found.holding)
    return ranked


def _only_shown(ranked: _Ranked, holding: Collection[int]) -> None:
    """From here on units count by themselves, best first, and sessions without one do not count."""
    ranked.units = {key: score for key, score in ranked.units.items() if key in holding}
    for session, keys in list(ranked.of_session.items()):
        shown = sorted((key for key in keys if key in holding), key=lambda key: (-ranked.units[key], -key))
        ranked.of_session[session] = shown
        if not shown:
            del ranked.sessions[session]


def _leaning(found: Candidates, session: UUID, when: When) -> float:
    facts = found.sessions[session]
    days = {moment.astimezone(UTC).date() for moment in (facts.started_at, facts.last_event_at)}
    return max(leaning(when, day) for day in days)


def _authors(actor: Actor, words: Sequence[str]) -> frozenset[UUID]:
    """People of the team whom the question names."""
    named = cache.get_or_set(f"search:names:{actor.team_id}", lambda: _names(actor), _NAMES_KEPT) or {}
    return frozenset(person for word in words for person in named.get(word, ()))


def _names(actor: Actor) -> dict[str, list[UUID]]:
    names: dict[str, list[UUID]] = {}
    rows = Membership.objects.active().filter(team_id=actor.team_id)
    for person, username, name in rows.values_list("user_id", "user__username", "user__name")[:_MOST_PEOPLE]:
        for word in query_tokens(f"{username} {name}"):
            names.setdefault(word, []).append(person)
    return names


def _answer(
    found: Candidates,
    ranked: _Ranked,
    texts: Mapping[int, str],
    narrowed: Narrowing,
    *,
    limit: int,
    offset: int,
    group: str,
) -> Answer:
    if group == SESSION:
        order = sorted(
            ranked.sessions, key=lambda one: (-ranked.sessions[one], -found.sessions[one].started_at.timestamp())
        )
        picked = [(ranked.sessions[one], ranked.of_session[one]) for one in order[offset : offset + limit]]
    else:
        units = sorted(ranked.units, key=lambda key: (-ranked.units[key], -key))
        order = [found.where[key].session for key in units]
        picked = [(ranked.units[key], [key]) for key in units[offset : offset + limit]]
    shown = [key for _, keys in picked for key in keys[:_PASSAGES]]
    units_by_key = _units(found, ranked, shown, texts)
    people = Session.objects.select_related("person", "project")
    sessions = people.in_bulk({found.where[key].session for key in shown})
    hits = []
    for score, keys in picked:
        best = [units_by_key[key] for key in keys[:_PASSAGES] if key in units_by_key]
        if best and (session := sessions.get(found.where[keys[0]].session)):
            hits.append(Hit(session, best, score, more=len(keys) - len(best) if group == SESSION else 0))
    more = len(order) > offset + limit and offset + limit < _DEEPEST
    return Answer(
        hits=hits,
        next=offset + limit if more else None,
        ignored=narrowed.ignored,
        words=[term.word for term in found.terms],
        note="" if hits else "Nothing that you may see fits.",
        by_meaning=bool(found.meaning),
        facets=counted(found, ranked.of_session),
    )


def _units(found: Candidates, ranked: _Ranked, keys: Sequence[int], texts: Mapping[int, str]) -> dict[int, Found]:
    """With their passages, from the live text: one that holds none of the words any more is left out."""
    by_words = _places(found.lexical)
    by_meaning = _places(found.meaning)
    words = [term.word for term in found.terms]
    events = _events(found.where[key].event for key in keys)
    made = {}
    for key in keys:
        event = events.get(found.where[key].event)
        if event is None:
            continue
        shown = passage(texts.get(key) or text_of(event), words)
        if shown.words or not words or key in by_meaning:
            made[key] = Found(event, shown, ranked.units[key], by_words.get(key), by_meaning.get(key))
    return made


def _places(scores: Mapping[int, float]) -> dict[int, int]:
    return {key: place for place, key in enumerate(sorted(scores, key=lambda one: (-scores[one], -one)), 1)}


def _events(keys: Iterable[int]) -> dict[int, Event]:
    return Event.objects.only(*FIELDS, "number", "session_id", "occurred_at").in_bulk(list(keys))


def heading(hit: Hit) -> str:
    return hit.session.title or one_line(hit.units[0].passage.text, 80) or "Untitled session"
