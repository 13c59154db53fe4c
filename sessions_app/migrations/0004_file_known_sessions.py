"""Sessions that were there before names were: by their first prompt, or by the end of their first turn."""

from django.db import migrations
from django.db.models import Min, Q

from sessions_app.filing import filed
from sessions_app.services.effects import title_of

BATCH = 100


def file_sessions(apps, schema_editor):
    Session = apps.get_model("sessions_app", "Session")
    last = None
    while True:
        found = Session.objects.filter(filed_on__isnull=True).order_by("pk")
        batch = list((found.filter(pk__gt=last) if last else found)[:BATCH])
        if not batch:
            return
        last = batch[-1].pk
        file_batch(apps, batch)


def file_batch(apps, batch):
    Session, Event = apps.get_model("sessions_app", "Session"), apps.get_model("sessions_app", "Event")
    first = (
        Event.objects.filter(session__in=batch, kind__in=("prompt", "turn_end", "session_end"))
        .values("session")
        .annotate(number=Min("number"))
        .values_list("session", "number")
    )
    by_session = {session.pk: session for session in batch}
    wanted = Q(pk__in=[])
    for session, number in first:
        wanted |= Q(session=session, number=number)
    for event in Event.objects.filter(wanted):
        session = by_session[event.session_id]
        title = title_of(event.text) if event.kind == "prompt" else ""
        session.filed_on, session.filed_as = filed(session.pk, event.occurred_at, title)
    Session.objects.bulk_update([s for s in batch if s.filed_on], ["filed_on", "filed_as"], batch_size=100)


class Migration(migrations.Migration):
    dependencies = [("sessions_app", "0003_file_sessions")]
    operations = [migrations.RunPython(file_sessions, migrations.RunPython.noop)]
