"""Writes: one function per verb, actor first, one transaction with its audit entry; everything outward on commit."""

from accounts.services.audit import note_audit_export
from accounts.services.connections import change_connection, connect, disconnect, ensure_project
from accounts.services.invitations import accept_invitation, invitation_url, invite, revoke_invitation
from accounts.services.keys import create_key, revoke_key
from accounts.services.machines import approve_device, exchange_machine, note_client, rename_machine, revoke_machine
from accounts.services.patterns import set_team_patterns
from accounts.services.people import (
    change_role,
    create_service_account,
    create_team_with_owner,
    deactivate_person,
    join_open_team,
    update_profile,
)
from accounts.services.projects import (
    attach_identity,
    change_project,
    create_project,
    detach_identity,
    grant_access,
    rename_project,
    set_policy,
    set_session_visibility,
    set_team_session_visibility,
    set_visibility,
    withdraw_access,
)
from accounts.services.signin import bootstrap, make_signin_link, use_signin_link

__all__ = [
    "accept_invitation",
    "approve_device",
    "attach_identity",
    "bootstrap",
    "change_connection",
    "change_project",
    "change_role",
    "connect",
    "create_key",
    "create_project",
    "create_service_account",
    "create_team_with_owner",
    "deactivate_person",
    "detach_identity",
    "disconnect",
    "ensure_project",
    "exchange_machine",
    "grant_access",
    "invitation_url",
    "invite",
    "join_open_team",
    "make_signin_link",
    "note_audit_export",
    "note_client",
    "rename_machine",
    "rename_project",
    "revoke_invitation",
    "revoke_key",
    "revoke_machine",
    "set_policy",
    "set_session_visibility",
    "set_team_patterns",
    "set_team_session_visibility",
    "set_visibility",
    "update_profile",
    "use_signin_link",
    "withdraw_access",
]
