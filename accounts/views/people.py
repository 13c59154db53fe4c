"""Members, invitations and service accounts."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts import selectors, services
from accounts.forms import InviteForm, KeyForm, RoleForm, ServiceAccountForm, TeamForm, person_roles
from accounts.gates import for_those_who
from accounts.models import Membership, Team
from accounts.views.asking import ask
from stash.errors import Invalid
from stash.pages import team_page

_GOVERN = "accounts.manage_people"
_PAGE = 100


@team_page
@require_GET
def members(request: HttpRequest) -> HttpResponse:
    return _members(request)


def _members(request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
    """Everybody sees who is in the team; those who govern it also see invitations and forms."""
    page = Paginator(selectors.people(request.actor), _PAGE).get_page(request.GET.get("page"))
    facts: dict[str, Any] = {"people": page, "section": "members"}
    if request.actor.administers:
        team = Team.objects.get(pk=request.actor.team_id)
        facts |= {
            "invite_form": InviteForm(request.actor),
            "account_form": ServiceAccountForm(),
            "team_form": TeamForm(initial={"session_visibility": team.session_visibility}),
            "roles": person_roles(request.actor),
            "invitations": selectors.invitations(request.actor)[:_PAGE],
        }
    return render(request, "accounts/members.html", {**facts, **more}, status=status)


@never_cache
@for_those_who(_GOVERN)
@require_POST
def invite(request: HttpRequest) -> HttpResponse:
    form = InviteForm(request.actor, request.POST)
    if not form.is_valid():
        return _members(request, 422, invite_form=form)
    invitation, url = services.invite(actor=request.actor, **form.cleaned_data)
    return _members(request, invitation_url=url, new_invitation=invitation)


@for_those_who(_GOVERN)
@require_POST
def revoke_invitation(request: HttpRequest, invitation_id: UUID) -> HttpResponse:
    invitation = selectors.get_invitation(request.actor, invitation_id)
    services.revoke_invitation(actor=request.actor, invitation=invitation)
    messages.success(request, "The invitation is withdrawn.")
    return redirect("accounts:members", request.actor.team_slug)


@for_those_who(_GOVERN)
@require_POST
def change_role(request: HttpRequest, membership_id: UUID) -> HttpResponse:
    membership = selectors.get_membership(request.actor, membership_id)
    form = RoleForm(request.actor, request.POST)
    if form.is_valid():
        services.change_role(actor=request.actor, membership=membership, role=form.cleaned_data["role"])
        messages.success(request, f"{membership.user} is now {membership.get_role_display().lower()}.")
    return redirect("accounts:members", request.actor.team_slug)


@for_those_who(_GOVERN)
@require_http_methods(["GET", "POST"])
def deactivate(request: HttpRequest, membership_id: UUID) -> HttpResponse:
    membership = selectors.get_membership(request.actor, membership_id)
    if request.method == "GET":
        return ask(
            request,
            title=f"Remove {membership.user} from the team?",
            text="Keys and machines end now. Sessions and pages stay, under the same name.",
            verb="Remove",
            section="members",
        )
    services.deactivate_person(actor=request.actor, membership=membership)
    messages.success(request, f"{membership.user} is no longer in the team.")
    return redirect("accounts:members", request.actor.team_slug)


@for_those_who(_GOVERN)
@require_POST
def new_service_account(request: HttpRequest) -> HttpResponse:
    form = ServiceAccountForm(request.POST)
    if form.is_valid():
        me = selectors.get_membership(request.actor, request.actor.membership_id)
        try:
            made = services.create_service_account(actor=request.actor, name=form.cleaned_data["name"], responsible=me)
        except Invalid as error:
            form.add_error("name", error.detail)
        else:
            return redirect("accounts:service_account", request.actor.team_slug, made.pk)
    return _members(request, 422, account_form=form)


@never_cache
@for_those_who(_GOVERN)
@require_http_methods(["GET", "POST"])
def service_account(request: HttpRequest, membership_id: UUID) -> HttpResponse:
    """One service account and its keys; a key just made is shown this once."""
    account = selectors.get_service_account(request.actor, membership_id)
    form = KeyForm(Membership.Role.SERVICE, request.actor, request.POST or None)
    secret = key = None
    if request.method == "POST" and form.is_valid():
        key, secret = services.create_key(
            actor=request.actor,
            name=form.cleaned_data["name"],
            scopes=form.cleaned_data["scopes"],
            expires_at=form.expires_at,
            service_account=account,
        )
    facts = {"account": account, "form": form, "secret": secret, "new_key": key, "section": "members"}
    facts["keys"] = account.keys.order_by("-id")[:_PAGE]
    return render(request, "accounts/service_account.html", facts, status=422 if form.errors else 200)


@for_those_who(_GOVERN)
@require_POST
def team_rules(request: HttpRequest) -> HttpResponse:
    form = TeamForm(request.POST)
    if form.is_valid():
        services.set_team_session_visibility(actor=request.actor, visibility=form.cleaned_data["session_visibility"])
        messages.success(request, "Saved. It holds for new sessions.")
    return redirect("accounts:members", request.actor.team_slug)
