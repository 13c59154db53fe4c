from django.db import migrations

from stash.audit import triggers


class Migration(migrations.Migration):
    dependencies = [("audit", "0002_seals")]
    operations = [migrations.RunPython(triggers.install, triggers.remove)]
