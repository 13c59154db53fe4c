"""Roles, leaving, the last owner, and who else is told."""

from __future__ import annotations

import threading
from typing import ClassVar

import pytest
from allauth.idp.oidc.models import Client, Token
from django.db import connection
from django.utils import timezone

from accounts import services
from accounts.models import ApiKey, Connection, Membership, User
from stash.audit.models import AuditEntry
from stash.errors import Conflict, Forbidden, Invalid
from tests.conftest import make_person


class Listener:
    """Stands in for an app above: sees every call, inside the transaction."""

    told: ClassVar[list] = []

    def person_deactivated(self, actor, membership):
        self.told.append((actor.user_name, membership.user.username, connection.in_atomic_block))


listener = Listener()


@pytest.fixture
def owner(team):
    return make_person(team, "olive", "owner")


@pytest.fixture
def admin(team):
    return make_person(team, "ada", "admin")


def test_create_team_with_owner(db):
    user = User.objects.create_user("nina")
    first = services.create_team_with_owner(user=user, name="North Pier")
    again = services.create_team_with_owner(user=user, name="North  Pier ")
    assert (first.team.slug, first.role, again.team.slug) == ("north-pier", "owner", "north-pier-2")


def test_change_role_is_for_admins(owner, admin, dana, ravi):
    services.change_role(actor=admin.actor, membership=dana.membership, role="viewer")
    assert Membership.objects.get(pk=dana.membership.pk).role == "viewer"
    with pytest.raises(Forbidden):
        services.change_role(actor=ravi.actor, membership=dana.membership, role="admin")


def test_change_role_to_owner_is_for_owners(owner, admin, dana):
    with pytest.raises(Forbidden):
        services.change_role(actor=admin.actor, membership=dana.membership, role="owner")
    services.change_role(actor=owner.actor, membership=dana.membership, role="owner")
    assert AuditEntry.objects.get(verb="membership.role_changed").facts == {"before": "member", "after": "owner"}


def test_change_role_of_an_owner_is_for_owners(owner, admin):
    with pytest.raises(Forbidden):
        services.change_role(actor=admin.actor, membership=owner.membership, role="member")


def test_change_role_of_the_last_owner_is_refused(owner):
    with pytest.raises(Conflict, match="at least one owner"):
        services.change_role(actor=owner.actor, membership=owner.membership, role="admin")


def test_change_role_of_a_service_account_is_refused(owner, team):
    bot = make_person(team, "bot", "service", responsible=owner.membership)
    with pytest.raises(Invalid):
        services.change_role(actor=owner.actor, membership=bot.membership, role="admin")


def test_deactivate_person_ends_everything_at_once(settings, owner, dana, shop):
    settings.STASH_LISTENERS = ["tests.accounts.test_people.listener"]
    Listener.told.clear()
    services.deactivate_person(actor=owner.actor, membership=dana.membership)
    assert dana.api.get("/api/v1/me").status_code == 401
    assert not Connection.objects.filter(membership=dana.membership).exists()
    assert Listener.told == [("Olive", "dana", True)]
    assert AuditEntry.objects.filter(verb="person.deactivated", target_id=str(dana.membership.pk)).count() == 1
    services.deactivate_person(actor=owner.actor, membership=dana.membership)
    assert len(Listener.told) == 1


def test_deactivate_person_who_comes_back_has_no_old_keys(owner, dana):
    services.deactivate_person(actor=owner.actor, membership=dana.membership)
    _, url = services.invite(actor=owner.actor, role="viewer")
    back = services.accept_invitation(user=dana.user, token=url.rstrip("/").rsplit("/", 1)[-1])
    assert (back.pk, back.role, back.active) == (dana.membership.pk, "viewer", True)
    assert not ApiKey.objects.usable(timezone.now()).filter(membership=back).exists()


def test_deactivate_person_hands_over_service_accounts(owner, admin, team):
    bot = make_person(team, "bot", "service", responsible=admin.membership)
    services.deactivate_person(actor=owner.actor, membership=admin.membership)
    assert Membership.objects.get(pk=bot.membership.pk).responsible_id == owner.membership.pk


def test_deactivate_oneself_with_service_accounts_is_refused(owner, admin, team):
    make_person(team, "bot", "service", responsible=admin.membership)
    with pytest.raises(Conflict):
        services.deactivate_person(actor=admin.actor, membership=admin.membership)


def test_deactivate_the_last_owner_is_refused(owner):
    with pytest.raises(Conflict):
        services.deactivate_person(actor=owner.actor, membership=owner.membership)


@pytest.mark.django_db(transaction=True)
def test_two_owners_who_remove_each_other_leave_one(owner, team):
    other = make_person(team, "oscar", "owner")
    pairs = [(owner, other), (other, owner)]
    start, refused = threading.Barrier(2), []

    def remove(who, whom):
        start.wait()
        try:
            services.deactivate_person(actor=who.actor, membership=Membership.objects.get(pk=whom.membership.pk))
        except Conflict as error:
            refused.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=remove, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == ["last_owner"]
    assert Membership.objects.active().filter(team=team, role="owner").count() == 1


def test_create_service_account_needs_a_person(owner, team, olga):
    with pytest.raises(Invalid):
        services.create_service_account(actor=owner.actor, name="bot", responsible=olga.membership)


def test_update_profile_refuses_a_username_in_use_in_any_letter_case(dana, ravi):
    with pytest.raises(Invalid, match="Somebody has"):
        services.update_profile(actor=ravi.actor, user=ravi.user, username="DANA")
    services.update_profile(actor=ravi.actor, user=ravi.user, name="Ravi  K.", username="ravi.k", shortcuts=False)
    user = User.objects.get(pk=ravi.user.pk)
    assert (user.name, user.username, user.shortcuts) == ("Ravi K.", "ravi.k", False)


@pytest.mark.parametrize("username", ["ravi@example.test", "", "a b/c", "x" * 10 + "\x00"])
def test_update_profile_refuses_what_is_no_username(ravi, username):
    with pytest.raises(Invalid):
        services.update_profile(actor=ravi.actor, user=ravi.user, username=username)


def test_tokens_of_a_device_sign_in_end_with_the_person(owner, dana):
    client = Client.objects.create(pk="x", name="x")
    Token.objects.create(type="at", hash="h", client=client, user=dana.user)
    services.deactivate_person(actor=owner.actor, membership=dana.membership)
    from accounts.services.machines import TokenSpent

    with pytest.raises(TokenSpent):
        services.exchange_machine(access_token="anything")
