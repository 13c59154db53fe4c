"""Links that lead to a page are written anew when it moves."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from urllib.parse import quote

from wiki.models import Link, Page, PageName
from wiki.reading import FoundLink, plain_key, read, stem_of
from wiki.services.writing import Desk


def rewritten(desk: Desk, path: str, to: str, text: str, *, most: int) -> dict[str, str]:
    """The texts of all pages that link to ``path``, and of the page itself at its new path."""
    page = Page.objects.filter(project=desk.project, path=path).first()
    files = {to: _own(path, to, text)}
    if page is None:
        return files
    for other in _linking(page, most):
        source = desk.read(other.path)
        if source is not None and other.pk != page.pk:
            new = _changed(source.text, _to_rename(page, other.path, source.text, path, to))
            if new != source.text:
                files[other.path] = new
    return files


def _linking(page: Page, most: int) -> Iterable[Page]:
    keys = PageName.objects.filter(page=page).values("key")
    found = Link.objects.filter(project=page.project, key__in=keys).values("page")
    return Page.objects.filter(pk__in=found).order_by("path")[:most]


def _to_rename(page: Page, source: str, text: str, path: str, to: str) -> list[tuple[FoundLink, str]]:
    """Links that led to the page by its path or file name, with what they have to say now."""
    leads = leads_to(page)
    renamed = []
    for link in read(source, text).links:
        if link.key not in leads:
            continue
        if link.kind == "relative":
            renamed.append((link, quote(posixpath.relpath(to, posixpath.dirname(source) or "."))))
            continue
        whole, name = plain_key(path), plain_key(path.rsplit("/", 1)[-1])
        if link.key == whole and "/" in link.target:
            renamed.append((link, stem_of(to)))
        elif link.key == name and plain_key(to.rsplit("/", 1)[-1]) != name:
            renamed.append((link, stem_of(to).rsplit("/", 1)[-1]))
    return renamed


def leads_to(page: Page) -> set[str]:
    """The keys by which links find this page and no better one."""
    mine = {(one.key, one.rank) for one in PageName.objects.filter(page=page)}
    rivals = PageName.objects.filter(project=page.project, key__in=[key for key, _ in mine]).exclude(page=page)
    best: dict[str, tuple[int, int, str]] = {}
    for key, rank, path in rivals.values_list("key", "rank", "page__path"):
        best[key] = min(best.get(key, (9, 0, "")), (rank, len(path), path))
    return {key for key, rank in mine if (rank, len(page.path), page.path) < best.get(key, (9, 0, ""))}


def _own(path: str, to: str, text: str) -> str:
    """Relative links of the page itself, seen from its new folder."""
    here, there = posixpath.dirname(path), posixpath.dirname(to)
    if here == there:
        return text
    links = [one for one in read(path, text).links if one.kind == "relative"]
    moved = []
    for link in links:
        whole = posixpath.normpath(posixpath.join(here, link.target))
        moved.append((link, posixpath.relpath(whole, there or ".")))
    return _changed(text, moved)


def _changed(text: str, renamed: list[tuple[FoundLink, str]]) -> str:
    for link, target in sorted(renamed, key=lambda one: one[0].start, reverse=True):
        text = text[: link.start] + target + text[link.end :]
    return text
