"""Names people give to things, made clean, and short names that nobody else has or had."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.utils.text import slugify

from accounts.models import Project, ProjectSlug, Team
from stash.errors import Invalid


def clean_name(value: str, *, field: str = "name", longest: int = 120) -> str:
    """One line of printable text, no longer than ``longest``. Raises Invalid when nothing is left."""
    text = " ".join("".join(c if c.isprintable() else " " for c in value).split())[:longest].strip()
    if not text:
        raise Invalid(f"Give it a {field}.", code="name_missing", field=field)
    return text


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
