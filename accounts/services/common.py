"""What the services share: clean names, free slugs, the lock of a team, and news of membership."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.utils.text import slugify

from accounts.models import Membership, Project, ProjectSlug, Team
from stash import live
from stash.errors import Invalid


def clean_name(value: str, *, field: str = "name", longest: int = 120) -> str:
    """One line of printable text, no longer than ``longest``. Raises Invalid when nothing is left."""
    text = " ".join("".join(c if c.isprintable() else " " for c in value).split())[:longest].strip()
    if not text:
        raise Invalid(f"Give it a {field}.", code="name_missing", field=field)
    return text


def lock_team(team_id: UUID) -> Team:
    """Serialises what must be decided one at a time in a team (owners left, identities taken). Inside atomic() only."""
    return Team.objects.select_for_update().get(pk=team_id)


def free_team_slug(name: str) -> str:
    base = slugify(name)[:50] or "team"
    return _first_free(base, lambda slug: Team.objects.filter(slug=slug).exists())


def free_project_slug(team_id: UUID, name: str, *, besides: Project | None = None) -> str:
    """Not in use in this team, now or before: an old slug keeps leading to its own project."""
    base = slugify(name)[:70] or "project"
    return _first_free(base, lambda slug: is_project_slug_taken(team_id, slug, besides=besides))


def is_project_slug_taken(team_id: UUID, slug: str, *, besides: Project | None = None) -> bool:
    now, before = (
        Project.objects.filter(team_id=team_id, slug=slug),
        ProjectSlug.objects.filter(team_id=team_id, slug=slug),
    )
    if besides is not None:
        now, before = now.exclude(pk=besides.pk), before.exclude(project=besides)
    return now.exists() or before.exists()


def _first_free(base: str, taken: Callable[[str], bool]) -> str:
    number, slug = 2, base
    while taken(slug):
        slug, number = f"{base}-{number}", number + 1
    return slug


def announce_membership(membership: Membership) -> None:
    """Watchers of the team and of the person check again what they may see."""
    live.announce(groups=(live.team_group(membership.team_id), live.user_group(membership.user_id)), hint="membership")


def announce_team(team_id: UUID) -> None:
    live.announce(groups=(live.team_group(team_id),), hint="membership")
