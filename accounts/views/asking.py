"""The page that asks before something that cannot be undone; works without any script."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def ask(request: HttpRequest, *, title: str, text: str, verb: str, section: str) -> HttpResponse:
    """``section``: where Cancel leads. The same address takes the POST."""
    facts = {"title": title, "text": text, "verb": verb, "section": section, "back": f"accounts:{section}"}
    return render(request, "accounts/confirm.html", facts)
