from __future__ import annotations

import threading
from datetime import timedelta
from io import StringIO
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from stash.audit.models import AuditEntry, AuditSeal
from stash.audit.sealing import SETTLE, seal_once, verify
from stash.audit.services import record


def later():
    return timezone.now() + SETTLE


@pytest.fixture
def three_seals(db, dana) -> None:
    for batch in range(3):
        for number in range(4):
            record(dana.actor, "key.created", dana.key, batch=batch, number=number)
        assert seal_once(now=later())


def test_seals_cover_every_entry_in_a_chain(three_seals):
    seals = list(AuditSeal.objects.all())
    assert [seal.number for seal in seals] == [1, 2, 3]
    assert [seal.previous for seal in seals] == ["", seals[0].digest, seals[1].digest]
    verdict = verify()
    assert (verdict.seals, verdict.entries, verdict.unsealed, verdict.broken) == (3, 12, 0, "")


def test_nothing_due_makes_no_seal(three_seals):
    assert seal_once(now=later()) is None


def test_young_entries_wait(db, dana):
    record(dana.actor, "key.created", dana.key)
    assert seal_once(now=timezone.now()) is None
    assert verify().unsealed == 1


def test_a_straggler_with_an_old_time_and_id_is_sealed_later(three_seals, dana):
    oldest = AuditEntry.objects.order_by("id").first()
    just_before = UUID(int=oldest.id.int - 1)
    AuditEntry.objects.create(id=just_before, at=oldest.at - timedelta(hours=1), actor_name="late", verb="key.created")
    assert seal_once(now=later()).entries == 1
    assert verify().broken == ""


@pytest.mark.parametrize(
    "field, value", [("actor_name", "x"), ("facts", {"a": 1}), ("ip", "10.0.0.1"), ("team_id", None)]
)
def test_a_changed_entry_is_named(three_seals, field, value):
    AuditEntry.objects.filter(facts__batch=1, facts__number=2).update(**{field: value})
    assert verify().broken.startswith("an entry of seal 2 of ")


def test_a_changed_moment_is_named_to_the_microsecond(three_seals):
    entry = AuditEntry.objects.filter(facts__batch=0).first()
    AuditEntry.objects.filter(pk=entry.pk).update(at=entry.at + timedelta(microseconds=1))
    assert verify().broken.startswith("an entry of seal 1 of ")


def test_a_removed_entry_is_named(three_seals):
    AuditEntry.objects.filter(facts__batch=2, facts__number=0).delete()
    assert "seal 3" in verify().broken
    assert "3 entries instead of 4" in verify().broken


def test_a_removed_seal_is_named(three_seals):
    AuditEntry.objects.filter(seal=2).delete()
    AuditSeal.objects.filter(number=2).delete()
    assert verify().broken == "seal 2 is missing"


def test_a_recomputed_seal_breaks_the_next(three_seals):
    AuditSeal.objects.filter(number=1).update(digest="0" * 64)
    assert verify().broken.startswith("an entry of seal 1")


def test_command_says_intact_or_fails(three_seals):
    out = StringIO()
    call_command("verify_audit", stdout=out)
    assert out.getvalue() == "The audit log is intact: 12 entries in 3 seals, 0 not sealed yet.\n"
    AuditEntry.objects.filter(facts__batch=1).update(verb="key.revoked")
    with pytest.raises(CommandError, match=r"an entry of seal 2 .* 1 seals before it are intact"):
        call_command("verify_audit")


@pytest.mark.django_db(transaction=True)
def test_of_concurrent_sealers_exactly_one_wins(dana):
    for number in range(50):
        record(dana.actor, "key.created", dana.key, number=number)
    start, made = threading.Barrier(6), []

    def seal() -> None:
        start.wait()
        try:
            made.append(seal_once(now=later()))
        finally:
            connection.close()

    threads = [threading.Thread(target=seal) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seal.entries for seal in made if seal) == [50]
    assert len(made) == 6
    assert verify().broken == ""
