"""What people type about sessions."""

from __future__ import annotations

from datetime import UTC, datetime, time

from django import forms

from sessions_app.models import Session
from sessions_app.selectors import STATES, SessionFilters


class TitleForm(forms.Form):
    title = forms.CharField(max_length=200, required=False, strip=True)


class VisibilityForm(forms.Form):
    visibility = forms.ChoiceField(choices=Session.Visibility.choices)


class FilterForm(forms.Form):
    """The address of a list is its filter: what is not understood is left out, never an error page."""

    scope = forms.ChoiceField(choices=[(name, name) for name in ("team", "mine", "private")], required=False)
    q = forms.CharField(max_length=200, required=False)
    status = forms.ChoiceField(choices=[(name, name) for name in STATES], required=False)
    by = forms.CharField(max_length=150, required=False)
    project = forms.SlugField(max_length=80, required=False)
    harness = forms.CharField(max_length=40, required=False)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)

    def filters(self) -> SessionFilters:
        self.is_valid()
        given = self.cleaned_data
        return SessionFilters(
            scope=given.get("scope") or "team",
            q=given.get("q") or "",
            status=given.get("status") or "",
            by=given.get("by") or "",
            project=given.get("project") or "",
            harness=given.get("harness") or "",
            since=_start_of(given.get("since")),
            until=_start_of(given.get("until")),
        )


def _start_of(day: object) -> datetime | None:
    return datetime.combine(day, time.min, UTC) if day else None  # type: ignore[arg-type]
