"""Which page leads where. A link is resolved when somebody looks: best rank, then shortest path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from accounts.models import Project
from stash.access import allowed
from stash.actors import Actor
from stash.errors import NotFound
from wiki.models import Link, Page, PageName


@dataclass(frozen=True, slots=True)
class Lead:
    """A link with the paths it goes from and to; ``to`` is empty when it is broken."""

    link: Link
    source: str
    to: str


def outgoing(page: Page) -> list[Lead]:
    links = list(Link.objects.filter(page=page).order_by("place"))
    return _resolved(page.project, links, {page.pk: page.path})


def backlinks(page: Page) -> list[Lead]:
    """Links of other pages that lead here."""
    keys = PageName.objects.filter(page=page).values("key")
    links = Link.objects.filter(project=page.project, key__in=keys).exclude(page=page)
    return [lead for lead in _with_sources(page.project, links) if lead.to == page.path]


def broken_links(actor: Actor, project: Project) -> list[Lead]:
    """Links that lead nowhere, by page and line."""
    _readable(actor, project)
    named = PageName.objects.filter(project=project)
    links = Link.objects.filter(project=project)
    unknown = links.exclude(kind=Link.Kind.RELATIVE).exclude(key__in=named.values("key"))
    lost = links.filter(kind=Link.Kind.RELATIVE).exclude(key__in=named.filter(rank=0).values("key"))
    return [lead for lead in _with_sources(project, [*unknown, *lost]) if not lead.to]


def orphans(actor: Actor, project: Project) -> list[Page]:
    """Pages that no other page leads to."""
    linked = {to for source, to in graph(actor, project) if source != to}
    return [
        page for page in Page.objects.filter(project=project).defer("text").order_by("path") if page.path not in linked
    ]


def graph(actor: Actor, project: Project) -> list[tuple[str, str]]:
    """Every link that leads somewhere, from path to path, once."""
    _readable(actor, project)
    leads = _with_sources(project, Link.objects.filter(project=project))
    return sorted({(lead.source, lead.to) for lead in leads if lead.to})


def _readable(actor: Actor, project: Project) -> None:
    if not allowed(actor, "wiki.read", project):
        raise NotFound()


def _with_sources(project: Project, links: Iterable[Link]) -> list[Lead]:
    links = list(links)
    paths = dict(Page.objects.filter(project=project).values_list("pk", "path"))
    found = _resolved(project, links, paths)
    return sorted(found, key=lambda lead: (lead.source, lead.link.place))


def _resolved(project: Project, links: list[Link], sources: Mapping[UUID, str]) -> list[Lead]:
    keys = {link.key for link in links}
    named = PageName.objects.filter(project=project)
    if len(keys) <= 500:
        named = named.filter(key__in=keys)
    best: dict[str, tuple[int, int, str]] = {}
    for key, rank, path in named.values_list("key", "rank", "page__path"):
        this = (rank, len(path), path)
        best[key] = min(best.get(key, this), this)
    leads = []
    for link in links:
        rank, _, to = best.get(link.key, (9, 0, ""))
        leads.append(Lead(link, sources[link.page_id], "" if link.kind == Link.Kind.RELATIVE and rank else to))
    return leads
