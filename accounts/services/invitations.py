"""Links that let one person into a team."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from accounts.authentication import actor_of_membership, digest_of, new_secret
from accounts.models import Invitation, Membership, User
from accounts.services.teams import announce_membership
from stash.access import require
from stash.actors import Actor
from stash.audit.services import record
from stash.errors import Conflict, Invalid

logger = logging.getLogger(__name__)
LASTS = timedelta(days=7)
_ROLES = (Membership.Role.OWNER, Membership.Role.ADMIN, Membership.Role.MEMBER, Membership.Role.VIEWER)


class InvitationGone(Conflict):
    code, title = "invitation_gone", "This invitation is no longer good"


def invite(*, actor: Actor, role: str, email: str = "") -> tuple[Invitation, str]:
    """An invitation and the address to open it, which is shown this once. Mailed too where mail is configured."""
    require(actor, "accounts.manage_people")
    if role == Membership.Role.OWNER:
        require(actor, "accounts.name_owner")
    if role not in _ROLES:
        raise Invalid("A person is an owner, admin, member or viewer.", code="role_unknown")
    token = new_secret("inv_")
    with transaction.atomic():
        invitation = Invitation.objects.create(
            team_id=actor.team_id,
            email=_clean_email(email),
            role=role,
            digest=digest_of(token),
            invited_by_id=actor.user_id,
            expires_at=timezone.now() + LASTS,
        )
        record(actor, "invitation.created", invitation, role=role)
        if invitation.email and settings.HAS_MAIL:
            transaction.on_commit(lambda: _mail(invitation, token, actor), robust=True)
    return invitation, invitation_url(token)


def invitation_url(token: str) -> str:
    return str(settings.URL) + reverse("accounts_public:invitation", args=[token])


def revoke_invitation(*, actor: Actor, invitation: Invitation) -> None:
    require(actor, "accounts.manage_people")
    with transaction.atomic():
        ended = Invitation.objects.open(timezone.now()).filter(pk=invitation.pk).update(revoked_at=timezone.now())
        if ended:
            record(actor, "invitation.revoked", invitation)


def accept_invitation(*, user: User, token: str) -> Membership:
    """Make this user a member of the inviting team. Raises InvitationGone, and Conflict for people already in.

    The conditional UPDATE decides: among any number of people with the same link exactly one gets in.
    """
    with transaction.atomic():
        open_now = Invitation.objects.open(timezone.now()).filter(digest=digest_of(token))
        invitation = open_now.select_related("team").first()
        if invitation is None:
            raise InvitationGone("This invitation was used, withdrawn, or is older than seven days.")
        if Membership.objects.filter(team=invitation.team, user=user, active=True).exists():
            raise Conflict(f"You are already in {invitation.team.name}.", code="already_member")
        if not open_now.update(accepted_at=timezone.now(), accepted_by=user):
            raise InvitationGone("Somebody else used this invitation a moment ago.")
        membership, _ = Membership.objects.update_or_create(
            team=invitation.team,
            user=user,
            defaults={"role": invitation.role, "active": True, "left_at": None, "responsible": None},
        )
        record(actor_of_membership(membership), "invitation.accepted", invitation, role=invitation.role)
        announce_membership(membership)
    return membership


def _clean_email(email: str) -> str:
    email = email.strip()
    if not email:
        return ""
    try:
        validate_email(email)
    except ValidationError:
        raise Invalid("This is not an e-mail address.", code="email", field="email") from None
    return email


def _mail(invitation: Invitation, token: str, actor: Actor) -> None:
    facts = {"invitation": invitation, "url": invitation_url(token), "inviter": actor.user_name}
    text = render_to_string("accounts/email/invitation.txt", facts)
    try:
        send_mail(f"Join {invitation.team.name} on Stash", text, None, [invitation.email])
    except OSError:
        # The link is on the inviter's screen as well, so a mail server that is away stops nobody.
        logger.warning("invitation %s not mailed", invitation.pk, exc_info=True)
