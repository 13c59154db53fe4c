"""Everything that reads a wiki."""

from wiki.selectors.history import Blamed, blame_of, diff_of, revisions_of, text_at
from wiki.selectors.links import backlinks, broken_links, graph, orphans, outgoing
from wiki.selectors.pages import deleted_pages, find_pages, get_page, pages, wiki_project

__all__ = [
    "Blamed",
    "backlinks",
    "blame_of",
    "broken_links",
    "deleted_pages",
    "diff_of",
    "find_pages",
    "get_page",
    "graph",
    "orphans",
    "outgoing",
    "pages",
    "revisions_of",
    "text_at",
    "wiki_project",
]
