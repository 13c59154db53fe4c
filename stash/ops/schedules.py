"""Recurring background work, kept in django-q2's table."""

from __future__ import annotations

from dataclasses import dataclass

from django_q.models import Schedule

_MINUTES = Schedule.MINUTES


@dataclass(frozen=True)
class Recurring:
    name: str
    func: str
    minutes: int


RECURRING = (
    Recurring("seal the audit log", "stash.audit.tasks.seal", minutes=1),
    Recurring("end silent sessions", "sessions_app.tasks.sweep", minutes=1),
    Recurring("index pages left behind", "wiki.tasks.sweep", minutes=1),
)


def install() -> None:
    """Make the table hold exactly these schedules of ours. Running it again changes nothing."""
    known = {found.name: found for found in Schedule.objects.filter(name__in=[each.name for each in RECURRING])}
    for each in RECURRING:
        schedule = known.get(each.name)
        if schedule is None:
            Schedule.objects.create(name=each.name, func=each.func, schedule_type=_MINUTES, minutes=each.minutes)
        elif (schedule.func, schedule.minutes) != (each.func, each.minutes):
            schedule.func, schedule.minutes = each.func, each.minutes
            schedule.save(update_fields=["func", "minutes"])
