"""Three people, a team, keys: what every test of behaviour starts from."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from accounts.authentication import actor_of_key, digest_of
from accounts.models import ApiKey, Connection, Membership, Project, ProjectIdentity, Team, User
from stash.actors import SCOPES, Actor
from stash.api.throttles import PerKey
from stash.audit.triggers import set_armed

pytest_plugins = ["tests.engines", "tests.no_outgoing"]


@dataclass
class Person:
    """A member with one key; ``secret`` opens the API."""

    user: User
    membership: Membership
    key: ApiKey
    secret: str

    @property
    def actor(self) -> Actor:
        return actor_of_key(self.key)

    @property
    def api(self) -> APIClient:
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {self.secret}")
        return client


def make_person(team: Team, username: str, role: str = "member", scopes=SCOPES, responsible=None) -> Person:
    user = User.objects.create_user(username, f"{username}@example.test", "correct-horse-9", name=username.title())
    membership = Membership.objects.create(team=team, user=user, role=role, responsible=responsible)
    secret = f"stash_{secrets.token_urlsafe(32)}"
    key = ApiKey.objects.create(
        membership=membership, name="laptop", digest=digest_of(secret), last4=secret[-4:], scopes=list(scopes)
    )
    return Person(user, membership, key, secret)


def make_project(team: Team, slug: str, **fields) -> Project:
    project = Project.objects.create(team=team, slug=slug, name=slug, **fields)
    ProjectIdentity.objects.create(team=team, project=project, value=f"git.example.test/acme/{slug}")
    return project


def connect(person: Person, project: Project | None, visibility: str = "project") -> Connection:
    return Connection.objects.create(membership=person.membership, project=project, visibility=visibility)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """Flushing between tests deletes audit entries, so the log is disarmed; what tests it arms it (``armed_audit``)."""
    with django_db_blocker.unblock():
        set_armed(False)


@pytest.fixture(scope="session", autouse=True)
def _wikis_of_the_tests(tmp_path_factory):
    settings.WIKI_DIR = tmp_path_factory.mktemp("wikis")


@pytest.fixture
def armed_audit(transactional_db) -> Iterator[None]:
    set_armed(True)
    yield
    set_armed(False)


_CLIENT = Path(__file__).parent / "client"
_DATABASE = {"db", "transactional_db", "live_server"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What never asks a database runs with one engine only; so does the client, which sees nothing but HTTP."""
    for item in items:
        asks = item.get_closest_marker("django_db") or _DATABASE & set(getattr(item, "fixturenames", ()))
        if not asks or item.path.is_relative_to(_CLIENT):
            item.add_marker("one_engine")


@pytest.fixture(autouse=True)
def _fresh_throttles():
    PerKey.buckets.clear()


@pytest.fixture
def team(db) -> Team:
    return Team.objects.create(slug="harbour", name="Harbour")


@pytest.fixture
def dana(team) -> Person:
    """A member, connected to the project ``shop``."""
    return make_person(team, "dana")


@pytest.fixture
def ravi(team) -> Person:
    """Another member."""
    return make_person(team, "ravi")


@pytest.fixture
def olga(db) -> Person:
    """Somebody of another team."""
    return make_person(Team.objects.create(slug="elsewhere", name="Elsewhere"), "olga")


@pytest.fixture
def shop(team, dana) -> Project:
    project = make_project(team, "shop")
    connect(dana, project)
    return project
