"""The index of the pages, and what the wiki learns."""

from wiki.models.pages import Link, Page, PageName, PageQuerySet, Repository, Revision, Section, Tombstone

__all__ = ["Link", "Page", "PageName", "PageQuerySet", "Repository", "Revision", "Section", "Tombstone"]
