"""Device sign-in (RFC 8628): a machine shows a code, its person confirms it in the browser."""

from __future__ import annotations

import json
from typing import Any, cast

from allauth.account.internal.decorators import login_not_required
from allauth.core.internal.cryptokit import normalize_user_code
from allauth.idp.oidc.forms import ConfirmCodeForm
from allauth.idp.oidc.internal.oauthlib import device_codes
from allauth.idp.oidc.models import Client
from allauth.idp.oidc.views import DeviceCodeView, TokenView
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts import selectors, services
from accounts.adapter import DeviceAdapter
from accounts.authentication import actor_of_membership, address_of
from accounts.models import Membership, User
from accounts.rules import ROLE_SCOPES
from accounts.services.machines import DEVICE_SCOPES, UNNAMED
from stash.errors import Forbidden

CLI = "stash-cli"
_LONGEST_CODE = 100


def ensure_cli_client() -> None:
    """The public OAuth client every Stash command line uses; made on first use, so that it is always there."""
    scopes = "\n".join(DEVICE_SCOPES)
    Client.objects.get_or_create(
        pk=CLI,
        defaults={
            "name": "Stash command line",
            "type": Client.Type.PUBLIC,
            "grant_types": Client.GrantType.DEVICE_CODE,
            "scopes": scopes,
            "default_scopes": scopes,
            "redirect_uris": "",
        },
    )


@method_decorator(csrf_exempt, name="dispatch")
@method_decorator(login_not_required, name="dispatch")
class DeviceCode(DeviceCodeView):
    """As allauth's, and remembers the name of the machine (``machine``), so that the person can recognise it."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        ensure_cli_client()
        response = super().post(request, *args, **kwargs)
        if response.status_code != 200:
            return response
        answer = json.loads(response.content)
        _remember(answer["device_code"], _machine_name(request.POST.get("machine", "")))
        page = settings.URL + reverse("idp:oidc:device_authorization")
        answer["verification_uri"] = page
        answer["verification_uri_complete"] = f"{page}?{urlencode({'code': answer['user_code']})}"
        return JsonResponse(answer, headers={"Cache-Control": "no-store"})


@method_decorator(csrf_exempt, name="dispatch")
@method_decorator(login_not_required, name="dispatch")
class DeviceToken(TokenView):
    """As allauth's; a device code that cannot be one of ours never becomes a key of the cache."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        code = request.POST.get("device_code", "")
        if len(code) > _LONGEST_CODE or not (code.isascii() and code.isprintable()):
            return JsonResponse({"error": "invalid_grant"}, status=400)
        return super().post(request, *args, **kwargs)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def confirm(request: HttpRequest) -> HttpResponse:
    """Type the code; see machine, scopes and who will see sessions; confirm or refuse. Unlike allauth's, with CSRF."""
    memberships = [m for m in selectors.memberships_of(cast(User, request.user)) if m.role != Membership.Role.SERVICE]
    if not memberships:
        raise Forbidden("You are in no team yet. Ask for an invitation first.")
    code = request.POST.get("code") or request.GET.get("code")
    if not code:
        return render(request, "idp/oidc/device_authorization_code_form.html", {"form": ConfirmCodeForm()})
    form = ConfirmCodeForm({"code": _as_shown(code)})
    if not form.is_valid():
        return render(request, "idp/oidc/device_authorization_code_form.html", {"form": form})
    sign_in = cache.get(device_codes.cache_device_code_key(form.device_code)) or {}
    if request.method == "POST":
        return _decide(request, memberships, form, sign_in)
    facts = {
        "code": form.cleaned_data["code"],
        "machine": sign_in.get("machine") or UNNAMED,
        "scopes": [DeviceAdapter.scope_display[scope] for scope in _scopes(sign_in)],
        "memberships": memberships,
    }
    return render(request, "idp/oidc/device_authorization_confirm_form.html", facts)


def _decide(
    request: HttpRequest, memberships: list[Membership], form: ConfirmCodeForm, sign_in: dict[str, Any]
) -> HttpResponse:
    machine = sign_in.get("machine") or ""
    confirmed = request.POST.get("action") == "confirm"
    if confirmed:
        chosen = request.POST.get("team", "")
        membership = next((m for m in memberships if m.team.slug == chosen), memberships[0])
        if not set(_scopes(sign_in)) & ROLE_SCOPES[membership.role]:
            raise Forbidden("Your role in this team allows none of what this machine asks for.")
        services.approve_device(
            actor=actor_of_membership(membership, ip=address_of(request)),
            grant=sign_in["grant_id"],
            machine_name=machine,
            scopes=_scopes(sign_in),
        )
    device_codes.confirm_or_deny_device_code(request.user, form.device_code, confirm=confirmed)
    page = "confirmed" if confirmed else "denied"
    return render(request, f"idp/oidc/device_authorization_{page}.html", {"machine": machine or UNNAMED})


def _scopes(sign_in: dict[str, Any]) -> list[str]:
    return [scope for scope in DEVICE_SCOPES if scope in (sign_in.get("scope") or [])]


def _as_shown(code: str) -> str:
    """However it was typed: ``wdjb mjht`` and ``WDJBMJHT`` are ``WDJB-MJHT``."""
    plain = "".join(c for c in normalize_user_code(code).upper() if c.isascii() and c.isalnum())[:32]
    return f"{plain[:4]}-{plain[4:]}" if len(plain) == 8 else plain


def _machine_name(name: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())[:120]


def _remember(device_code: str, machine: str) -> None:
    sign_in = cache.get(device_codes.cache_device_code_key(device_code))
    if sign_in is not None:
        device_codes.update_device_state(device_code, {**sign_in, "machine": machine})
