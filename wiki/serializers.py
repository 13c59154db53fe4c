"""Pages as the contract shows them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from wiki.models import Page, Revision, Tombstone
from wiki.selectors.links import Lead


class PageObject(serializers.Serializer):
    path = serializers.CharField()
    title = serializers.CharField()
    etag = serializers.CharField(help_text="Send it back in If-Match.")
    size = serializers.IntegerField()
    pinned = serializers.BooleanField()
    protected = serializers.BooleanField()
    revisions = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    changed_at = serializers.DateTimeField()
    changed_by = serializers.CharField(help_text="A username; empty where a commit was pushed.")
    changed_by_name = serializers.CharField()
    harness = serializers.CharField()


class WholePage(PageObject):
    text = serializers.CharField()
    front = serializers.DictField()
    front_error = serializers.CharField()


class SavedPage(WholePage):
    commit = serializers.CharField(allow_null=True, help_text="Null where nothing changed.")
    merged = serializers.BooleanField()


class PagePage(serializers.Serializer):
    results = PageObject(many=True)
    next = serializers.CharField(allow_null=True, help_text="Send it back as ?after=")


class PageQuery(serializers.Serializer):
    folder = serializers.CharField(required=False, max_length=400, default="")
    q = serializers.CharField(required=False, max_length=200, default="", help_text="Words; the newest 50 pages.")
    after = serializers.CharField(required=False, max_length=400, default="")
    limit = serializers.IntegerField(required=False, min_value=1, max_value=1000, default=200)


class NewPage(serializers.Serializer):
    title = serializers.CharField(required=False, max_length=500, trim_whitespace=False, default="")
    folder = serializers.CharField(required=False, max_length=400, default="", allow_blank=True)
    path = serializers.CharField(required=False, max_length=800, default="")
    text = serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=1_100_000)
    session = serializers.UUIDField(required=False)


class PageText(serializers.Serializer):
    text = serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=1_100_000)
    message = serializers.CharField(required=False, max_length=200, default="", allow_blank=True)
    session = serializers.UUIDField(required=False)


class Addition(serializers.Serializer):
    text = serializers.CharField(trim_whitespace=False, max_length=1_100_000)
    heading = serializers.CharField(required=False, max_length=200, default="", allow_blank=True)
    session = serializers.UUIDField(required=False)


class Move(serializers.Serializer):
    to = serializers.CharField(max_length=800)


class Restore(serializers.Serializer):
    commit = serializers.RegexField(r"^[0-9a-f]{40}$")


class Mark(serializers.Serializer):
    on = serializers.BooleanField(default=True)


class DiffQuery(serializers.Serializer):
    before = serializers.RegexField(r"^[0-9a-f]{40}$", help_text="A commit of this page.")
    after = serializers.RegexField(r"^[0-9a-f]{40}$")


class RevisionObject(serializers.Serializer):
    commit = serializers.CharField()
    number = serializers.IntegerField()
    change = serializers.CharField(help_text="A added, M changed, D deleted")
    etag = serializers.CharField()
    at = serializers.DateTimeField()
    subject = serializers.CharField()
    author = serializers.CharField()
    person = serializers.CharField()
    harness = serializers.CharField()
    session = serializers.CharField()
    moved_from = serializers.CharField()


class RevisionPage(serializers.Serializer):
    results = RevisionObject(many=True)
    next = serializers.CharField(allow_null=True, help_text="Send it back as ?before=")


class LinkObject(serializers.Serializer):
    page = serializers.CharField()
    to = serializers.CharField(help_text="Empty: the link is broken.")
    kind = serializers.CharField()
    target = serializers.CharField()
    anchor = serializers.CharField()
    line = serializers.IntegerField()


class LinksObject(serializers.Serializer):
    out = LinkObject(many=True)
    back = LinkObject(many=True)
    broken = LinkObject(many=True)


class GraphObject(serializers.Serializer):
    links = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    broken = LinkObject(many=True)
    orphans = serializers.ListField(child=serializers.CharField())


_PLAIN = ("path", "title", "size", "pinned", "protected", "revisions", "changed_by", "changed_by_name", "harness")
_REVISION = ("commit", "number", "change", "subject", "author", "person", "harness", "session", "moved_from")


def page_object(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = {name: getattr(page, name) for name in _PLAIN}
    times = {"created_at": page.created_at.isoformat(), "changed_at": page.changed_at.isoformat()}
    return found | times | {"etag": page.blob}


def whole_page(page: Page) -> dict[str, Any]:
    return page_object(page) | {"text": page.text, "front": page.front, "front_error": page.front_error}


def revision_object(revision: Revision) -> dict[str, Any]:
    found: dict[str, Any] = {name: getattr(revision, name) for name in _REVISION}
    return found | {"etag": revision.blob, "at": revision.at.isoformat()}


def link_object(lead: Lead) -> dict[str, Any]:
    link = lead.link
    facts = {"kind": link.kind, "target": link.target, "anchor": link.anchor, "line": link.line}
    return {"page": lead.source, "to": lead.to, **facts}


def tombstone_object(stone: Tombstone) -> dict[str, Any]:
    return {"path": stone.path, "commit": stone.commit, "at": stone.at.isoformat(), "person": stone.person}
