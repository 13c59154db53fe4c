"""Who did it is the credential's word alone: bodies and headers that name somebody else change nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.cache import cache

from accounts.models import Machine, ProjectIdentity
from stash.audit.models import AuditEntry

CASE = json.loads((Path(__file__).parent.parent / "cases" / "M01.actor.json").read_text())
HEADERS = next(request["headers"] for request in CASE["requests"] if "headers" in request)
BODY = {"identities": ["git.example.test/acme/ferry"]}


@pytest.fixture(autouse=True)
def _fresh_cache():
    cache.clear()


def _actors() -> set[str]:
    return set(AuditEntry.objects.values_list("actor_name", flat=True))


@pytest.mark.parametrize("field", ["user", "actor", "person", "author"])
def test_body_that_names_somebody_else_is_the_owners_of_the_key(dana, ravi, field):
    answer = ravi.api.post("/api/v1/projects/connect", {**BODY, field: "dana"}, format="json")
    assert answer.status_code == 200
    assert _actors() == {"Ravi"}
    assert ProjectIdentity.objects.get().added_by == ravi.user
    spoof = AuditEntry.objects.get(verb="person.claim_ignored")
    assert (spoof.actor_name, spoof.target_name, spoof.facts) == ("Ravi", "dana", {"where": field})


def test_headers_that_name_somebody_else_are_the_owners_of_the_key(dana, ravi):
    sent = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in HEADERS.items()}
    assert ravi.api.get("/api/v1/me", **sent).json()["user"]["username"] == "ravi"
    assert _actors() == {"Ravi"}
    assert AuditEntry.objects.filter(verb="person.claim_ignored").count() == len(HEADERS)
    ravi.api.get("/api/v1/me", **sent)
    assert AuditEntry.objects.filter(verb="person.claim_ignored").count() == len(HEADERS)


@pytest.mark.parametrize("claim", ["ravi", "RAVI", " Ravi "])
def test_own_name_in_any_letter_case_is_no_claim(ravi, claim):
    assert ravi.api.post("/api/v1/projects/connect", {**BODY, "user": claim}, format="json").status_code == 200
    assert not AuditEntry.objects.filter(verb="person.claim_ignored").exists()


def test_machine_in_a_body_is_no_machine(dana, ravi):
    box = Machine.objects.create(membership=dana.membership, name="mbp-dana")
    body = {**BODY, "machine": "mbp-dana", "machine_id": str(box.pk)}
    assert ravi.api.post("/api/v1/projects/connect", body, format="json").status_code == 200
    assert set(AuditEntry.objects.values_list("machine_name", flat=True)) == {""}


def test_second_machine_of_a_person_is_the_same_person(ravi):
    box = Machine.objects.create(membership=ravi.membership, name="desk")
    ravi.key.machine = box
    ravi.key.save()
    ravi.api.post("/api/v1/projects/connect", BODY, format="json")
    entry = AuditEntry.objects.get(verb="connection.made")
    assert (entry.actor_id, entry.machine_name, entry.key_id) == (ravi.user.pk, "desk", ravi.key.pk)
