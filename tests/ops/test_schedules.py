from __future__ import annotations

from importlib import import_module

import pytest
from django.db import transaction
from django_q.models import OrmQ, Schedule
from django_q.tasks import async_task

from stash.ops import schedules


def test_install_twice_changes_nothing(db):
    schedules.install()
    before = list(Schedule.objects.order_by("pk").values())
    schedules.install()
    assert list(Schedule.objects.order_by("pk").values()) == before
    assert {row["name"] for row in before} == {each.name for each in schedules.RECURRING}


def test_install_corrects_a_changed_schedule(db):
    schedules.install()
    Schedule.objects.update(minutes=99)
    schedules.install()
    assert {each.name: each.minutes for each in schedules.RECURRING} == dict(
        Schedule.objects.values_list("name", "minutes")
    )


@pytest.mark.parametrize("recurring", schedules.RECURRING, ids=lambda recurring: recurring.func)
def test_every_schedule_names_a_function(recurring):
    module, name = recurring.func.rsplit(".", 1)
    assert callable(getattr(import_module(module), name))


@pytest.mark.django_db(transaction=True)
def test_a_rolled_back_transaction_leaves_no_task():
    class Regret(Exception):
        pass

    def queue_and_regret() -> None:
        async_task("stash.audit.tasks.seal")
        assert OrmQ.objects.count() == 1
        raise Regret

    with pytest.raises(Regret), transaction.atomic():
        queue_and_regret()
    assert OrmQ.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_a_committed_transaction_leaves_one_task():
    with transaction.atomic():
        async_task("stash.audit.tasks.seal")
    assert OrmQ.objects.count() == 1
