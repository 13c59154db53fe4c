"""Search for people: the page, what it loads in place, and the palette of every page."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from sessions_app.selectors import get_session
from sessions_app.services.editing import note_opening
from stash.actors import Actor
from stash.pages import team_page
from stash.recall.facets import facets
from stash.recall.forms import Asked, asked
from stash.recall.jumping import places
from stash.recall.related import related
from stash.recall.results import rows_of
from stash.recall.searching import Answer, search

_PAGE = 20
_MOST_IN_PLACE = 60


@require_safe
@team_page
def page(request: HttpRequest) -> HttpResponse:
    """The whole page; to htmx the results and the facets of the new question."""
    question = asked(request.GET)
    context = _found(request.actor, question) if question.asks else {"facets": []}
    context["asked"] = question
    if not _wants_part(request):
        return render(request, "recall/search.html", context)
    response = render(request, "recall/_found.html", context | {"part": True})
    response["HX-Push-Url"] = f"{request.path}{question.address()}" if question.asks else request.path
    return response


def _wants_part(request: HttpRequest) -> bool:
    return bool(request.headers.get("HX-Request")) and not request.headers.get("HX-Boosted")


def _found(actor: Actor, question: Asked) -> dict[str, Any]:
    answer = search(actor, question.q, filters=question.filters, limit=_PAGE, offset=question.start)
    _note_openings(actor, answer)
    shown = facets(actor, question.q, question.chosen, answer)
    return {
        "answer": answer,
        "rows": rows_of(actor, answer),
        "facets": shown,
        "chips": _chips(question, shown),
        "sessions": len(answer.found),
        "events": sum(map(len, answer.found.values())),
        "older_url": question.address(start=answer.next) if answer.next else "",
    }


def _chips(question: Asked, shown: list[Any]) -> list[dict[str, Any]]:
    """Kinds to choose from, and whatever else is chosen, each a link that switches it."""
    return [
        {
            "label": option.label,
            "count": option.count,
            "chosen": option.chosen,
            "url": question.address(without=pair) if option.chosen else question.address(with_=pair),
        }
        for facet in shown
        for option in facet.options
        if (facet.name == "kind" or option.chosen) and (pair := (facet.name, option.value))
    ]


def _note_openings(actor: Actor, answer: Answer) -> None:
    for hit in answer.hits:
        note_opening(actor=actor, session=hit.session)


@require_safe
@team_page
def more(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """All that fits in one session: in place of its best passages, or as a page of its own."""
    session = get_session(request.actor, session_id)
    question = asked(request.GET)
    answer = search(
        request.actor,
        question.q,
        filters=question.filters,
        limit=1,
        passages=_MOST_IN_PLACE,
        among=Q(pk=session.pk),
    )
    _note_openings(request.actor, answer)
    rows = rows_of(request.actor, answer)
    context = {"session": session, "asked": question, "row": rows[0] if rows else None}
    return render(request, "recall/_lines.html" if _wants_part(request) else "recall/more.html", context)


@require_safe
@team_page
def palette(request: HttpRequest) -> HttpResponse:
    """What a few letters can lead to, from anywhere."""
    question = asked(request.GET)
    context: dict[str, Any] = {"asked": question, "groups": places(request.actor, question.q)}
    if question.q.strip():
        answer = search(request.actor, question.q, limit=6)
        _note_openings(request.actor, answer)
        context |= {"rows": rows_of(request.actor, answer), "all_url": _all(request.actor, question)}
    return render(request, "recall/_palette_found.html", context)


def _all(actor: Actor, question: Asked) -> str:
    return f"{reverse('search', kwargs={'team': actor.team_slug})}{question.address()}"


@require_safe
@team_page
def related_sessions(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Loaded by the page of a session when it stands."""
    session = get_session(request.actor, session_id)
    return render(request, "recall/_related.html", {"found": related(request.actor, session)})
