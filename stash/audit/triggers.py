"""The database itself refuses to change or remove audit rows, on both engines, while it is armed.

Armed is the normal state. ``audit_arming`` is a one-row table outside the models: retention and the tests disarm
through ``set_armed``. Filling ``seal`` once is the only change that is allowed.
"""

from __future__ import annotations

from typing import Any

from django.db import connection

_ENTRY, _SEAL, _ARMING = "audit_auditentry", "audit_auditseal", "audit_arming"
_ARMED = f"NOT EXISTS (SELECT 1 FROM {_ARMING} WHERE NOT armed)"  # noqa: S608  (a constant)
_REFUSED = "the audit log is append-only"
_COLUMNS = (
    "id, team_id, at, actor_id, actor_name, channel, key_id, machine_name, harness, ip, verb, "
    "target_type, target_id, target_name, project_id, facts"
)
_GUARDED = {
    "audit_entry_kept": f"DELETE ON {_ENTRY}",
    "audit_entry_unchanged": f"UPDATE OF {_COLUMNS} ON {_ENTRY}",
    "audit_seal_kept": f"DELETE ON {_SEAL}",
    "audit_seal_unchanged": f"UPDATE ON {_SEAL}",
}
_SEALED_ONCE = f"UPDATE OF seal_id ON {_ENTRY}"


def set_armed(armed: bool) -> None:
    """Takes part in the current transaction: on PostgreSQL nobody else sees a state that is not committed."""
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {_ARMING} SET armed = %s", [armed])  # noqa: S608  (a constant)


def install(apps: Any, schema_editor: Any) -> None:
    """For RunPython; also after anything that rebuilds the tables."""
    statements = {"sqlite": _sqlite, "postgresql": _postgres}[schema_editor.connection.vendor]()
    for statement in statements:
        schema_editor.execute(statement, params=None)


def remove(apps: Any, schema_editor: Any) -> None:
    vendor = schema_editor.connection.vendor
    for name, event in {**_GUARDED, "audit_sealed_once": _SEALED_ONCE}.items():
        table = event.rsplit(" ", 1)[1]
        schema_editor.execute(f"DROP TRIGGER IF EXISTS {name}" + (f" ON {table}" if vendor == "postgresql" else ""))
    if vendor == "postgresql":
        for table in (_ENTRY, _SEAL):
            schema_editor.execute(f"DROP TRIGGER IF EXISTS {table}_not_emptied ON {table}")
        schema_editor.execute("DROP FUNCTION IF EXISTS audit_refuse()")
    schema_editor.execute(f"DROP TABLE IF EXISTS {_ARMING}")


def _arming_table() -> list[str]:
    return [
        f"CREATE TABLE IF NOT EXISTS {_ARMING} (armed boolean NOT NULL)",
        f"INSERT INTO {_ARMING} SELECT true WHERE NOT EXISTS (SELECT 1 FROM {_ARMING})",  # noqa: S608
    ]


def _sqlite() -> list[str]:
    def trigger(name: str, event: str, when: str) -> str:
        return f"CREATE TRIGGER {name} BEFORE {event} WHEN {when} BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END"

    guards = [trigger(name, event, _ARMED) for name, event in _GUARDED.items()]
    once = trigger("audit_sealed_once", _SEALED_ONCE, f"OLD.seal_id IS NOT NULL AND {_ARMED}")
    return [*_arming_table(), *guards, once]


def _postgres() -> list[str]:
    function = f"""
        CREATE OR REPLACE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF {_ARMED} THEN RAISE EXCEPTION '{_REFUSED}' USING ERRCODE = 'integrity_constraint_violation'; END IF;
            IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
            RETURN NEW;
        END $$"""

    def trigger(name: str, event: str, scope: str) -> str:
        return f"CREATE TRIGGER {name} BEFORE {event} {scope} EXECUTE FUNCTION audit_refuse()"

    guards = [trigger(name, event, "FOR EACH ROW") for name, event in _GUARDED.items()]
    once = trigger("audit_sealed_once", _SEALED_ONCE, "FOR EACH ROW WHEN (OLD.seal_id IS NOT NULL)")
    emptied = [
        trigger(f"{table}_not_emptied", f"TRUNCATE ON {table}", "FOR EACH STATEMENT") for table in (_ENTRY, _SEAL)
    ]
    return [*_arming_table(), function, *guards, once, *emptied]
