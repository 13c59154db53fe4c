"""The database refuses to change the log, whoever asks."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.models import Project
from stash.audit.models import AuditEntry, AuditSeal
from stash.audit.sealing import SETTLE, seal_once
from stash.audit.services import record
from stash.audit.triggers import set_armed


@pytest.fixture
def entry(armed_audit, dana) -> AuditEntry:
    record(dana.actor, "key.created", dana.key, scopes=["read"])
    return AuditEntry.objects.get()


@pytest.mark.parametrize(
    "change",
    [
        lambda: AuditEntry.objects.update(actor_name="somebody else"),
        lambda: AuditEntry.objects.all()._raw_delete("default"),
        lambda: AuditEntry.objects.get().delete(),
        lambda: connection.cursor().execute("DELETE FROM audit_auditentry"),
        lambda: connection.cursor().execute("UPDATE audit_auditentry SET at = at"),
    ],
)
def test_change_is_refused(entry, change):
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        change()
    assert list(AuditEntry.objects.values("actor_name")) == [{"actor_name": "Dana"}]


def test_sealing_is_allowed_once(entry):
    seal = seal_once(now=timezone.now() + SETTLE)
    for change in ({"seal": None}, {"seal": seal}):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            AuditEntry.objects.update(**change)


def test_seal_cannot_be_changed_or_removed(entry):
    seal_once(now=timezone.now() + SETTLE)
    changes = (lambda: AuditSeal.objects.update(digest="0"), lambda: AuditSeal.objects.all()._raw_delete("default"))
    for change in changes:
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            change()


def test_emptying_the_table_is_refused(entry):
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        connection.cursor().execute(connection.ops.sql_flush(_style(), ["audit_auditentry"])[0])


def test_disarmed_log_can_be_cleaned(entry):
    set_armed(False)
    assert AuditEntry.objects.all().delete()[0] == 1


def test_log_is_armed_where_nobody_disarmed_it(armed_audit):
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), min(CASE WHEN armed THEN 1 ELSE 0 END) FROM audit_arming")
        assert cursor.fetchone() == (1, 1)


def test_record_keeps_values(db, dana, shop):
    record(dana.actor, "project.renamed", shop, before="a", after="b")
    record(dana.actor, "audit.exported", name="audit.csv")
    renamed, exported = AuditEntry.objects.order_by("id")
    assert (renamed.target_type, renamed.target_id, renamed.project_id) == ("project", str(shop.pk), shop.pk)
    assert renamed.facts == {"before": "a", "after": "b"}
    assert (exported.target_type, exported.target_id, exported.target_name) == ("", "", "audit.csv")
    assert str(renamed) == "Dana renamed a project shop"


def test_target_type_names_the_model_behind_proxies(db, dana, shop):
    record(dana.actor, "project.renamed", Project.objects.defer("name").get(pk=shop.pk))

    class Shown(Project):
        class Meta:
            proxy = True
            app_label = "accounts"

    record(dana.actor, "project.renamed", Shown.objects.get(pk=shop.pk))
    assert list(AuditEntry.objects.values_list("target_type", flat=True)) == ["project", "project"]


def _style():
    from django.core.management.color import no_style

    return no_style()
