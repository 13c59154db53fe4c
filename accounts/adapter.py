"""How sign-up and sign-in work here: who may have an account, which team it joins, what SSO may not do."""

from __future__ import annotations

import io
from typing import Any

import qrcode
from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.idp.oidc.adapter import DefaultOIDCAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.shortcuts import redirect
from django.urls import reverse
from qrcode.image.svg import SvgPathFillImage

from accounts import selectors, services
from accounts.models import Membership, User
from stash.errors import StashError

_MISMATCH = "No account has this name and this password."
INVITATION = "stash_invitation"
"""Session key under which an opened invitation waits until its person has an account."""


def enter_team(request: HttpRequest, user: User) -> None:
    """A new account joins the team that invited it, or where sign-up is open the oldest one. Inside atomic() only."""
    token = request.session.get(INVITATION)
    if token:
        services.accept_invitation(user=user, token=token)
        request.session.pop(INVITATION, None)
    elif settings.SIGNUP == "open" and not Membership.objects.filter(user=user).exists():
        services.join_open_team(user=user)


class AccountAdapter(DefaultAccountAdapter):
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "email_password_mismatch": _MISMATCH,
        "username_password_mismatch": _MISMATCH,
    }

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """The first password ends the way in; a later one was changed from the settings."""
        first = request.resolver_match is not None and request.resolver_match.url_name == "account_set_password"
        actor = getattr(request, "actor", None)
        return "/" if first or actor is None else reverse("accounts:security", args=[actor.team_slug])

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """``open``: everybody; ``invite``: with an open invitation; ``closed``: nobody, not even with one."""
        if settings.SIGNUP == "open":
            return True
        token = request.session.get(INVITATION, "")
        return settings.SIGNUP == "invite" and bool(token) and selectors.invitation_behind(token) is not None

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """As allauth does, and never one that can be taken for somebody's e-mail address at sign-in."""
        if "@" in username:
            raise ValidationError("A username has no @; sign in with your address all the same.")
        return super().clean_username(username, shallow)

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """The account and its place in a team come into being together or not at all."""
        if not commit:
            return super().save_user(request, user, form, commit=False)
        try:
            with transaction.atomic():
                saved = super().save_user(request, user, form, commit=True)
                enter_team(request, saved)
        except StashError:
            token = request.session.pop(INVITATION, "")
            raise ImmediateHttpResponse(redirect("accounts_public:invitation", token or "gone")) from None
        return saved


class SocialAdapter(DefaultSocialAccountAdapter):
    """Single sign-on finds accounts by the provider's id for a person, never by an e-mail address."""

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]) -> User:
        user = super().populate_user(request, sociallogin, data)
        full = data.get("name") or f"{data.get('first_name') or ''} {data.get('last_name') or ''}"
        user.name = " ".join(str(full).split())[:120]
        return user

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        try:
            with transaction.atomic():
                user = super().save_user(request, sociallogin, form)
                enter_team(request, user)
        except StashError:
            raise ImmediateHttpResponse(redirect("accounts_public:invitation", "gone")) from None
        return user

    def can_authenticate_by_email(self, login: SocialLogin, email: str) -> bool:
        return False


class SecondFactorAdapter(DefaultMFAAdapter):
    def build_totp_svg(self, url: str) -> str:
        """With its own white ground (dark theme) and as an element of the page: the CSP allows no ``data:`` images."""
        text = io.BytesIO()
        qrcode.make(url, image_factory=SvgPathFillImage).save(text)
        return text.getvalue().decode().split("?>", 1)[-1]


class DeviceAdapter(DefaultOIDCAdapter):
    """The OAuth server behind ``stash connect``."""

    scope_display = {
        "capture": "Send what happens in agent sessions, from repositories you connect",
        "read": "Read what you can read: sessions, wiki, handoffs, search",
        "write": "Write what you can write: wiki pages, handoffs, comments",
    }

    def get_issuer(self) -> str:
        return settings.URL
