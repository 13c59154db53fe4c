"""Names, rights and rules of projects."""

from __future__ import annotations

import pytest

from accounts import services
from accounts.models import Project, ProjectGrant
from stash.errors import Conflict, Forbidden, Invalid
from stash_client.privacy import Policy
from tests.conftest import make_person, make_project


@pytest.fixture
def admin(team):
    return make_person(team, "ada", "admin")


def test_rename_keeps_the_old_address_leading_here(dana, shop):
    changed = dana.api.patch("/api/v1/projects/shop", {"name": "Store", "slug": "store"}, format="json")
    assert (changed.json()["slug"], changed.json()["name"]) == ("store", "Store")
    assert dana.api.get("/api/v1/projects/shop").json()["slug"] == "store"
    assert services.create_project(actor=dana.actor, name="shop").slug == "shop-2"
    dana.api.patch("/api/v1/projects/store", {"slug": "shop"}, format="json")
    assert dana.api.get("/api/v1/projects/store").json()["slug"] == "shop"


def test_rename_to_a_name_somebody_has_or_had_is_refused(dana, team, shop):
    make_project(team, "other")
    with pytest.raises(Conflict):
        services.rename_project(actor=dana.actor, project=shop, slug="other")
    services.rename_project(actor=dana.actor, project=shop, slug="store")
    with pytest.raises(Conflict):
        services.rename_project(actor=dana.actor, project=Project.objects.get(slug="other"), slug="shop")


@pytest.mark.parametrize("slug", ["", "A", "a b", "ä", "a/b", "../x", "-a"])
def test_rename_to_a_slug_that_is_none_is_refused(dana, shop, slug):
    with pytest.raises(Invalid):
        services.rename_project(actor=dana.actor, project=shop, slug=slug)


def test_old_address_of_a_page_redirects(client, dana, shop):
    services.rename_project(actor=dana.actor, project=shop, slug="store")
    client.force_login(dana.user, backend="django.contrib.auth.backends.ModelBackend")
    answer = client.get("/t/harbour/settings/projects/shop/")
    assert answer["Location"] == "/t/harbour/settings/projects/store/"


def test_patch_is_all_or_nothing(dana, shop):
    answer = dana.api.patch("/api/v1/projects/shop", {"name": "New", "visibility": "restricted"}, format="json")
    assert answer.status_code == 403
    assert Project.objects.get(pk=shop.pk).name == "shop"


def test_restricted_project_is_for_those_with_a_grant(admin, dana, ravi, shop):
    services.set_visibility(actor=admin.actor, project=shop, visibility="restricted")
    assert ravi.api.get("/api/v1/projects/shop").status_code == 404
    grant = services.grant_access(actor=admin.actor, project=shop, membership=ravi.membership, can_write=False)
    assert ravi.api.get("/api/v1/projects/shop").status_code == 200
    assert ravi.api.patch("/api/v1/projects/shop", {"name": "x"}, format="json").status_code == 403
    services.grant_access(actor=admin.actor, project=shop, membership=ravi.membership, can_write=True)
    assert ravi.api.patch("/api/v1/projects/shop", {"name": "x"}, format="json").status_code == 200
    services.withdraw_access(actor=admin.actor, grant=grant)
    assert ravi.api.get("/api/v1/projects/shop").status_code == 404


def test_grant_to_somebody_of_another_team_is_refused(admin, olga, shop):
    with pytest.raises(Invalid):
        services.grant_access(actor=admin.actor, project=shop, membership=olga.membership, can_write=True)
    assert not ProjectGrant.objects.exists()


def test_grants_and_rules_are_for_admins(dana, ravi, shop):
    with pytest.raises(Forbidden):
        services.grant_access(actor=dana.actor, project=shop, membership=ravi.membership, can_write=True)
    with pytest.raises(Forbidden):
        services.set_session_visibility(actor=dana.actor, project=shop, visibility="private")
    with pytest.raises(Forbidden):
        services.set_team_session_visibility(actor=dana.actor, visibility="private")


def test_members_of_a_project_say_who_may_write(admin, team, dana, ravi, shop):
    make_person(team, "vic", "viewer")
    bot = make_person(team, "bot", "service", responsible=dana.membership)
    services.grant_access(actor=admin.actor, project=shop, membership=bot.membership, can_write=False)
    rows = dana.api.get("/api/v1/projects/shop/members").json()["results"]
    assert {row["user"]["username"]: row["can_write"] for row in rows} == {
        "ada": True, "bot": False, "dana": True, "ravi": True, "vic": False,
    }  # fmt: skip
    services.set_visibility(actor=admin.actor, project=shop, visibility="restricted")
    rows = admin.api.get("/api/v1/projects/shop/members").json()["results"]
    assert {row["user"]["username"] for row in rows} == {"ada", "bot"}


@pytest.mark.parametrize(
    "policy", [[], {"surprise": 1}, {"ignore": "x"}, {"ignore": [1]}, {"prompts": "no"}, {"ignore": ["x"] * 101}]
)
def test_policy_that_is_none_is_refused(admin, shop, policy):
    assert admin.api.patch("/api/v1/projects/shop", {"policy": policy}, format="json").status_code == 422


def test_policy_is_kept_and_means_the_same_to_the_boundary(admin, shop):
    policy = {"ignore": ["secrets/**"], "output": False}
    assert admin.api.patch("/api/v1/projects/shop", {"policy": policy}, format="json").json()["policy"] == policy
    assert Policy.from_mapping(policy).to_mapping() == policy
