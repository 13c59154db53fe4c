"""Every component in every state, with made-up content, for people who change the look. Reads no data."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from stash.ui import samples


class SampleForm(forms.Form):
    name = forms.CharField(help_text="As colleagues should see it.", initial="Mara Lindqvist")
    key = forms.CharField(label="Key of the machine", min_length=20, error_messages={"min_length": samples.KEY_ERROR})
    role = forms.ChoiceField(choices=[("member", "Member"), ("viewer", "Viewer")])
    seen_by = forms.ChoiceField(
        label="Who sees new sessions", choices=samples.VISIBILITY, widget=forms.RadioSelect, initial="private"
    )
    shortcuts = forms.BooleanField(label="Single-key shortcuts", help_text="Off also switches off “?”.", initial=True)


class SampleUser:
    is_authenticated = True
    shortcuts = True
    display_name = "Mara Lindqvist"


def _page(request: HttpRequest, template: str, **context: Any) -> HttpResponse:
    base = {"team": "harbour", "user": SampleUser(), "rail": samples.RAIL, "now": timezone.now()}
    return render(request, template, {**base, **context})


def components(request: HttpRequest) -> HttpResponse:
    form = SampleForm({"name": "Mara Lindqvist", "key": "stash_k_91", "role": "member", "seen_by": "private"})
    return _page(
        request, "ui/gallery.html", form=form, surfaces=samples.SURFACES, signals=samples.SIGNALS, trace=samples.TRACE
    )


def session(request: HttpRequest) -> HttpResponse:
    return _page(request, "ui/gallery_session.html", **samples.session(timezone.now()))


def lists(request: HttpRequest) -> HttpResponse:
    return _page(request, "ui/gallery_lists.html", **samples.lists(timezone.now()))


def entry(request: HttpRequest) -> HttpResponse:
    return _page(request, "ui/gallery_entry.html", form=SampleForm(), user=None, since=timezone.now() - timedelta(72))


def error(request: HttpRequest, code: str) -> HttpResponse:
    known = code if code in ("400", "403", "403_csrf", "404", "500") else "404"
    words = "There is no session 7f3d that you can see"
    return _page(request, f"{known}.html", exception=words, user=None, rail=None)
