"""Who plays: the people of the harbour, what they work on, and the machines they work at."""

from __future__ import annotations

from dataclasses import dataclass

DOMAIN = "harbour.example"
TEAM = "Harbour"


@dataclass(frozen=True, slots=True)
class Player:
    """``machines``: name to platform; the first is where the sessions come from. ``projects``: what they connected."""

    username: str
    name: str
    role: str
    machines: dict[str, str]
    projects: tuple[str, ...]

    @property
    def email(self) -> str:
        return f"{self.username}@{DOMAIN}"


OWNER = Player(
    "mara", "Mara Lindqvist", "owner", {"mbp-mara": "macOS 15.1", "ci-runner-2": "Debian 12"}, ("ferry-api",)
)
PLAYERS = (
    OWNER,
    Player("tomas", "Tomás Oyelaran", "admin", {"tower-tomas": "Fedora 41"}, ("tidewatch",)),
    Player("jun", "Jun Takeda", "member", {"mbp-jun": "macOS 15.1"}, ("quay-web",)),
    Player("priya", "Priya Nandakumar", "member", {"x1-priya": "Ubuntu 24.04"}, ("tidewatch", "ferry-api")),
    Player("elif", "Elif Sorensen", "member", {"mbp-elif": "macOS 14.7"}, ("harbour-infra",)),
)
PROJECTS = ("ferry-api", "tidewatch", "quay-web", "harbour-infra")


def identity_of(project: str) -> str:
    """What a checkout of it would call itself: its remote."""
    return f"git.{DOMAIN}/harbour/{project}"
