"""Settings pages: secrets once, forms that say what is wrong, inert text, and as many queries for 30 rows as for 3."""

from __future__ import annotations

import re

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts.models import ApiKey, Connection, Machine, User
from stash.audit.services import record
from tests.accounts.test_signin import INLINE
from tests.conftest import make_person, make_project

SECRET = re.compile(r"stash_[A-Za-z0-9_-]{43}")
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def owner(team):
    cache.clear()
    return make_person(team, "olive", "owner")


@pytest.fixture
def browser(owner):
    client = Client()
    client.force_login(owner.user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_key_is_shown_in_the_answer_to_its_form_only(browser, owner):
    made = browser.post("/t/harbour/settings/keys/", {"name": "ci", "scopes": ["read"], "lasts": "30"})
    secret = SECRET.search(made.content.decode()).group()
    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    assert api.get("/api/v1/me").status_code == 200
    assert "no-store" in made["Cache-Control"]
    assert not SECRET.search(browser.get("/t/harbour/settings/keys/").content.decode())
    assert ApiKey.objects.get(name="ci").expires_at


def test_key_without_scopes_says_so(browser):
    answer = browser.post("/t/harbour/settings/keys/", {"name": "ci"})
    assert answer.status_code == 422
    assert b"This field is required" in answer.content


def test_invitation_is_shown_in_the_answer_to_its_form_only(browser):
    made = browser.post("/t/harbour/settings/members/invite/", {"role": "member"})
    assert b"/accounts/invitations/inv_" in made.content
    assert b"/accounts/invitations/inv_" not in browser.get("/t/harbour/settings/members/").content


def test_profile_is_saved_with_the_theme(browser, owner):
    sent = {"name": "Olive P.", "username": "olive", "theme": "dark"}
    answer = browser.post("/t/harbour/settings/", sent)
    assert answer.cookies["theme"].value == "dark"
    user = User.objects.get(pk=owner.user.pk)
    assert (user.name, user.shortcuts) == ("Olive P.", False)
    assert b'data-theme="dark"' in browser.get("/t/harbour/settings/").content
    browser.post("/t/harbour/settings/", {**sent, "theme": ""})
    assert b"data-theme=" not in browser.get("/t/harbour/settings/").content


def test_profile_with_a_name_in_use_says_so(browser, dana):
    answer = browser.post("/t/harbour/settings/", {"username": "DANA"})
    assert answer.status_code == 422
    assert b"Somebody has this username" in answer.content


def test_last_owner_who_leaves_is_told_why_not(browser, owner):
    answer = browser.post(f"/t/harbour/settings/members/{owner.membership.pk}/remove/")
    assert answer.status_code == 409
    assert b"A team keeps at least one owner" in answer.content


def test_project_page_refuses_a_taken_repository_in_words(browser, team, shop):
    make_project(team, "other")
    sent = {"identity": "https://FAKEtok0123456789@git.example.test/acme/other.git"}
    answer = browser.post("/t/harbour/settings/projects/shop/identities/", sent)
    assert answer.status_code == 422
    assert b"belongs to another project" in answer.content


PATHS = ["", "security/", "keys/", "capture/", "members/", "projects/", "projects/shop/", "audit/"]


@pytest.mark.parametrize("path", PATHS)
def test_pages_show_hostile_names_as_text(browser, owner, team, dana, shop, path):
    User.objects.update(name=HOSTILE)
    shop.name = HOSTILE
    shop.save()
    ApiKey.objects.update(name=HOSTILE)
    machine = Machine.objects.create(membership=owner.membership, name=HOSTILE, platform=HOSTILE)
    Connection.objects.create(membership=owner.membership, project=shop)
    record(owner.actor, "machine.renamed", machine, before=HOSTILE)
    answer = browser.get(f"/t/harbour/settings/{path}")
    html = answer.content.decode()
    assert answer.status_code == 200
    assert "<img src=x" not in html
    assert not INLINE.search(html.replace("onerror=alert(1)", ""))


def _fill(team, owner, number):
    person = make_person(team, f"person-{number}")
    project = make_project(team, f"project-{number}")
    machine = Machine.objects.create(membership=owner.membership, name=f"box-{number}")
    ApiKey.objects.create(
        membership=owner.membership, machine=machine, name="k", digest=f"{number:064}", last4="xxxx", scopes=["read"]
    )
    ApiKey.objects.create(membership=owner.membership, name="k", digest=f"k{number:063}", last4="x", scopes=["read"])
    for member in (person, owner):
        Connection.objects.create(membership=member.membership, project=project)
    Connection.objects.get_or_create(membership=person.membership, project=project.__class__.objects.get(slug="shop"))
    record(person.actor, "project.created", project)


def _queries(get) -> int:
    get()
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert get().status_code == 200
    return len(captured)


PAGES = [f"/t/harbour/settings/{path}" for path in PATHS]
LISTS = ["me/keys", "projects", "projects/shop/members", "audit"]


@pytest.mark.parametrize("path", [*PAGES, *(f"/api/v1/{path}?limit=200" for path in LISTS)])
def test_more_rows_take_no_more_queries(browser, owner, team, shop, path):
    ApiKey.objects.filter(pk=owner.key.pk).update(last_used_at="2126-01-01T00:00:00Z")
    client = owner.api if path.startswith("/api/") else browser
    for number in range(3):
        _fill(team, owner, number)
    few = _queries(lambda: client.get(path))
    for number in range(3, 30):
        _fill(team, owner, number)
    assert _queries(lambda: client.get(path)) == few
    assert few <= 16
