"""How a person signs in, for their own eyes."""

from __future__ import annotations

from dataclasses import dataclass

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount

from accounts.models import User

_FACTORS = {Authenticator.Type.TOTP: "authenticator app", Authenticator.Type.WEBAUTHN: "security key"}


@dataclass(frozen=True, slots=True)
class Ways:
    """Beside a password: kinds of second factor, addresses (the primary one first), names of services."""

    factors: list[str]
    addresses: list[str]
    services: list[str]


def ways_to_sign_in(user: User) -> Ways:
    kinds = Authenticator.objects.filter(user=user, type__in=_FACTORS).values_list("type", flat=True)
    addresses = EmailAddress.objects.filter(user=user).order_by("-primary", "email")
    services = SocialAccount.objects.filter(user=user).order_by("provider")
    return Ways(
        factors=sorted({_FACTORS[Authenticator.Type(kind)] for kind in kinds}),
        addresses=list(addresses.values_list("email", flat=True)[:20]),
        services=list(services.values_list("provider", flat=True)[:20]),
    )
