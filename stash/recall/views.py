"""The search page, its results while somebody types, and the palette's."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import Project, User
from sessions_app.services.editing import note_opening
from stash.actors import Actor
from stash.pages import team_page
from stash.recall.facets import Facets
from stash.recall.forms import Asked
from stash.recall.searching import NONE, Answer, search

_PAGE = 20
_MORE = 60
_PALETTE = 6
_SHOWN = 8
_KINDS = (("prompt", "Prompt"), ("reply", "Reply"), ("command", "Command"), ("edit", "Edit"), ("read", "Read"),
          ("tool", "Other tool"), ("agent", "Subagent"))  # fmt: skip
_SINCE = (("yesterday", "Since yesterday"), ("7d", "Last 7 days"), ("30d", "Last 30 days"))


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of a facet. ``url``: the question with it, or without it where it is ``chosen`` already."""

    label: str
    url: str
    chosen: bool
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    choices: Sequence[Choice]


@require_safe
@team_page
def page(request: HttpRequest) -> HttpResponse:
    """Results alone for htmx; the facets come along and take their own place."""
    asked = Asked.of(request.GET)
    started = time.perf_counter()
    answer = _answer(request.actor, asked) if asked else Answer()
    context = {
        "asked": asked,
        "answer": answer,
        "groups": _groups(request.actor, asked, answer.facets),
        "took": round((time.perf_counter() - started) * 1000),
        "older_url": f"{asked.with_()}&from={answer.next}" if answer.next else "",
    }
    if not _is_fragment(request):
        return render(request, "recall/search.html", context)
    return render(request, "recall/_more.html" if asked.skipped else "recall/_found.html", context)


@require_safe
@team_page
def more(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """The other hits in one session; ``shown``: the numbers of those that stand there already."""
    asked = Asked.of(request.GET)
    shown = set(request.GET.get("shown", "").split("."))
    answer = search(request.actor, asked.q, filters=asked.chosen, limit=_MORE, group=NONE, within=session_id)
    rest = [hit for hit in answer.hits if str(hit.units[0].event.number) not in shown]
    return render(request, "recall/_hits.html", {"hits": rest})


@require_safe
@team_page
def palette(request: HttpRequest) -> HttpResponse:
    """The best sessions for what is typed into the palette."""
    asked = Asked.of(request.GET)
    answer = search(request.actor, asked.q, limit=_PALETTE) if asked.q.strip() else Answer()
    return render(request, "recall/_palette.html", {"asked": asked, "answer": answer})


def _is_fragment(request: HttpRequest) -> bool:
    return bool(request.headers.get("HX-Request")) and not request.headers.get("HX-Boosted")


def _answer(actor: Actor, asked: Asked) -> Answer:
    answer = search(actor, asked.q, filters=asked.chosen, limit=_PAGE, offset=asked.skipped)
    for hit in answer.hits:
        note_opening(actor=actor, session=hit.session)
    return answer


def _groups(actor: Actor, asked: Asked, facets: Facets) -> list[Group]:
    people = {one.pk: one for one in User.objects.filter(pk__in=facets.people)}
    projects = {one.pk: one for one in Project.objects.filter(pk__in=facets.projects)}
    found: dict[str, tuple[str, list[tuple[str, str, int | None]]]] = {
        "kind": ("Where it was said", [(kind, label, facets.kinds.get(kind, 0)) for kind, label in _KINDS]),
        "project": ("Project", _largest(facets.projects, {pk: (one.slug, one.name) for pk, one in projects.items()})),
        "by": ("Person", _largest(facets.people, {pk: (one.username, one.display_name) for pk, one in people.items()})),
        "harness": ("Agent", _largest(facets.harnesses, {name: (name, name) for name in facets.harnesses})),
        "since": ("When", [(value, label, None) for value, label in _SINCE]),
    }
    return [made for name, (title, rows) in found.items() if (made := _group(name, title, rows, asked)).choices]


def _largest(counts: Mapping[Any, int], named: Mapping[Any, tuple[str, str]]) -> list[tuple[str, str, int | None]]:
    order = sorted((one for one in counts if one in named), key=lambda one: (-counts[one], named[one][1].casefold()))
    return [(*named[one], counts[one]) for one in order[:_SHOWN]]


def _group(name: str, title: str, rows: Iterable[tuple[str, str, int | None]], asked: Asked) -> Group:
    chosen = asked.chosen.get(name, "")
    choices = [
        Choice(label, asked.with_(**{name: "" if value == chosen else value}), value == chosen, count)
        for value, label, count in rows
        if count != 0 or value == chosen
    ]
    if chosen and not any(one.chosen for one in choices):
        choices.insert(0, Choice(chosen, asked.with_(**{name: ""}), True))
    return Group(title, choices)
