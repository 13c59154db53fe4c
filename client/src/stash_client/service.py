"""What this machine asks of a server about people, projects, consent and single sessions.

Every function may raise api.Unreachable, and api.Refused with what the server says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote, urlencode

from stash_client import api
from stash_client.accounts import Account
from stash_client.events import JSON

_PATIENCE = 10.0
_MOST_PAGES = 20


@dataclass(frozen=True)
class Project:
    """``identities``: the names by which checkouts are known to be this project's."""

    id: str
    slug: str
    name: str
    identities: tuple[str, ...] = ()


@dataclass(frozen=True)
class Joined:
    """What the server answers to consent. ``project``: None for everything.

    ``visibility``: what new sessions get in the end; ``fixed_by``: team or project where they decided, else "".
    """

    project: Project | None
    visibility: str
    fixed_by: str
    created: bool


@dataclass(frozen=True)
class Ending:
    """A consent on the server's side; ``project`` is None for everything."""

    id: str
    project: Project | None


@dataclass(frozen=True)
class Me:
    """Whose key it is. ``key``, ``machine``: the server's ids, "" where there are none."""

    username: str
    name: str
    team: str
    role: str
    scopes: tuple[str, ...]
    key: str
    machine: str
    machine_name: str


def me(url: str, key: str, *, seconds: float = _PATIENCE) -> Me:
    got = _call("GET", f"{url}/api/v1/me", None, key, seconds)
    if "user" not in got:
        raise api.Refused(404, {"detail": f"{url} is not a Stash server."})
    machine, own = got.get("machine") or {}, got.get("key") or {}
    return Me(
        username=got["user"]["username"],
        name=got["user"]["name"],
        team=got["team"]["slug"],
        role=got["role"],
        scopes=tuple(got["scopes"]),
        key=str(own.get("id", "")),
        machine=str(machine.get("id", "")),
        machine_name=machine.get("name", ""),
    )


def client_config(account: Account, *, seconds: float = _PATIENCE) -> dict[str, Any]:
    return _get(account, "client-config", seconds=seconds)


def projects(account: Account) -> Iterator[Project]:
    """Those this person can see."""
    for row in _all(account, "projects"):
        yield _project(row)


def project(account: Account, slug: str) -> Project:
    return _project(_get(account, f"projects/{quote(slug, safe='')}"))


def members(account: Account, slug: str) -> list[str]:
    """What the people who see a project are called."""
    return [row["user"]["name"] or row["user"]["username"] for row in _all(account, f"projects/{slug}/members")]


def join(account: Account, identities: Sequence[str], *, visibility: str, name: str, everything: bool) -> Joined:
    """Record this person's consent."""
    wish = {"identities": list(identities), "visibility": visibility, "all": everything, "name": name}
    got = _send(account, "POST", "projects/connect", wish)
    found = _project(got["project"]) if got["project"] else None
    return Joined(found, got["visibility"], got["fixed_by"], got["created"])


def consents(account: Account) -> list[Ending]:
    return [
        Ending(str(row["id"]), _project(row["project"]) if row["project"] else None)
        for row in _all(account, "me/connections")
    ]


def end_consent(account: Account, connection: str) -> None:
    _send(account, "DELETE", f"me/connections/{connection}")


def end_machine(account: Account) -> bool:
    """Sign this machine out there, for good; False for a key that somebody made by hand: others may use it too."""
    try:
        _send(account, "DELETE", "machines/current")
    except api.Refused as refusal:
        if refusal.status == 404:
            return False
        raise
    return True


def revoke_key(account: Account, key: str) -> None:
    _send(account, "DELETE", f"me/keys/{key}")


def find_session(account: Account, harness: str, native_id: str) -> str:
    """The server's id of a session that ran here, "" where it has none of the kind."""
    query = {"harness": harness, "by": "me", "limit": "100"}
    for row in _all(account, "sessions", **query):
        if row["native_id"] == native_id:
            return str(row["id"])
    return ""


def session_exists(account: Account, session: str) -> bool:
    """Whether this person can see it."""
    try:
        _get(account, f"sessions/{session}")
    except api.Refused as refusal:
        if refusal.status == 404:
            return False
        raise
    return True


def set_visibility(account: Account, session: str, visibility: str) -> None:
    _send(account, "PATCH", f"sessions/{session}", {"visibility": visibility})


def forget(account: Account, session: str, since: str = "") -> int:
    """How many events are gone. ``since``: RFC 3339, "" for the whole session."""
    wish: dict[str, JSON] = {"since": since} if since else {}
    return int(_send(account, "POST", f"sessions/{session}/forget", wish).get("forgotten", 0))


def last_prompt_at(account: Account, session: str) -> str:
    """When its person last typed, as RFC 3339; "" for never."""
    last, after = "", "0"
    for _ in range(_MOST_PAGES):
        got = _get(account, f"sessions/{session}/events", {"kind": "prompt", "after": after, "limit": "500"})
        last = max([last, *(row["occurred_at"] for row in got.get("results", ()))])
        after = got.get("next") or ""
        if not after:
            break
    return last


def ahead(account: Account) -> timedelta:
    """How far the server's clock is ahead of ours, nothing where they agree within a minute: it does the same."""
    request = api.json_request("GET", f"{account.url}/healthz")
    transport = api.Transport()
    try:
        said = transport.send(request, seconds=_PATIENCE).headers.get("date", "")
        error = parsedate_to_datetime(said) - datetime.now(timezone.utc)
    except (ValueError, TypeError, IndexError):
        return timedelta()
    finally:
        transport.close()
    return error if abs(error) > timedelta(seconds=60) else timedelta()


def _project(row: dict[str, Any]) -> Project:
    return Project(str(row["id"]), row["slug"], row["name"], tuple(row["identities"]))


def _get(
    account: Account, path: str, query: Mapping[str, str] | None = None, *, seconds: float = _PATIENCE
) -> dict[str, Any]:
    words = f"?{urlencode(query)}" if query else ""
    return _call("GET", f"{account.url}/api/v1/{path}{words}", None, account.key, seconds)


def _send(account: Account, method: str, path: str, body: JSON = None) -> dict[str, Any]:
    return _call(method, f"{account.url}/api/v1/{path}", body, account.key, _PATIENCE)


def _call(method: str, url: str, body: JSON, key: str, seconds: float) -> dict[str, Any]:
    transport = api.Transport()
    try:
        request = api.json_request(method, url, body, key=key)
        return transport.send(request, seconds=seconds, tries=2).object()
    finally:
        transport.close()


def _all(account: Account, path: str, **query: str) -> Iterator[dict[str, Any]]:
    """The rows of all pages, within reason."""
    cursor = ""
    for _ in range(_MOST_PAGES):
        got = _get(account, path, {**query, **({"cursor": cursor} if cursor else {})})
        yield from got.get("results", ())
        cursor = got.get("next") or ""
        if not cursor:
            return
