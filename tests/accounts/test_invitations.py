"""Links that let one person in."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.utils import timezone

from accounts import services
from accounts.models import Invitation, Membership, User
from accounts.services.invitations import InvitationGone
from stash.audit.models import AuditEntry
from stash.errors import Conflict, Forbidden, Invalid
from tests.conftest import make_person


@pytest.fixture
def admin(team):
    return make_person(team, "ada", "admin")


def token_of(url: str) -> str:
    return url.rstrip("/").rsplit("/", 1)[-1]


def test_invite_gives_a_link_to_copy(admin, settings):
    invitation, url = services.invite(actor=admin.actor, role="viewer")
    assert url.startswith(f"{settings.URL}/accounts/invitations/")
    assert token_of(url) not in str(list(AuditEntry.objects.values()))
    membership = services.accept_invitation(user=User.objects.create_user("new"), token=token_of(url))
    assert (membership.team, membership.role) == (invitation.team, "viewer")
    assert AuditEntry.objects.get(verb="invitation.accepted").actor_name == "new"


def test_invite_mails_the_link_where_mail_is_configured(admin, settings, django_capture_on_commit_callbacks):
    settings.HAS_MAIL = True
    with django_capture_on_commit_callbacks(execute=True):
        _, url = services.invite(actor=admin.actor, role="member", email="new@example.test")
    assert [message.to for message in mail.outbox] == [["new@example.test"]]
    assert url in mail.outbox[0].body


def test_invite_without_mail_sends_nothing(admin, settings, django_capture_on_commit_callbacks):
    settings.HAS_MAIL = False
    with django_capture_on_commit_callbacks(execute=True):
        services.invite(actor=admin.actor, role="member", email="new@example.test")
    assert mail.outbox == []


def test_invite_is_for_admins(dana):
    with pytest.raises(Forbidden):
        services.invite(actor=dana.actor, role="member")


def test_invite_as_owner_is_for_owners(admin):
    with pytest.raises(Forbidden):
        services.invite(actor=admin.actor, role="owner")


@pytest.mark.parametrize("role, email", [("service", ""), ("king", ""), ("member", "not an address")])
def test_invite_with_nonsense_is_refused(admin, role, email):
    with pytest.raises(Invalid):
        services.invite(actor=admin.actor, role=role, email=email)


@pytest.mark.parametrize("end", ["used", "revoked", "expired", "unknown"])
def test_accept_invitation_that_is_over_is_refused(admin, end):
    invitation, url = services.invite(actor=admin.actor, role="member")
    if end == "used":
        services.accept_invitation(user=User.objects.create_user("first"), token=token_of(url))
    elif end == "revoked":
        services.revoke_invitation(actor=admin.actor, invitation=invitation)
    elif end == "expired":
        Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    late = User.objects.create_user("late")
    with pytest.raises(InvitationGone):
        services.accept_invitation(user=late, token="inv_x" if end == "unknown" else token_of(url))
    assert not Membership.objects.filter(user=late).exists()


def test_accept_invitation_by_somebody_already_in_keeps_it_open(admin, dana):
    invitation, url = services.invite(actor=admin.actor, role="admin")
    with pytest.raises(Conflict):
        services.accept_invitation(user=dana.user, token=token_of(url))
    assert Invitation.objects.open(timezone.now()).get() == invitation
    assert Membership.objects.get(pk=dana.membership.pk).role == "member"


@pytest.mark.django_db(transaction=True)
def test_two_who_accept_at_once_are_one(admin):
    _, url = services.invite(actor=admin.actor, role="member")
    people = [User.objects.create_user(f"racer{n}") for n in range(4)]
    start, outcomes = threading.Barrier(len(people)), []

    def accept(user):
        start.wait()
        try:
            services.accept_invitation(user=user, token=token_of(url))
            outcomes.append("in")
        except InvitationGone:
            outcomes.append("gone")
        finally:
            connection.close()

    threads = [threading.Thread(target=accept, args=(user,)) for user in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["gone", "gone", "gone", "in"]
    assert Membership.objects.filter(user__in=people).count() == 1
