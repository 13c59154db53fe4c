"""One's own settings: profile, sign-in, machines and keys, what is captured."""

from __future__ import annotations

from typing import cast
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts import clients, selectors, services
from accounts.forms import ConnectionForm, KeyForm, NameForm, ProfileForm
from accounts.models import Connection, User
from accounts.views.asking import ask
from stash.errors import Invalid
from stash.pages import team_page

THEMES = ("light", "dark")
_YEAR = 365 * 86400


@team_page
@require_http_methods(["GET", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        form = ProfileForm.of(cast(User, request.user), request.COOKIES.get("theme", ""))
        return render(request, "accounts/profile.html", {"form": form, "section": "profile"})
    form = ProfileForm(request.POST)
    if form.is_valid():
        wanted = dict(form.cleaned_data)
        theme = wanted.pop("theme")
        try:
            services.update_profile(actor=request.actor, user=cast(User, request.user), **wanted)
        except Invalid as error:
            form.add_error(error.extra.get("field"), error.detail)
        else:
            messages.success(request, "Your profile is saved.")
            return _with_theme(redirect("accounts:profile", request.actor.team_slug), theme)
    return render(request, "accounts/profile.html", {"form": form, "section": "profile"}, status=422)


def _with_theme(response: HttpResponse, theme: str) -> HttpResponse:
    if theme in THEMES:
        response.set_cookie("theme", theme, max_age=_YEAR, samesite="Lax")
    else:
        response.delete_cookie("theme", samesite="Lax")
    return response


@team_page
@require_GET
def security(request: HttpRequest) -> HttpResponse:
    ways = selectors.ways_to_sign_in(cast(User, request.user))
    facts = {"factors": ways.factors, "addresses": ways.addresses, "services": ways.services, "section": "security"}
    return render(request, "accounts/security.html", facts)


@never_cache
@team_page
@require_http_methods(["GET", "POST"])
def keys(request: HttpRequest) -> HttpResponse:
    """The list; a key just made is in the answer to its form and nowhere else."""
    form = KeyForm(request.actor.role, request.actor, request.POST or None)
    secret = key = None
    if request.method == "POST" and form.is_valid():
        key, secret = services.create_key(
            actor=request.actor,
            name=form.cleaned_data["name"],
            scopes=form.cleaned_data["scopes"],
            expires_at=form.expires_at,
        )
        form = KeyForm(request.actor.role, request.actor)
    facts = {
        "form": form,
        "secret": secret,
        "new_key": key,
        "machines": selectors.machines(request.actor)[:200],
        "keys": selectors.keys(request.actor).filter(machine__isnull=True).order_by("-id")[:200],
        "latest": clients.LATEST,
        "section": "keys",
    }
    return render(request, "accounts/keys.html", facts, status=422 if form.errors else 200)


@team_page
@require_http_methods(["GET", "POST"])
def revoke_key(request: HttpRequest, key_id: UUID) -> HttpResponse:
    key = selectors.get_key(request.actor, key_id)
    if request.method == "GET":
        return ask(
            request,
            title=f"Revoke {key}?",
            text="What uses it is refused from this moment on.",
            verb="Revoke",
            section="keys",
        )
    services.revoke_key(actor=request.actor, key=key)
    messages.success(request, f"{key} is revoked.")
    return redirect("accounts:keys", request.actor.team_slug)


@team_page
@require_POST
def rename_machine(request: HttpRequest, machine_id: UUID) -> HttpResponse:
    machine = selectors.get_machine(request.actor, machine_id)
    form = NameForm(request.POST)
    if form.is_valid():
        services.rename_machine(actor=request.actor, machine=machine, name=form.cleaned_data["name"])
    return redirect("accounts:keys", request.actor.team_slug)


@team_page
@require_http_methods(["GET", "POST"])
def revoke_machine(request: HttpRequest, machine_id: UUID) -> HttpResponse:
    machine = selectors.get_machine(request.actor, machine_id)
    if request.method == "GET":
        return ask(
            request,
            title=f"Sign {machine} out?",
            text="Its key ends now. What it has not sent yet stays on it until somebody signs it in again.",
            verb="Sign out",
            section="keys",
        )
    services.revoke_machine(actor=request.actor, machine=machine)
    messages.success(request, f"{machine} is signed out.")
    return redirect("accounts:keys", request.actor.team_slug)


@team_page
@require_GET
def connections(request: HttpRequest) -> HttpResponse:
    """What is captured from me, and who sees it."""
    found = list(selectors.connections(request.actor))
    shown = [(consent, *_seen_by(consent)) for consent in found]
    return render(request, "accounts/connections.html", {"connections": shown, "section": "connections"})


@team_page
@require_POST
def change_connection(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    """Who sees new sessions from here on; earlier ones keep what they have."""
    connection = selectors.get_connection(request.actor, connection_id)
    form = ConnectionForm(request.POST)
    if form.is_valid():
        services.change_connection(
            actor=request.actor, connection=connection, visibility=form.cleaned_data["visibility"]
        )
        messages.success(request, "Saved. It holds for new sessions.")
    return redirect("accounts:connections", request.actor.team_slug)


@team_page
@require_http_methods(["GET", "POST"])
def disconnect(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    connection = selectors.get_connection(request.actor, connection_id)
    name = connection.project.name if connection.project else "everything"
    if request.method == "GET":
        return ask(
            request,
            title=f"Stop capturing {name}?",
            text="Nothing more is taken from your machines here. What was captured stays as it is.",
            verb="Stop",
            section="connections",
        )
    services.disconnect(actor=request.actor, connection=connection)
    messages.success(request, f"Nothing more is captured from {name}.")
    return redirect("accounts:connections", request.actor.team_slug)


def _seen_by(consent: Connection) -> tuple[str, str]:
    if consent.project is None:
        return consent.visibility, "person"
    return selectors.effective_visibility(consent.project, consent)
