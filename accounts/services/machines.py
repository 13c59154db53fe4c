"""Machines: signed in by a person who confirmed them, each with its own key."""

from __future__ import annotations

from allauth.idp.oidc.models import Token
from django.db import transaction
from django.utils import timezone

from accounts.authentication import actor_of_membership
from accounts.models import ApiKey, DeviceApproval, Machine, Membership
from accounts.rules import ROLE_SCOPES
from accounts.services.keys import issue_key
from accounts.services.names import clean_name
from stash.access import require
from stash.actors import SCOPES, Actor
from stash.audit.services import record
from stash.errors import StashError

DEVICE_SCOPES = ("capture", "read", "write")
"""What a machine may be given; governing a team is not done from a machine's key."""


UNNAMED = "a machine"


class TokenSpent(StashError):
    code, status, title = "token_spent", 401, "This sign-in is not known, is over, or was already exchanged"


def approve_device(*, actor: Actor, grant: str, machine_name: str, scopes: list[str]) -> DeviceApproval:
    """Remember what the person confirmed on the page; the token of the same sign-in is exchanged for exactly this."""
    wanted = [s for s in SCOPES if s in DEVICE_SCOPES and s in scopes and s in ROLE_SCOPES[actor.role]]
    with transaction.atomic():
        approval, _ = DeviceApproval.objects.update_or_create(
            grant=grant,
            defaults={
                "membership_id": actor.membership_id,
                "machine_name": clean_name(machine_name) if machine_name else "",
                "scopes": wanted,
                "confirmed_at": timezone.now(),
            },
        )
        record(actor, "machine.approved", name=approval.machine_name, scopes=wanted)
    return approval


def exchange_machine(
    *, access_token: str, name: str = "", platform: str = "", client_version: str = "", ip: str | None = None
) -> tuple[Machine, ApiKey, str]:
    """The machine that was confirmed, its key and the key's secret. Raises TokenSpent on every use but the first.

    Deleting the approval decides: among any number of exchanges exactly one removes a row. The name is the one the
    person saw and confirmed; ``name`` counts only where the device had given none.
    """
    token = Token.objects.lookup(Token.Type.ACCESS_TOKEN, access_token)
    if token is None:
        raise TokenSpent()
    with transaction.atomic():
        approval = _spend(token)
        machine = Machine.objects.create(
            membership=approval.membership,
            name=approval.machine_name or _short(name, 120) or UNNAMED,
            platform=_short(platform, 60),
            client_version=_short(client_version, 40),
            last_seen_at=timezone.now(),
        )
        key, secret = issue_key(
            membership=approval.membership, name=machine.name, scopes=list(approval.scopes), machine=machine
        )
        actor = actor_of_membership(approval.membership, channel="cli", ip=ip)
        record(actor, "machine.signed_in", machine, key=str(key.pk), scopes=list(key.scopes))
    return machine, key, secret


def _spend(token: Token) -> DeviceApproval:
    grant = token.get_grant_id() or ""
    active = Membership.objects.active().filter(user_id=token.user_id)
    approval = (
        DeviceApproval.objects.filter(grant=grant, membership__in=active)
        .select_related("membership__user", "membership__team")
        .first()
    )
    if approval is None or not DeviceApproval.objects.filter(grant=grant).delete()[0]:
        raise TokenSpent()
    Token.objects.filter(user_id=token.user_id, client_id=token.client_id, data__grant_id=grant).delete()
    return approval


def rename_machine(*, actor: Actor, machine: Machine, name: str) -> Machine:
    require(actor, "accounts.change_machine", machine)
    with transaction.atomic():
        before, machine.name = machine.name, clean_name(name)
        machine.save(update_fields=["name"])
        record(actor, "machine.renamed", machine, before=before)
    return machine


def note_client(*, actor: Actor, version: str) -> None:
    """A machine says which client it has by now: it may have been upgraded since it was signed in."""
    if actor.machine_id and version:
        said = _short(version, 40)
        Machine.objects.filter(pk=actor.machine_id).exclude(client_version=said).update(client_version=said)


def revoke_machine(*, actor: Actor, machine: Machine) -> Machine:
    """Sign a machine out for good: its keys end with it. Doing it again is harmless."""
    require(actor, "accounts.sign_machine_out", machine)
    now = timezone.now()
    with transaction.atomic():
        if Machine.objects.filter(pk=machine.pk, revoked_at__isnull=True).update(revoked_at=now):
            ApiKey.objects.filter(machine=machine, revoked_at__isnull=True).update(revoked_at=now)
            record(actor, "machine.revoked", machine)
    machine.refresh_from_db(fields=["revoked_at"])
    return machine


def _short(text: str, longest: int) -> str:
    return "".join(c for c in text if c.isprintable())[:longest].strip()
