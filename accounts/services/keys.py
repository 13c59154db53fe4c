"""API keys: made once, shown once, ended at once."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from accounts.authentication import digest_of, new_secret
from accounts.models import ApiKey, Machine, Membership
from accounts.rules import ROLE_SCOPES
from accounts.services.names import clean_name
from stash.access import require
from stash.actors import SCOPES, Actor
from stash.audit.services import record
from stash.errors import Forbidden, Invalid


def create_key(
    *,
    actor: Actor,
    name: str,
    scopes: Iterable[str],
    expires_at: datetime | None = None,
    service_account: Membership | None = None,
) -> tuple[ApiKey, str]:
    """A key of the actor's own, or of a service account, and its secret, which exists nowhere else afterwards.

    Scopes are capped to what the holder's role and the actor's own key allow. Raises Invalid when none is left.
    """
    if service_account is None:
        require(actor, "accounts.make_key")
        membership = Membership.objects.get(pk=actor.membership_id)
    else:
        require(actor, "accounts.manage_people")
        membership = _checked(actor, service_account)
    if expires_at is not None and expires_at <= timezone.now():
        raise Invalid("This moment is over.", code="expires_at", field="expires_at")
    with transaction.atomic():
        key, secret = issue_key(
            membership=membership, name=name, scopes=capped(actor, membership, scopes), expires_at=expires_at
        )
        record(actor, "key.created", key, scopes=list(key.scopes), holder=str(membership.user))
    return key, secret


def capped(actor: Actor, holder: Membership, scopes: Iterable[str]) -> list[str]:
    """The wanted scopes that the holder's role and the actor's own credential reach, in a fixed order."""
    wanted = set(scopes)
    if unknown := wanted - set(SCOPES):
        raise Invalid(f"Scopes are {', '.join(SCOPES)}.", code="scope_unknown", field="scopes", unknown=len(unknown))
    most = ROLE_SCOPES[holder.role] & actor.scopes
    granted = [scope for scope in SCOPES if scope in wanted & most]
    if not granted:
        raise Invalid("None of these scopes is yours to give.", code="scope_none", field="scopes")
    return granted


def issue_key(
    *,
    membership: Membership,
    name: str,
    scopes: list[str],
    expires_at: datetime | None = None,
    machine: Machine | None = None,
) -> tuple[ApiKey, str]:
    """The row and the secret; who may ask for it is decided by the caller, who also audits it."""
    secret = new_secret()
    key = ApiKey.objects.create(
        membership=membership,
        machine=machine,
        name=clean_name(name),
        digest=digest_of(secret),
        last4=secret[-4:],
        scopes=scopes,
        expires_at=expires_at,
    )
    return key, secret


def revoke_key(*, actor: Actor, key: ApiKey) -> ApiKey:
    """End a key; it stops opening anything at once. Doing it again is harmless."""
    require(actor, "accounts.revoke_key", key)
    with transaction.atomic():
        if ApiKey.objects.filter(pk=key.pk, revoked_at__isnull=True).update(revoked_at=timezone.now()):
            record(actor, "key.revoked", key)
    key.refresh_from_db(fields=["revoked_at"])
    return key


def _checked(actor: Actor, account: Membership) -> Membership:
    if account.team_id != actor.team_id or account.role != Membership.Role.SERVICE or not account.active:
        raise Forbidden("Keys for other people are theirs to make.")
    return account
