"""The list of sessions."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from sessions_app import selectors
from sessions_app.forms import FilterForm
from stash.pages import team_page
from stash_client.harnesses import HARNESSES

_STATES = (("", "All"), ("running", "Running"), ("needs_you", "Needs someone"), ("failed", "Failed"), ("done", "Done"))
_SCOPES = (("team", "Team"), ("mine", "Mine"), ("private", "Private"))


@require_safe
@team_page
def session_list(request: HttpRequest) -> HttpResponse:
    form = FilterForm(request.GET)
    filters = form.filters()
    cursor = request.GET.get("cursor", "")
    waits_first = not filters.status
    page = selectors.sessions(request.actor, filters, cursor=cursor, besides_waiting=waits_first)
    leading = selectors.waiting(request.actor, filters) if waits_first and not cursor else []
    context = {
        "form": form,
        "filters": filters,
        "rows": [*leading, *page.rows],
        "older_url": _with(request.GET, cursor=page.next) if page.next else "",
        "live": not cursor,
    }
    if request.headers.get("HX-Request") and not request.headers.get("HX-Boosted"):
        return render(request, "sessions_app/_list.html", context | _chips(request, filters))
    return render(request, "sessions_app/list.html", context | _chips(request, filters) | _choices(request, filters))


def _chips(request: HttpRequest, filters: selectors.SessionFilters) -> dict[str, Any]:
    counts = selectors.counts(request.actor, filters)
    return {
        "states": [
            {"name": name, "label": label, "url": _with(request.GET, status=name), "count": counts.get(name)}
            for name, label in _STATES
        ],
        "scopes": [{"name": name, "label": label, "url": _with(request.GET, scope=name)} for name, label in _SCOPES],
    }


def _choices(request: HttpRequest, filters: selectors.SessionFilters) -> dict[str, Any]:
    """What the list can be narrowed to; an agent nobody described is offered while it is chosen."""
    harnesses = {*HARNESSES, *filter(None, [filters.harness])}
    return {
        "people": selectors.people(request.actor),
        "projects": selectors.projects(request.actor),
        "harnesses": sorted(harnesses),
    }


def _with(query: QueryDict, **changes: str | None) -> str:
    """The address of this list with other filters; paging starts again."""
    changed = query.copy()
    changed.pop("cursor", None)
    for name, value in changes.items():
        if value:
            changed[name] = value
        else:
            changed.pop(name, None)
    return f"?{changed.urlencode()}"
