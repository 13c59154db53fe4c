"""Links that work without an account: an invitation, the one-time sign-in."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts import selectors, services
from accounts.adapter import INVITATION
from accounts.authentication import address_of
from accounts.services.invitations import InvitationGone
from accounts.services.signin import LinkSpent


@never_cache
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Who invites into which team. A person signed in joins from here; anybody else signs up or in first."""
    found = selectors.invitation_behind(token)
    if found is None:
        return render(request, "accounts/invitation_gone.html", status=410)
    if request.method == "POST" and request.user.is_authenticated:
        try:
            membership = services.accept_invitation(user=request.user, token=token)
        except InvitationGone:
            return render(request, "accounts/invitation_gone.html", status=410)
        messages.success(request, f"You are now in {membership.team.name}.")
        return redirect(settings.LOGIN_REDIRECT_URL)
    if not request.user.is_authenticated:
        request.session[INVITATION] = token
    facts = {"invitation": found, "can_sign_up": settings.SIGNUP != "closed"}
    return render(request, "accounts/invitation.html", facts)


@never_cache
@require_http_methods(["GET", "POST"])
def signin(request: HttpRequest, token: str) -> HttpResponse:
    """Opening the address only asks; the button signs in, so that a link preview spends nothing."""
    if request.method == "GET":
        return render(request, "accounts/signin_link.html")
    try:
        user = services.use_signin_link(secret=token, ip=address_of(request))
    except LinkSpent as error:
        return render(request, "accounts/signin_link_spent.html", {"problem": error}, status=410)
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
    if not user.has_usable_password():
        return redirect("account_set_password")
    return redirect(settings.LOGIN_REDIRECT_URL)
