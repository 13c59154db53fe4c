"""Every verb of the audit log in the words a person reads: "Dana *created an API key* laptop"."""

from __future__ import annotations

VERBS = {
    "audit.exported": "exported the audit log",
    "connection.ended": "stopped capture for",
    "connection.made": "connected",
    "invitation.accepted": "accepted an invitation",
    "invitation.created": "invited somebody",
    "invitation.revoked": "withdrew an invitation",
    "key.created": "created an API key",
    "key.revoked": "revoked an API key",
    "machine.approved": "approved a machine",
    "machine.renamed": "renamed a machine",
    "machine.revoked": "signed a machine out",
    "machine.signed_in": "signed a machine in",
    "membership.created": "joined the team",
    "membership.role_changed": "changed the role of",
    "person.claim_ignored": "sent a name that was ignored",
    "person.deactivated": "deactivated",
    "profile.changed": "changed a profile",
    "project.access_granted": "gave access to",
    "project.access_withdrawn": "withdrew access to",
    "project.created": "created a project",
    "project.identity_attached": "attached an identity to",
    "project.identity_detached": "detached an identity from",
    "project.policy_changed": "changed the capture policy of",
    "project.read_without_grant": "looked into a restricted project without a grant",
    "project.renamed": "renamed a project",
    "project.session_visibility_changed": "changed who sees new sessions of",
    "project.visibility_changed": "changed who sees",
    "service_account.created": "created a service account",
    "session.deleted": "deleted a session",
    "session.forgotten": "made a session forget",
    "session.opened_by_admin": "opened a session as admin",
    "session.retitled": "changed the title of a session",
    "session.visibility_changed": "changed who sees a session",
    "signin_link.created": "made a sign-in link",
    "signin_link.used": "signed in with a one-time link",
    "team.created": "created the team",
    "team.patterns_changed": "changed what counts as secret in the team",
    "team.session_visibility_changed": "changed who sees new sessions in the team",
}


def worded(verb: str) -> str:
    """The wording; a verb of a later version reads as itself."""
    return VERBS.get(verb, verb.replace("_", " ").replace(".", " "))
