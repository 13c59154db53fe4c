"""Giving and taking back consent: on the server first, then here.

A marker proposes; what it names is looked up and shown, and counts only once its person has said yes to it for this
checkout. A proposal never leads to a server this machine is not signed in to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from stash_client import accounts, api, consent, hookscript, marker, service
from stash_client.accounts import Account, Accounts
from stash_client.checkout import Checkout, checkout_of
from stash_client.consent import Connection, Consents
from stash_client.marker import Marker
from stash_client.service import Joined, Project

PRIVATE, VISIBLE = "private", "project"


class NoSuchServer(Exception):
    """This machine has no account of that label or address."""


class NoSuchProject(Exception):
    """The server knows no such project, or shows it to others only."""


@dataclass(frozen=True)
class Proposal:
    """Where sessions of a checkout would go, before anybody agreed.

    ``project``: named by a person or a marker; None where the server decides by the checkout's identities.
    ``by_remote``: the project that already has one of these identities, as far as this person can see.
    ``foreign``: the address a marker names that this machine is not signed in to; nothing goes there.
    ``unknown``: the project's id in a marker of this server that the server does not show to this person.
    ``fault``: what is wrong with the marker.
    """

    account: Account
    checkout: Checkout
    project: Project | None = None
    by_remote: Project | None = None
    from_marker: bool = False
    foreign: str = ""
    unknown: str = ""
    fault: str = ""

    @property
    def target(self) -> Project | None:
        return self.project or self.by_remote

    @property
    def is_doubtful(self) -> bool:
        """Whether a person must look: the marker names what this repository is not known to be part of."""
        if self.foreign or self.unknown:
            return True
        return self.from_marker and (self.by_remote is None or self.by_remote != self.project)

    @property
    def identities(self) -> tuple[str, ...]:
        """Strongest first; the project's own id where it was named."""
        named = (f"marker:{self.project.id}",) if self.project else ()
        return (*named, *self.checkout.identities)


def account_for(known: Accounts, found: Marker, label: str = "") -> tuple[Account | None, str]:
    """(account, foreign address of the marker or ""). Raises NoSuchServer for a label nobody knows."""
    if label:
        chosen = known.named(label)
        if chosen is None:
            raise NoSuchServer(label)
        return chosen, ""
    if not found.server:
        return known.main, ""
    named = at_address(known, found.server)
    return named or known.main, "" if named else found.server


def at_address(known: Accounts, url: str) -> Account | None:
    """The default account first where several people or teams share an address."""
    candidates = [account for account in known.all if same_server(account.url, url)]
    return next((account for account in candidates if account.label == known.default), next(iter(candidates), None))


def same_server(one: str, other: str) -> bool:
    return _origin(one) == _origin(other) != ("", "", 0, "")


def _origin(url: str) -> tuple[str, str, int, str]:
    try:
        parts = urlsplit(url.strip())
        port = parts.port or {"https": 443, "http": 80}.get(parts.scheme, 0)
    except ValueError:
        return ("", "", 0, "")
    if parts.username or parts.password or not parts.hostname:
        return ("", "", 0, "")
    return parts.scheme, parts.hostname, port, parts.path.rstrip("/")


def propose(known: Accounts, folder: str, *, label: str = "", slug: str = "") -> Proposal | None:
    """What connecting ``folder`` would mean; None before sign-in. ``slug``: a project the person named.

    Raises NoSuchServer, NoSuchProject, api.Unreachable, api.Refused.
    """
    checkout = checkout_of(folder, known.main.machine if known.main else "")
    found = marker.read(checkout.root or checkout.place)
    account, foreign = account_for(known, found, label)
    if account is None:
        return None
    if account != known.main:
        checkout = checkout_of(folder, account.machine)
    seen = _visible(account)
    proposal = Proposal(account, checkout, by_remote=_of_identities(seen, checkout), fault=found.fault)
    if slug:
        return replace(proposal, project=_named(account, slug))
    if foreign or (found.server and not same_server(account.url, found.server)):
        return replace(proposal, foreign=foreign)
    return _with_marked_project(proposal, found, seen)


def _with_marked_project(proposal: Proposal, found: Marker, seen: list[Project]) -> Proposal:
    if not found.project:
        return proposal
    marked = next((project for project in seen if project.id == found.project), None)
    if marked is None:
        return replace(proposal, unknown=found.project)
    return replace(proposal, project=marked, from_marker=True)


def _named(account: Account, slug: str) -> Project:
    try:
        return service.project(account, slug)
    except api.Refused as refusal:
        if refusal.status == 404:
            raise NoSuchProject(slug) from None
        raise


def _visible(account: Account) -> list[Project]:
    """A key that only captures may not list projects; then the server decides alone."""
    try:
        return list(service.projects(account))
    except api.Refused as refusal:
        if refusal.status == 403:
            return []
        raise


def _of_identities(seen: list[Project], checkout: Checkout) -> Project | None:
    """As the server decides: the first identity that is known."""
    for identity in checkout.identities:
        for project in seen:
            if identity in project.identities:
                return project
    return None


def connect(proposal: Proposal, visibility: str) -> tuple[Connection, Joined]:
    """The person agreed: tell the server, then remember it here. Raises api.Unreachable, api.Refused, OSError."""
    name = proposal.checkout.name or ""
    joined = service.join(proposal.account, proposal.identities, visibility=visibility, name=name, everything=False)
    project = joined.project
    connection = Connection(
        server=proposal.account.label,
        place=proposal.checkout.place,
        project=proposal.project.id if proposal.project else "",
        slug=project.slug if project else "",
        name=project.name if project else name,
        visibility=PRIVATE if PRIVATE in (visibility, joined.visibility) else VISIBLE,
    )
    keep(consent.stored().with_connection(connection))
    return connection, joined


def pin(connection: Connection, account: Account, checkout: Checkout, project: Project) -> Connection:
    """From now on the project's own id decides, as in the marker that was just written."""
    identity = f"marker:{project.id}"
    if identity not in project.identities:
        names = (identity, *checkout.identities)
        service.join(account, names, visibility=connection.visibility, name="", everything=False)
    pinned = replace(connection, project=project.id)
    keep(consent.stored().with_connection(pinned))
    return pinned


def connect_everything(account: Account, visibility: str) -> Connection:
    """All repositories on this machine, except those that were refused."""
    joined = service.join(account, (), visibility=visibility, name="", everything=True)
    connection = Connection(account.label, "", visibility=PRIVATE if visibility == PRIVATE else joined.visibility)
    keep(consent.stored().with_connection(connection))
    return connection


def refuse(place: str) -> None:
    """The person was asked and said no; nobody asks again."""
    keep(consent.stored().without(place))


def disconnect(place: str) -> None:
    """Here and at once; the server is told by ``end_on_server``."""
    keep(consent.stored().without(place))


def disconnect_everything() -> None:
    """Every consent given on this machine. Where somebody said no, it stays no."""
    keep(Consents(refused=consent.stored().refused))


def keep(consents: Consents) -> None:
    """Raises OSError."""
    consent.save(consents)
    refresh_hooks()


def refresh_hooks() -> None:
    """What agents call knows the connected places and this installation; both may have changed. Raises OSError."""
    hookscript.write()


def is_used_elsewhere(connection: Connection, left: Consents) -> bool:
    """Whether another checkout on this machine still goes to the same project."""
    return any(
        other.server == connection.server and not other.is_everything and _same_project(other, connection)
        for other in left.connections
        if other.place != connection.place
    )


def _same_project(one: Connection, other: Connection) -> bool:
    return one.slug == other.slug != "" or one.project == other.project != ""


def end_on_server(account: Account, *, slug: str = "", project: str = "", all_of_them: bool = False) -> int:
    """How many consents ended there: to one project, to everything (neither named), or every one.

    Raises api.Unreachable, api.Refused.
    """
    ended = 0
    for found in service.consents(account):
        if all_of_them or _is_meant(found, slug, project):
            service.end_consent(account, found.id)
            ended += 1
    return ended


def _is_meant(found: service.Ending, slug: str, project: str) -> bool:
    if found.project is None:
        return not slug and not project
    return found.project.id == project if project else found.project.slug == slug


def servers_of(consents: Consents) -> Iterator[Account]:
    """The accounts these consents go to, each once."""
    known = accounts.load()
    for label in dict.fromkeys(connection.server for connection in consents.connections):
        if (account := known.named(label)) is not None:
            yield account
