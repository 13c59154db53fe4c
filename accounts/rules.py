"""The permission table: effective right = role in the team ∩ scope of the key."""

from __future__ import annotations

from typing import Any

from rules import add_perm, perm_exists
from rules.predicates import Predicate, predicate

from accounts.models import ApiKey, Connection, Machine, Membership, Project
from stash.actors import Actor

ROLE_SCOPES: dict[str, frozenset[str]] = {
    "owner": frozenset({"capture", "read", "write", "admin"}),
    "admin": frozenset({"capture", "read", "write", "admin"}),
    "member": frozenset({"capture", "read", "write"}),
    "viewer": frozenset({"read"}),
    "service": frozenset({"capture", "read", "write"}),
}
"""The widest key each role can hold."""


def _scope(name: str) -> Predicate:
    return predicate(lambda actor: name in actor.scopes, name=f"scope_{name}")


can_capture, can_read, can_write = _scope("capture"), _scope("read"), _scope("write")


@predicate
def administers(actor: Actor) -> bool:
    return actor.administers


@predicate
def owns_team(actor: Actor) -> bool:
    return actor.role == "owner" and actor.administers


@predicate
def reaches(actor: Actor, project: Project | None) -> bool:
    return project is not None and Project.objects.visible_to(actor).filter(pk=project.pk).exists()


@predicate
def may_change(actor: Actor, project: Project | None) -> bool:
    return project is not None and Project.objects.writable_by(actor).filter(pk=project.pk).exists()


@predicate
def may_start_projects(actor: Actor) -> bool:
    return actor.role in ("owner", "admin", "member")


@predicate
def is_own(actor: Actor, thing: ApiKey | Machine | Connection | None) -> bool:
    return thing is not None and thing.membership_id == actor.membership_id


@predicate
def is_this_key(actor: Actor, key: ApiKey | None) -> bool:
    """A key may always end itself: that is how a machine signs out."""
    return key is not None and key.pk == actor.key_id


@predicate
def is_this_machine(actor: Actor, machine: Machine | None) -> bool:
    """A machine may always sign itself out, whatever its key is for."""
    return machine is not None and machine.pk == actor.machine_id


@predicate
def is_lower_or_own(actor: Actor, membership: Membership | None) -> bool:
    """Owners are named, changed and removed by owners only."""
    return membership is not None and (membership.role != "owner" or actor.role == "owner")


@predicate
def is_person(actor: Actor) -> bool:
    return actor.role != "service"


@predicate
def of_my_team(actor: Actor, thing: Any) -> bool:
    return thing is not None and thing.membership.team_id == actor.team_id


PERMISSIONS: dict[str, Any] = {
    "accounts.read_project": can_read & reaches,
    "accounts.write_project": can_write & may_change,
    "accounts.capture": can_capture & may_change,
    "accounts.govern_project": administers & reaches,
    "accounts.start_project": (can_write | can_capture) & may_start_projects,
    "accounts.connect": (can_write | can_capture) & may_change,
    "accounts.disconnect": is_own,
    "accounts.make_key": can_write & is_person,
    "accounts.revoke_key": is_this_key | (can_write & is_own) | (administers & of_my_team),
    "accounts.change_machine": (can_write & is_own) | (administers & of_my_team),
    "accounts.sign_machine_out": is_this_machine | (can_write & is_own) | (administers & of_my_team),
    "accounts.change_profile": can_write & is_person,
    "accounts.manage_people": administers,
    "accounts.change_person": administers & is_lower_or_own,
    "accounts.name_owner": owns_team,
    "accounts.read_audit": administers,
}
for permission, rule in PERMISSIONS.items():
    if not perm_exists(permission):
        add_perm(permission, rule)
