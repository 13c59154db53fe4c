"""People, teams, what they may reach, and the machines and keys that act for them."""

from accounts.models.keys import ApiKey, DeviceApproval, Machine
from accounts.models.links import Invitation, SignInLink
from accounts.models.patterns import TeamPattern
from accounts.models.people import Membership, Team, User
from accounts.models.projects import Connection, Project, ProjectGrant, ProjectIdentity, ProjectSlug

__all__ = [
    "ApiKey",
    "Connection",
    "DeviceApproval",
    "Invitation",
    "Machine",
    "Membership",
    "Project",
    "ProjectGrant",
    "ProjectIdentity",
    "ProjectSlug",
    "SignInLink",
    "Team",
    "TeamPattern",
    "User",
]
