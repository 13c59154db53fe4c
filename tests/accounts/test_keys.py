"""The life of a key, from the one time it is shown to its end."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts import services
from accounts.authentication import digest_of, usable_key
from accounts.models import ApiKey, Machine
from stash.audit.models import AuditEntry
from stash.errors import Forbidden, Invalid
from tests.conftest import make_person


def test_create_key_shows_the_secret_once(dana):
    answer = dana.api.post("/api/v1/me/keys", {"name": "ci", "scopes": ["read", "write"]}, format="json")
    assert answer.status_code == 201
    secret = answer.json()["secret"]
    assert secret.startswith("stash_")
    assert len(secret) == 49
    assert answer["Cache-Control"] == "no-store"
    key = ApiKey.objects.get(pk=answer.json()["id"])
    assert (key.digest, key.last4) == (digest_of(secret), secret[-4:])
    assert secret not in dana.api.get("/api/v1/me/keys").content.decode()
    assert secret not in str(list(AuditEntry.objects.values()))


@pytest.mark.parametrize(
    "role, got",
    [
        ("owner", ["capture", "read", "write", "admin"]),
        ("admin", ["capture", "read", "write", "admin"]),
        ("member", ["capture", "read", "write"]),
        ("viewer", ["read"]),
    ],
)
def test_create_key_caps_scopes_to_the_role(team, role, got):
    person = make_person(team, "someone", role)
    key, _ = services.create_key(actor=person.actor, name="all", scopes=["admin", "write", "read", "capture"])
    assert key.scopes == got


def test_create_key_caps_scopes_to_the_key_that_makes_it(team):
    person = make_person(team, "someone", "owner", scopes=["read", "write"])
    key, _ = services.create_key(actor=person.actor, name="x", scopes=["admin", "read"])
    assert key.scopes == ["read"]


def test_create_key_with_nothing_to_give_is_refused(team):
    person = make_person(team, "someone", "member", scopes=["write"])
    with pytest.raises(Invalid):
        services.create_key(actor=person.actor, name="x", scopes=["admin"])


def test_create_key_in_the_past_is_refused(dana):
    with pytest.raises(Invalid):
        services.create_key(
            actor=dana.actor, name="x", scopes=["read"], expires_at=timezone.now() - timedelta(seconds=1)
        )


def test_create_key_for_another_person_is_refused(team, dana):
    admin = make_person(team, "ada", "admin")
    with pytest.raises(Forbidden):
        services.create_key(actor=admin.actor, name="x", scopes=["read"], service_account=dana.membership)


def test_revoke_key_ends_it_at_once_and_again_is_harmless(dana):
    made = dana.api.post("/api/v1/me/keys", {"name": "ci", "scopes": ["read"]}, format="json").json()
    for _ in range(2):
        assert dana.api.delete(f"/api/v1/me/keys/{made['id']}").status_code == 204
    assert usable_key(made["secret"]) is None
    assert AuditEntry.objects.filter(verb="key.revoked").count() == 1


def test_revoke_key_of_somebody_else_is_not_found(dana, ravi):
    assert ravi.api.delete(f"/api/v1/me/keys/{dana.key.pk}").status_code == 404
    assert usable_key(dana.secret)


def test_revoke_key_of_a_person_is_for_admins(team, dana):
    admin = make_person(team, "ada", "admin")
    assert admin.api.delete(f"/api/v1/me/keys/{dana.key.pk}").status_code == 204
    assert dana.api.get("/api/v1/me").status_code == 401


def test_capture_key_may_end_only_itself(team, dana):
    machine = make_person(team, "box", scopes=["capture"])
    other = ApiKey.objects.create(
        membership=machine.membership, name="other", digest="d" * 64, last4="dddd", scopes=["read"]
    )
    assert machine.api.delete(f"/api/v1/me/keys/{other.pk}").status_code == 403
    assert machine.api.delete(f"/api/v1/me/keys/{machine.key.pk}").status_code == 204
    assert machine.api.get("/api/v1/me").status_code == 401


@pytest.mark.parametrize("change", ["expired", "revoked", "person", "membership", "machine"])
def test_key_that_is_over_opens_nothing(dana, change):
    now = timezone.now()
    if change == "expired":
        ApiKey.objects.update(expires_at=now)
    elif change == "revoked":
        ApiKey.objects.update(revoked_at=now)
    elif change == "person":
        dana.user.is_active = False
        dana.user.save()
    elif change == "membership":
        dana.membership.active = False
        dana.membership.save()
    else:
        gone = Machine.objects.create(membership=dana.membership, name="old laptop", revoked_at=now)
        ApiKey.objects.update(machine=gone)
    answer = dana.api.get("/api/v1/me")
    assert answer.status_code == 401
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["WWW-Authenticate"] == "Bearer"


def test_me_says_who_the_key_is(dana, team):
    me = dana.api.get("/api/v1/me").json()
    assert (me["user"]["username"], me["team"]["slug"], me["role"]) == ("dana", "harbour", "member")
    assert me["key"]["id"] == str(dana.key.pk)
    assert me["machine"] is None


def test_rename_and_revoke_machine(dana):
    machine = Machine.objects.create(membership=dana.membership, name="box")
    ApiKey.objects.filter(pk=dana.key.pk).update(machine=machine)
    services.rename_machine(actor=dana.actor, machine=machine, name="  mbp-dana\n")
    machine.refresh_from_db()
    assert machine.name == "mbp-dana"
    services.revoke_machine(actor=dana.actor, machine=machine)
    assert dana.api.get("/api/v1/me").status_code == 401


def test_revoke_machine_of_somebody_else_is_refused(dana, ravi):
    machine = Machine.objects.create(membership=dana.membership, name="box")
    with pytest.raises(Forbidden):
        services.revoke_machine(actor=ravi.actor, machine=machine)


def test_service_account_key_reaches_granted_projects_only(team, dana, shop):
    admin = make_person(team, "ada", "admin")
    bot = services.create_service_account(actor=admin.actor, name="ci-bot", responsible=dana.membership)
    key, secret = services.create_key(actor=admin.actor, name="ci", scopes=["read", "admin"], service_account=bot)
    assert key.scopes == ["read"]
    assert not bot.user.has_usable_password()
    found = usable_key(secret)
    assert found
    from accounts.authentication import actor_of_key
    from accounts.models import Project

    assert not Project.objects.visible_to(actor_of_key(found)).exists()
    services.grant_access(actor=admin.actor, project=shop, membership=bot, can_write=False)
    assert list(Project.objects.visible_to(actor_of_key(found))) == [shop]
    assert not Project.objects.writable_by(actor_of_key(found)).exists()


def refusal(person) -> tuple[int, str, str]:
    answer = person.api.get("/api/v1/me")
    return answer.status_code, answer.json()["code"], answer["WWW-Authenticate"]


def test_why_a_key_opens_nothing_is_said_to_who_holds_it(dana, ravi, team):
    now = timezone.now()
    ApiKey.objects.filter(pk=dana.key.pk).update(expires_at=now - timedelta(seconds=1))
    assert refusal(dana) == (401, "key_expired", "Bearer")
    ApiKey.objects.filter(pk=dana.key.pk).update(revoked_at=now)
    assert refusal(dana) == (401, "key_revoked", "Bearer")
    ravi.membership.active = False
    ravi.membership.save()
    assert refusal(ravi) == (401, "key_revoked", "Bearer")
    ravi.secret = "stash_" + "x" * 43
    assert refusal(ravi) == (401, "key_unknown", "Bearer")


def test_a_key_that_may_not_is_told_apart_from_one_that_is_over(team):
    reader = make_person(team, "rita", scopes=("read",))
    answer = reader.api.post(
        "/api/v1/events", {"session": {"harness": "x", "native_id": "y"}, "events": []}, format="json"
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


def on_a_machine(person, scopes=("capture", "read", "write")) -> Machine:
    machine = Machine.objects.create(membership=person.membership, name="mbp")
    ApiKey.objects.filter(pk=person.key.pk).update(machine=machine, scopes=list(scopes))
    return machine


@pytest.mark.parametrize("scopes", [("capture", "read", "write"), ("capture",)])
def test_a_machine_signs_itself_out(dana, scopes):
    machine = on_a_machine(dana, scopes)
    other = ApiKey.objects.create(
        membership=dana.membership, name="other", digest="0" * 64, last4="0000", scopes=["read"]
    )
    assert dana.api.delete("/api/v1/machines/current").status_code == 204
    assert refusal(dana) == (401, "key_revoked", "Bearer")
    assert dana.api.delete("/api/v1/machines/current").json()["code"] == "key_revoked"
    machine.refresh_from_db()
    other.refresh_from_db()
    assert (machine.revoked_at is None, other.revoked_at) == (False, None)
    entry = AuditEntry.objects.get(verb="machine.revoked")
    assert (entry.target_name, entry.actor_name) == ("mbp", "Dana")


def test_a_key_made_by_hand_has_no_machine_to_sign_out(dana):
    answer = dana.api.delete("/api/v1/machines/current")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert dana.api.get("/api/v1/me").status_code == 200
