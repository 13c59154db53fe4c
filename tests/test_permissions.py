# ruff: noqa: E501 (a table is read by columns)
"""Who may do what: every route of the URLconf × every kind of caller → the status they get.

One line per route. A route that is missing here fails the test, so that nobody adds an endpoint without deciding.
Columns: owner, admin, member, viewer, granted (a member with a grant), outsider (of another team), service (a granted
service account), revoked, reader (key that reads only), capturer (key that captures only), anonymous.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from rest_framework.test import APIClient

from accounts import services
from accounts.models import ApiKey, Connection, Machine, Membership, ProjectGrant, Team
from sessions_app.models import Session
from tests.conftest import Person, connect, make_person, make_project

WHO = (
    "owner", "admin", "member", "viewer", "granted", "outsider", "service", "revoked", "reader", "capturer", "anonymous",
)  # fmt: skip


@dataclass
class World:
    """What the routes are about. ``yours`` holds, per caller, one thing of its own."""

    people: dict[str, Person]
    team: Team
    shop: Any
    vault: Any
    ids: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """``path`` may name ids of the world in braces; ``body``: JSON for the API, a form for pages."""

    route: str
    path: str
    expected: str
    method: str = "get"
    body: dict | Callable[[World], dict] | None = None


def api(route: str, path: str, expected: str, method: str = "get", body: Any = None) -> Row:
    return Row(route, f"/api/v1/{path}", expected, method, body)


def page(route: str, path: str, expected: str, method: str = "get", body: Any = None) -> Row:
    return Row(route, f"/t/harbour/{path}", expected, method, body)


KEY = {"name": "k", "scopes": ["read", "write", "capture"]}
SHOP = {"identities": ["git.example.test/acme/shop"]}
VAULT = {"identities": ["git.example.test/acme/vault"]}
EVENTS = {"session": {"harness": "codex", "native_id": "s", "project": SHOP}, "events": []}
PAGE = {"path": "a.md", "text": "x"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
NEW = {"identities": ["git.example.test/acme/new"]}

#                                          owner admin membr viewr grant outsd servc revok reade captu anon
API = [
    api("api-me", "me",                   "200   200   200   200   200   200   200   401   200   200   401"),
    api("api-keys", "me/keys",            "200   200   200   200   200   200   200   401   200   403   401"),
    api("api-keys", "me/keys",            "201   201   201   201   201   201   403   401   403   403   401", "post", KEY),
    api("api-key", "me/keys/{other_key}", "204   204   404   404   404   404   404   401   404   404   401", "delete"),
    api("api-key", "me/keys/{own_key}",   "204   204   204   204   204   204   204   401   204   204   401", "delete"),
    api("api-key", "me/keys/{second_key}", "204  204   204   204   204   204   204   401   403   403   401", "delete"),
    api("api-connections", "me/connections", "200  200   200   200   200   200   200   401   403   200   401"),
    api("api-connection", "me/connections/{own_connection}",
                                          "204   204   204   204   204   204   204   401   403   204   401", "delete"),
    api("api-connection", "me/connections/{connection}",
                                          "404   404   404   404   404   404   404   401   403   404   401", "delete"),
    api("api-machines", "machines",       "401   401   401   401   401   401   401   401   401   401   401", "post", {}),
    api("api-current-machine", "machines/current",
                                          "404   404   404   404   404   404   404   401   404   404   401", "delete"),  # keys made by hand
    api("api-connect", "projects/connect", "200  200   200   403   200   200   200   401   403   200   401", "post", SHOP),
    api("api-connect", "projects/connect", "200  200   404   404   200   200   404   401   404   404   401", "post", VAULT),
    api("api-connect", "projects/connect", "200  200   200   403   200   200   403   401   403   200   401", "post", NEW),
    api("api-projects", "projects",       "200   200   200   200   200   200   200   401   200   403   401"),
    api("api-project", "projects/shop",   "200   200   200   200   200   404   200   401   200   403   401"),
    api("api-project", "projects/vault",  "200   200   404   404   200   404   404   401   404   403   401"),
    api("api-project", "projects/shop",   "200   200   200   403   200   404   200   401   403   403   401", "patch", {"name": "S"}),
    api("api-project", "projects/vault",  "200   200   404   404   200   404   404   401   403   403   401", "patch", {"name": "V"}),
    api("api-project", "projects/shop",   "200   200   403   403   403   404   403   401   403   403   401", "patch", {"visibility": "team"}),
    api("api-project-members", "projects/shop/members",
                                          "200   200   200   200   200   404   200   401   200   403   401"),
    api("api-project-members", "projects/vault/members",
                                          "200   200   404   404   200   404   404   401   404   403   401"),
    api("api-events", "events",           "200   200   200   403   200   200   200   401   403   200   401", "post", EVENTS),
    api("api-hooks", "hooks/codex",       "422   422   422   403   422   422   422   401   403   422   401", "post", {}),
    api("api-transcripts", "transcripts?harness=codex",
                                          "200   200   200   200   200   200   200   401   403   200   401", "post", {"type": "session_meta"}),  # nothing in it, nothing refused
    api("api-sessions", "sessions",       "200   200   200   200   200   200   200   401   200   403   401"),
    api("api-session", "sessions/{shared}", "200  200   200   200   200   404   200   401   200   403   401"),
    api("api-session", "sessions/{private}", "404 404   404   404   404   404   404   401   404   403   401"),
    api("api-session", "sessions/{shared}", "403  403   403   403   403   404   403   401   403   403   401", "patch", {"title": "t"}),
    api("api-session", "sessions/{shared}", "204  204   403   403   403   404   403   401   403   403   401", "delete"),
    api("api-session", "sessions/{private}", "204 204   404   404   404   404   404   401   403   403   401", "delete"),
    api("api-session-events", "sessions/{shared}/events",
                                          "200   200   200   200   200   404   200   401   200   403   401"),
    api("api-session-events", "sessions/{private}/events",
                                          "404   404   404   404   404   404   404   401   404   403   401"),
    api("api-transcript-md", "sessions/{shared}/transcript.md",
                                          "200   200   200   200   200   404   200   401   200   403   401"),
    api("api-transcript-md", "sessions/{private}/transcript.md",
                                          "404   404   404   404   404   404   404   401   404   403   401"),
    api("api-events-jsonl", "sessions/{shared}/events.jsonl",
                                          "200   200   200   200   200   404   200   401   200   403   401"),
    api("api-events-jsonl", "sessions/{private}/events.jsonl",
                                          "404   404   404   404   404   404   404   401   404   403   401"),
    api("api-session-forget", "sessions/{shared}/forget",
                                          "403   403   403   403   403   404   403   401   403   403   401", "post", {}),
    api("api-session-forget", "sessions/{private}/forget",
                                          "404   404   404   404   404   404   404   401   403   403   401", "post", {}),
    api("api-client-config", "client-config",
                                          "200   200   200   200   200   200   200   401   403   200   401"),
    api("api-team-patterns", "team/patterns",
                                          "200   200   403   403   403   200   403   401   403   403   401"),
    api("api-team-patterns", "team/patterns",
                                          "200   200   403   403   403   200   403   401   403   403   401", "put", {"patterns": []}),
    api("api-briefings", "briefings",     "200   200   200   409   200   200   200   401   403   200   401", "post", {"session": EVENTS["session"]}),
    api("api-brief", "brief?project=shop", "200  200   200   409   200   404   200   401   200   403   401"),
    api("api-brief", "brief?project=vault", "200 200   404   404   200   404   404   401   404   403   401"),
    api("api-history", "history?q=x",     "200   200   200   200   200   200   200   401   200   403   401"),
    api("api-search", "search?q=x",       "200   200   200   200   200   200   200   401   200   403   401"),
    Row("mcp", "/mcp",                    "200   200   200   200   200   200   200   401   200   200   401", "post", PING),
    api("api-wiki", "projects/shop/wiki/", "200   200   200   200   200   404   200   401   200   403   401"),
    api("api-wiki", "projects/vault/wiki/", "200  200   404   404   200   404   404   401   404   403   401"),
    api("api-wiki", "projects/shop/wiki/", "201   201   201   403   201   404   201   401   403   403   401", "post", PAGE),
    api("api-wiki", "projects/vault/wiki/", "201  201   404   404   201   404   404   401   403   403   401", "post", PAGE),
    api("api-wiki-page", "projects/vault/wiki/a.md",
                                          "404   404   404   404   404   404   404   401   404   403   401"),
    api("api-wiki-page", "projects/shop/wiki/a.md",
                                          "201   201   201   403   201   404   201   401   403   403   401", "put", PAGE),
    api("api-wiki-page", "projects/shop/wiki/b.md",
                                          "404   404   404   403   404   404   404   401   403   403   401", "delete"),
    api("api-wiki-append", "projects/shop/wiki/a.md/append",
                                          "201   201   201   403   201   404   201   401   403   403   401", "post", PAGE),
    api("api-wiki-append", "projects/vault/wiki/a.md/append",
                                          "201   201   404   404   201   404   404   401   403   403   401", "post", PAGE),
    api("api-wiki-move", "projects/shop/wiki/b.md/move",
                                          "404   404   404   403   404   404   404   401   403   403   401", "post", {"to": "c.md"}),
    api("api-wiki-restore", "projects/shop/wiki/b.md/restore",
                                          "404   404   404   403   404   404   404   401   403   403   401", "post", {"commit": "0" * 40}),
    api("api-wiki-undelete", "projects/shop/wiki/b.md/undelete",
                                          "404   404   404   403   404   404   404   401   403   403   401", "post", {}),
    api("api-wiki-pin", "projects/shop/wiki/b.md/pin",
                                          "404   404   404   403   404   404   404   401   403   403   401", "post", {}),
    api("api-wiki-protect", "projects/shop/wiki/b.md/protect",
                                          "404   404   403   403   403   404   403   401   403   403   401", "post", {}),
    api("api-wiki-history", "projects/shop/wiki/b.md/history",
                                          "200   200   200   200   200   404   200   401   200   403   401"),
    api("api-wiki-history", "projects/vault/wiki/b.md/history",
                                          "200   200   404   404   200   404   404   401   404   403   401"),
    api("api-wiki-diff", f"projects/vault/wiki/b.md/diff?before={'0' * 40}&after={'0' * 40}",
                                          "404   404   404   404   404   404   404   401   404   403   401"),
    api("api-wiki-links", "projects/shop/wiki/b.md/links",
                                          "404   404   404   404   404   404   404   401   404   403   401"),
    api("api-wiki-graph", "projects/shop/wiki-graph",
                                          "200   200   200   200   200   404   200   401   200   403   401"),
    api("api-wiki-graph", "projects/vault/wiki-graph",
                                          "200   200   404   404   200   404   404   401   404   403   401"),
    api("api-wiki-deleted", "projects/vault/wiki-deleted",
                                          "200   200   404   404   200   404   404   401   404   403   401"),
    api("api-vfs", "vfs",                 "200   200   200   200   200   200   200   401   200   403   401", "post", {"command": "ls /"}),
    api("api-audit", "audit",             "200   200   403   403   403   200   403   401   403   403   401"),
    api("api-audit-csv", "audit.csv",     "200   200   403   403   403   200   403   401   403   403   401"),
    api("api-audit-jsonl", "audit.jsonl", "200   200   403   403   403   200   403   401   403   403   401"),
]  # fmt: skip

#                                          owner admin membr viewr grant outsd servc anon   (pages know no keys)
PAGES = [
    page("home", "",                                             "200 200 200 200 200 404 200 302"),
    page("connect", "connect/",                                  "200 200 200 200 200 404 200 302"),
    page("connect-listening", "connect/listening/",              "200 200 200 200 200 404 200 302"),
    page("sessions:list", "sessions/",                           "200 200 200 200 200 404 200 302"),
    page("sessions:detail", "sessions/{shared}/",                "200 200 200 200 200 404 200 302"),
    page("sessions:detail", "sessions/{private}/",               "404 404 404 404 404 404 404 302"),
    page("sessions:events", "sessions/{shared}/events/",         "200 200 200 200 200 404 200 302"),
    page("sessions:events", "sessions/{private}/events/",        "404 404 404 404 404 404 404 302"),
    page("sessions:output-middle", "sessions/{private}/events/1/middle/", "404 404 404 404 404 404 404 302"),
    page("sessions:find", "sessions/{shared}/find/?q=x",         "200 200 200 200 200 404 200 302"),
    page("sessions:find", "sessions/{private}/find/?q=x",        "404 404 404 404 404 404 404 302"),
    page("sessions:commands", "sessions/{private}/commands/",    "404 404 404 404 404 404 404 302"),
    page("sessions:turns", "sessions/{private}/turns/",          "404 404 404 404 404 404 404 302"),
    page("sessions:side", "sessions/{shared}/side/",             "200 200 200 200 200 404 200 302"),
    page("sessions:side", "sessions/{private}/side/",            "404 404 404 404 404 404 404 302"),
    page("sessions:subagent", "sessions/{private}/subagents/{shared}/", "404 404 404 404 404 404 404 302"),
    page("sessions:rename", "sessions/{shared}/title/",          "403 403 403 403 403 404 403 302", "post", {"title": "t"}),
    page("sessions:visibility", "sessions/{shared}/visibility/", "403 403 403 403 403 404 403 302", "post", {"visibility": "private"}),
    page("sessions:confirm-delete", "sessions/{private}/delete/confirm/", "404 404 404 404 404 404 404 302"),
    page("sessions:delete", "sessions/{shared}/delete/",         "302 302 403 403 403 404 403 302", "post"),
    page("sessions:delete", "sessions/{private}/delete/",        "302 302 404 404 404 404 404 302", "post"),
    page("sessions:transcript-md", "sessions/{private}/transcript.md", "404 404 404 404 404 404 404 302"),
    page("sessions:events-jsonl", "sessions/{private}/events.jsonl", "404 404 404 404 404 404 404 302"),
    page("sessions:raw", "sessions/{private}/raw/1.txt",         "404 404 404 404 404 404 404 302"),
    page("search", "search/?q=x",                                "200 200 200 200 200 404 200 302"),
    page("search-palette", "search/palette/?q=x",                "200 200 200 200 200 404 200 302"),
    page("search-more", "search/{shared}/?q=x",                  "200 200 200 200 200 404 200 302"),
    page("search-more", "search/{private}/?q=x",                 "404 404 404 404 404 404 404 302"),
    page("related", "sessions/{shared}/related/",                "200 200 200 200 200 404 200 302"),
    page("related", "sessions/{private}/related/",               "404 404 404 404 404 404 404 302"),
    page("files:root", "files/",                                 "200 200 200 200 200 404 200 302"),
    page("files:place", "files/projects/shop/sessions",          "200 200 200 200 200 404 200 302"),
    page("files:place", "files/projects/vault/sessions",         "200 200 404 404 200 404 404 302"),
    page("files:place", "files/people/other/sessions",           "200 200 200 200 200 404 200 302"),
    page("accounts:profile", "settings/",                        "200 200 200 200 200 404 200 302"),
    page("accounts:profile", "settings/",                        "302 302 302 302 302 404 403 302", "post", lambda w: {"username": "someone-new"}),
    page("accounts:security", "settings/security/",              "200 200 200 200 200 404 200 302"),
    page("accounts:keys", "settings/keys/",                      "200 200 200 200 200 404 200 302"),
    page("accounts:keys", "settings/keys/",                      "200 200 200 200 200 404 403 302", "post", {"name": "k", "scopes": ["read"]}),
    page("accounts:revoke_key", "settings/keys/{other_key}/revoke/", "200 200 404 404 404 404 404 302"),
    page("accounts:revoke_key", "settings/keys/{other_key}/revoke/", "302 302 404 404 404 404 404 302", "post"),
    page("accounts:rename_machine", "settings/machines/{machine}/rename/", "302 302 404 404 404 404 404 302", "post", {"name": "m"}),
    page("accounts:revoke_machine", "settings/machines/{machine}/revoke/", "200 200 404 404 404 404 404 302"),
    page("accounts:revoke_machine", "settings/machines/{machine}/revoke/", "302 302 404 404 404 404 404 302", "post"),
    page("accounts:connections", "settings/capture/",            "200 200 200 200 200 404 200 302"),
    page("accounts:change_connection", "settings/capture/{connection}/", "404 404 404 404 404 404 404 302", "post", {"visibility": "private"}),
    page("accounts:disconnect", "settings/capture/{connection}/stop/",   "404 404 404 404 404 404 404 302"),
    page("accounts:disconnect", "settings/capture/{connection}/stop/",   "404 404 404 404 404 404 404 302", "post"),
    page("accounts:members", "settings/members/",                "200 200 200 200 200 404 200 302"),
    page("accounts:invite", "settings/members/invite/",          "200 200 403 403 403 404 403 302", "post", {"role": "member"}),
    page("accounts:revoke_invitation", "settings/members/invitations/{invitation}/revoke/",
                                                                 "302 302 403 403 403 404 403 302", "post"),
    page("accounts:change_role", "settings/members/{other}/role/",   "302 302 403 403 403 404 403 302", "post", {"role": "viewer"}),
    page("accounts:change_role", "settings/members/{founder}/role/", "302 403 403 403 403 404 403 302", "post", {"role": "member"}),
    page("accounts:deactivate", "settings/members/{other}/remove/",  "200 200 403 403 403 404 403 302"),
    page("accounts:deactivate", "settings/members/{other}/remove/",  "302 302 403 403 403 404 403 302", "post"),
    page("accounts:deactivate", "settings/members/{founder}/remove/", "302 403 403 403 403 404 403 302", "post"),
    page("accounts:new_service_account", "settings/members/accounts/", "302 302 403 403 403 404 403 302", "post", {"name": "robot"}),
    page("accounts:service_account", "settings/members/accounts/{bot}/", "200 200 403 403 403 404 403 302"),
    page("accounts:service_account", "settings/members/accounts/{bot}/", "200 200 403 403 403 404 403 302", "post", {"name": "k", "scopes": ["read"]}),
    page("accounts:team_rules", "settings/members/rules/",       "302 302 403 403 403 404 403 302", "post", {"session_visibility": ""}),
    page("accounts:audit", "settings/audit/",                    "200 200 403 403 403 404 403 302"),
    page("accounts:projects", "settings/projects/",              "200 200 200 200 200 404 200 302"),
    page("accounts:projects", "settings/projects/",              "302 302 302 403 302 404 403 302", "post", {"name": "fresh"}),
    page("accounts:project", "settings/projects/shop/",          "200 200 200 200 200 404 200 302"),
    page("accounts:project", "settings/projects/vault/",         "200 200 404 404 200 404 404 302"),
    page("accounts:rename_project", "settings/projects/shop/rename/", "302 302 302 403 302 404 302 302", "post", {"name": "S", "slug": "shop"}),
    page("accounts:project_rights", "settings/projects/shop/rights/", "302 302 403 403 403 404 403 302", "post", {"visibility": "team"}),
    page("accounts:attach_identity", "settings/projects/shop/identities/", "302 302 302 403 302 404 302 302", "post", {"identity": "h.test/a/b"}),
    page("accounts:detach_identity", "settings/projects/shop/identities/{identity}/detach/",
                                                                 "302 302 302 403 302 404 302 302", "post"),
    page("accounts:grant", "settings/projects/shop/grants/",     "302 302 403 403 403 404 403 302", "post", lambda w: {"person": w.ids["other"]}),
    page("accounts:withdraw", "settings/projects/vault/grants/{grant}/withdraw/",
                                                                 "302 302 404 404 403 404 404 302", "post"),
]  # fmt: skip

OPEN = {
    "accounts_public:invitation", "accounts_public:signin", "device:confirm", "device:code", "device:token",
    "schema", "api-docs", "healthz", "readyz", "metrics", "front",
    "git-refs", "git-upload-pack", "git-receive-pack",
    "install", "install-powershell", "client-index", "client-package", "client-wheel",
}  # fmt: skip
"""Routes that decide by something other than a role; each has tests of its own."""
FOREIGN = ("admin:", "account_", "mfa_", "socialaccount_", "idp:", "javascript", "gallery")
"""Routes of packages and of the gallery."""

PAGE_WHO = ("owner", "admin", "member", "viewer", "granted", "outsider", "service", "anonymous")


@pytest.fixture
def world(team) -> World:
    cache.clear()
    people = {who: make_person(team, who, who) for who in ("owner", "admin", "member", "viewer")}
    people["granted"] = make_person(team, "granted")
    people["outsider"] = make_person(Team.objects.create(slug="elsewhere", name="Elsewhere"), "outsider", "owner")
    people["service"] = make_person(team, "service", "service", responsible=people["owner"].membership)
    people["revoked"] = make_person(team, "revoked")
    ApiKey.objects.filter(pk=people["revoked"].key.pk).update(revoked_at=timezone.now())
    people["reader"] = make_person(team, "reader", scopes=["read"])
    people["capturer"] = make_person(team, "capturer", scopes=["capture"])
    shop, vault = make_project(team, "shop"), make_project(team, "vault", visibility="restricted")
    ProjectGrant.objects.create(project=shop, membership=people["service"].membership)
    grant = ProjectGrant.objects.create(project=vault, membership=people["granted"].membership)
    other = make_person(team, "other")
    founder = make_person(team, "founder", "owner")
    bot = make_person(team, "bot", "service", responsible=founder.membership)
    invitation, _ = services.invite(actor=founder.actor, role="member")
    ids = {
        "other": other.membership.pk,
        "other_key": other.key.pk,
        "founder": founder.membership.pk,
        "bot": bot.membership.pk,
        "invitation": invitation.pk,
        "grant": grant.pk,
        "identity": shop.identities.get().pk,
        "machine": Machine.objects.create(membership=other.membership, name="box").pk,
        "connection": connect(other, shop).pk,
        "shared": _session(other, shop, "project").pk,
        "private": _session(other, shop, "private").pk,
    }
    return World(people, team, shop, vault, ids)


def _session(person: Person, project: Any, visibility: str) -> Session:
    now = timezone.now()
    return Session.objects.create(
        team=person.membership.team, person=person.user, project=project, harness="codex", native_id=visibility,
        visibility=visibility, started_at=now, last_event_at=now,
    )  # fmt: skip


def _ids(world: World, who: str) -> dict[str, Any]:
    """The ids of the world, and those of the caller's own things."""
    if who == "anonymous":
        return {**world.ids, **dict.fromkeys(("own_key", "second_key", "own_connection"), uuid.uuid4())}
    person = world.people[who]
    second, _ = ApiKey.objects.get_or_create(
        membership=person.membership,
        digest=uuid.uuid5(uuid.NAMESPACE_URL, who).hex * 2,
        defaults={"name": "second", "last4": "zzzz", "scopes": ["read"]},
    )
    own = Connection.objects.filter(membership=person.membership).first() or connect(person, None)
    return {**world.ids, "own_key": person.key.pk, "second_key": second.pk, "own_connection": own.pk}


def _body(row: Row, world: World) -> dict:
    return row.body(world) if callable(row.body) else (row.body or {})


def _cells(rows: list[Row], columns: tuple[str, ...]) -> list[Any]:
    return list(_each_cell(rows, columns))


def _each_cell(rows: list[Row], columns: tuple[str, ...]) -> Iterator[Any]:
    for number, row in enumerate(rows):
        expected = row.expected.split()
        assert len(expected) == len(columns), row
        for who, status in zip(columns, expected, strict=True):
            yield pytest.param(row, who, int(status), id=f"{number}-{row.method}-{row.route}-{who}")


@pytest.mark.parametrize("row, who, status", _cells(API, WHO))
def test_api(world, row, who, status):
    client = APIClient()
    if who != "anonymous":
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {world.people[who].secret}")
    call = getattr(client, row.method)
    path = row.path.format(**_ids(world, who))
    answer = call(path) if row.method == "get" else call(path, _body(row, world), format="json")
    assert answer.status_code == status, getattr(answer, "content", b"")
    if status >= 400:
        assert answer["Content-Type"] == "application/problem+json"
        assert answer.json()["status"] == status


@pytest.mark.parametrize("row, who, status", _cells(PAGES, PAGE_WHO))
def test_page(world, row, who, status):
    browser = Client()
    if who != "anonymous":
        browser.force_login(world.people[who].user, backend="django.contrib.auth.backends.ModelBackend")
    path = row.path.format(**_ids(world, who))
    answer = browser.get(path) if row.method == "get" else browser.post(path, _body(row, world))
    assert answer.status_code == status
    if who == "anonymous":
        assert answer["Location"].startswith("/accounts/login/")


def _routes(patterns: list, namespace: str = "") -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from _routes(pattern.url_patterns, inner)
        elif isinstance(pattern, URLPattern):
            yield f"{namespace}{pattern.name}" if pattern.name else f"{namespace}?{pattern.pattern}"


def test_every_route_is_in_the_table():
    decided = {row.route for row in [*API, *PAGES]} | OPEN
    ours = {route for route in _routes(get_resolver().url_patterns) if not _is_foreign(route)}
    assert sorted(ours - decided) == []
    assert sorted(decided - ours) == []


def _is_foreign(route: str) -> bool:
    providers = ("github_", "gitlab_", "google_", "microsoft_", "openid_connect_")
    return route.startswith((*FOREIGN, *providers)) or "?" in route


def test_membership_of_nobody_is_assumed(world):
    """A person in no team reaches no page and no endpoint."""
    Membership.objects.filter(user=world.people["member"].user).update(active=False)
    Connection.objects.all().delete()
    browser = Client()
    browser.force_login(world.people["member"].user, backend="django.contrib.auth.backends.ModelBackend")
    assert browser.get("/t/harbour/settings/").status_code == 404
    assert browser.get("/api/v1/me").status_code == 403
