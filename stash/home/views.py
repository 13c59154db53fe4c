"""Home: who needs me, what my agents do, what the team does."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from sessions_app import selectors
from sessions_app.models import Session
from stash.home.fragments import context_of
from stash.home.onboarding import heard
from stash.pages import team_page


@require_safe
@login_required
def front(request: HttpRequest) -> HttpResponse:
    """To the team's home; people in no team are told so."""
    if request.actor is None:
        return render(request, "home/no_team.html", status=403)
    return redirect("home", team=request.actor.team_slug)


@require_safe
@team_page
def home(request: HttpRequest) -> HttpResponse:
    now = selectors.now_of(request.actor)
    context = context_of(request.actor, now)
    if not (now.mine or now.team) and not Session.objects.visible_to(request.actor).exists():
        return render(request, "home/first.html", context | heard(request.actor, timezone.now()))
    return render(request, "home/home.html", context)
