"""The audit log: filters, what happened per day, one entry in full beside the list."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from accounts import selectors
from accounts.forms import AuditForm
from accounts.gates import for_those_who
from stash.audit.models import AuditEntry
from stash.audit.verbs import worded
from stash.ui.words import day as day_words

_PAGE = 100
_DAYS = 30
_RANGES = (("Today", 0), ("7 days", 6), ("30 days", 29))
_FILTERS = {"actor": "Person", "action": "Action", "project": "Project", "since": "Since", "until": "Before"}
_BARS_HIGH = 40
_PEOPLE = 6


@for_those_who("accounts.read_audit")
@require_GET
def audit(request: HttpRequest) -> HttpResponse:
    """Newest first, a page at a time by cursor: ``before`` is the id of the last entry seen, ``entry`` the open one."""
    form = AuditForm(request.GET)
    wanted = form.cleaned_data if form.is_valid() else {}
    entries = selectors.audit_entries(request.actor, selectors.AuditFilter(**wanted))
    rows = list(selectors.before(entries, request.GET.get("before", ""))[: _PAGE + 1])
    chosen = selectors.get_audit_entry(request.actor, request.GET.get("entry", ""))
    facts = {
        "form": form,
        "entries": [(entry, worded(entry.verb), _with(request, entry=str(entry.pk))) for entry in rows[:_PAGE]],
        "older": _with(request, before=str(rows[_PAGE - 1].pk)) if len(rows) > _PAGE else "",
        "chosen": chosen,
        "chosen_facts": _facts(chosen) if chosen else [],
        "close": _with(request, entry=""),
        "verbs": [(verb, worded(verb)) for verb in selectors.audit_verbs(request.actor)],
        "projects": selectors.projects(request.actor)[:200],
        "ranges": _ranges(request),
        "active": _active(request),
        "exported": _with(request, before="", entry=""),
        "chain": selectors.chain_state(request.actor),
        "people": _people(entries),
        **_histogram(request, wanted),
    }
    return render(request, "accounts/audit.html", facts)


def _with(request: HttpRequest, **changed: str) -> str:
    """The query of this page with some values changed; empty ones leave it."""
    query = request.GET.copy()
    for name, value in changed.items():
        query[name] = value
    for name in [name for name, value in query.items() if not value]:
        del query[name]
    return query.urlencode()


def _ranges(request: HttpRequest) -> list[dict[str, Any]]:
    today = timezone.localdate()
    chosen = request.GET.get("since", "")
    starts = [(label, (today - timedelta(days=back)).isoformat()) for label, back in _RANGES]
    return [
        {"label": label, "query": _with(request, since=since, until="", before=""), "current": since == chosen}
        for label, since in [*starts, ("All", "")]
    ]


def _active(request: HttpRequest) -> list[dict[str, str]]:
    """The filters that narrow the list, each with the query that leaves it out."""
    set_now = [(name, request.GET.get(name, "")) for name in _FILTERS]
    return [
        {
            "name": _FILTERS[name],
            "value": worded(value) if name == "action" else value,
            "query": _with(request, **{name: "", "before": ""}),
        }
        for name, value in set_now
        if value
    ]


def _facts(entry: AuditEntry) -> list[tuple[str, str]]:
    """What was recorded besides, in words: ``[("visibility", "project")]``."""
    found = entry.facts if isinstance(entry.facts, dict) else {}
    return [(name.replace("_", " "), _fact(value)) for name, value in found.items()]


def _fact(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None or value == "" else str(value)


def _people(entries: QuerySet[AuditEntry]) -> list[dict[str, Any]]:
    """Bars in units of 100: what a person did through agents and tools, then by hand."""
    found = selectors.entries_per_person(entries, _PEOPLE)
    most = max((every for _, every, _ in found), default=1)
    return [
        {
            "name": name,
            "every": every,
            "through": round((every - by_hand) * 100 / most, 1),
            "by_hand": round(by_hand * 100 / most, 1),
        }
        for name, every, by_hand in found
    ]


def _histogram(request: HttpRequest, wanted: dict[str, Any]) -> dict[str, Any]:
    """The last days under the same filters except those of time; bars of a range that is chosen stand on a tint."""
    undated = selectors.AuditFilter(**{**wanted, "since": None, "until": None})
    today = timezone.localdate()
    days = selectors.entries_per_day(selectors.audit_entries(request.actor, undated), today, _DAYS)
    most = max((count for _, count in days), default=0) or 1
    return {
        "bars": [_bar(request, wanted, number, day, count, most) for number, (day, count) in enumerate(days)],
        "first_day": day_words(days[0][0], today),
        "middle_day": day_words(days[_DAYS // 2][0], today),
    }


def _bar(request: HttpRequest, wanted: dict[str, Any], number: int, day: date, count: int, most: int) -> dict[str, Any]:
    high = max(round(count * _BARS_HIGH / most, 1), 1.5) if count else 0
    since, until = wanted.get("since"), wanted.get("until")
    dated = bool(since or until)
    after = since is None or timezone.localdate(since) <= day
    return {
        "x": number * 30,
        "inner": number * 30 + 5,
        "y": _BARS_HIGH + 4 - high,
        "high": high,
        "chosen": dated and after and (until is None or day < timezone.localdate(until)),
        "title": f"{day_words(day, timezone.localdate())}: {count}",
        "query": _with(
            request, since=day.isoformat(), until=(day + timedelta(days=1)).isoformat(), before="", entry=""
        ),
    }
