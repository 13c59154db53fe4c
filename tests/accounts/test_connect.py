"""Which project a checkout belongs to, and the consent to capture from it."""

from __future__ import annotations

import json
import subprocess
import threading
import uuid
from pathlib import Path

import pytest
from django.db import connection

from accounts import selectors, services
from accounts.identities import clean_identities, clean_identity
from accounts.models import Connection, Project, ProjectIdentity
from stash.audit.models import AuditEntry
from stash.errors import Conflict, Forbidden, Invalid, NotFound
from stash_client.ids import local_identity, normalise_remote
from tests.conftest import connect, make_person, make_project

CASES = Path(__file__).parent.parent / "cases"
SHOP = "git.example.test/acme/shop"


@pytest.mark.parametrize(
    "value, clean",
    [
        (SHOP, SHOP),
        ("Git.Example.test/Acme/Shop.git", SHOP),
        ("git@git.example.test:acme/shop.git", SHOP),
        ("https://oauth2:FAKEtok0123456789@git.example.test/acme/shop.git", SHOP),
        ("https://FAKEtok0123456789@git.example.test:8443/acme/shop", SHOP),
        ("oauth2:FAKE@tok/01@git.example.test/acme/shop", SHOP),
        ("ssh://git@git.example.test:2222/acme/shop.git?token=FAKE#x", SHOP),
        ("git.example.test/acme/shop?private_token=FAKE", SHOP),
        (f"\u202e{SHOP}\x00", SHOP),
        ("local:mbp-dana:0123456789abcdef", "local:mbp-dana:0123456789abcdef"),
        ("marker:01HZX7Q2V9-ab_cd", "marker:01HZX7Q2V9-ab_cd"),
        ("local:/home/dana/work", None),
        ("marker:../../etc", None),
        ("/home/dana/work/shop", None),
        ("C:\\Users\\dana\\shop", None),
        ("", None),
        ("shop", None),
        (None, None),
        ({"a": 1}, None),
        ("x" * 3000, None),
    ],
)
def test_clean_identity(value, clean):
    assert clean_identity(value) == clean
    assert clean is None or clean_identity(clean) == clean


def test_clean_identities_puts_the_strongest_first():
    given = ["local:m:0123456789abcdef", "git@h.test:up/shop", "h.test/me/shop", "marker:abcdefgh", "h.test/up/shop", 7]
    assert clean_identities(given) == ["marker:abcdefgh", "h.test/up/shop", "h.test/me/shop", given[0]]


def test_connect_makes_a_project_and_then_joins_it(dana, ravi):
    body = {"identities": ["git@git.example.test:acme/ferry.git", "local:m:0123456789abcdef"], "visibility": "project"}
    first = dana.api.post("/api/v1/projects/connect", body, format="json")
    assert first.status_code == 200
    assert first.json()["created"] is True
    assert first.json()["project"]["slug"] == "ferry"
    assert first.json()["project"]["identities"] == ["git.example.test/acme/ferry", "local:m:0123456789abcdef"]
    second = ravi.api.post("/api/v1/projects/connect", {"identities": body["identities"][:1]}, format="json").json()
    assert (second["created"], second["project"]["id"]) == (False, first.json()["project"]["id"])
    assert (second["visibility"], second["fixed_by"]) == ("private", "")
    assert Connection.objects.count() == 2


def test_connect_again_changes_the_choice(dana, shop):
    for visibility in ("private", "project"):
        services.connect(actor=dana.actor, identities=[SHOP], visibility=visibility)
    assert Connection.objects.get(membership=dana.membership, project=shop).visibility == "project"


def test_connect_lets_the_first_known_identity_decide(dana, team):
    upstream, fork = make_project(team, "upstream"), make_project(team, "fork")
    names = ["git.example.test/acme/upstream", "git.example.test/acme/fork", "git.example.test/dana/upstream"]
    connected = services.connect(actor=dana.actor, identities=names)
    assert connected.project == upstream
    owners = dict(ProjectIdentity.objects.values_list("value", "project__slug"))
    assert owners[names[1]] == "fork"
    assert owners[names[2]] == "upstream"
    assert fork.identities.count() == 1


@pytest.mark.parametrize(
    "team_says, project_says, gets, by",
    [
        ("", "", "project", ""),
        ("private", "", "private", "team"),
        ("", "private", "private", "project"),
        ("private", "project", "private", "team"),
    ],
)
def test_connect_obeys_what_team_or_project_have_fixed(dana, shop, team, team_says, project_says, gets, by):
    team.session_visibility, shop.session_visibility = team_says, project_says
    team.save(), shop.save()
    connected = services.connect(actor=dana.actor, identities=[_of(shop)], visibility="project")
    assert (connected.visibility, connected.fixed_by) == (gets, by)
    assert connected.connection.visibility == "project"


def _of(project: Project) -> str:
    return project.identities.get().value


def test_connect_to_everything(dana, shop, team):
    other = make_project(team, "other")
    Connection.objects.all().delete()
    answer = dana.api.post("/api/v1/projects/connect", {"all": True, "visibility": "private"}, format="json").json()
    assert (answer["project"], answer["visibility"]) == (None, "private")
    assert selectors.resolve_project(dana.actor, [_of(other)]).connection.visibility == "private"
    assert selectors.resolve_project(dana.actor, ["git.example.test/acme/new"])[0] is None
    made = services.ensure_project(actor=dana.actor, identities=["git.example.test/acme/new"])
    assert selectors.resolve_project(dana.actor, ["git.example.test/acme/new"]).project == made


def test_connect_to_a_project_closed_to_one_is_not_found(dana, team):
    secret = make_project(team, "secret", visibility="restricted")
    with pytest.raises(NotFound):
        services.connect(actor=dana.actor, identities=[_of(secret), "git.example.test/dana/x"])
    assert secret.identities.count() == 1
    assert selectors.resolve_project(dana.actor, [_of(secret)]) == (None, None)


def test_connect_is_not_for_viewers(team, shop):
    viewer = make_person(team, "vic", "viewer", scopes=["read", "write", "capture"])
    with pytest.raises(Forbidden):
        services.connect(actor=viewer.actor, identities=[_of(shop)])
    with pytest.raises(Forbidden):
        services.connect(actor=viewer.actor, identities=["git.example.test/vic/new"])


def test_connect_by_the_id_of_a_project_joins_it_from_a_remote_of_its_own(dana, shop):
    names = [f"marker:{shop.pk}", "git.example.test/ravi/fork"]
    connected = services.connect(actor=dana.actor, identities=names)
    assert (connected.project, connected.created) == (shop, False)
    assert selectors.resolve_project(dana.actor, names[:1]).project == shop


def test_connect_by_the_id_of_a_project_that_is_not_here_becomes_no_name_of_another(dana, shop, olga):
    foreign = make_project(olga.membership.team, "foreign")
    for identity in (f"marker:{foreign.pk}", f"marker:{uuid.uuid4()}"):
        with pytest.raises(NotFound):
            services.connect(actor=dana.actor, identities=[identity, _of(shop)])
    assert shop.identities.count() == 1


def test_connections_are_listed_and_ended_over_http(dana, shop):
    connect(dana, None, "private")
    listed = dana.api.get("/api/v1/me/connections").json()["results"]
    assert {(row["project"] or {}).get("slug"): row["visibility"] for row in listed} == {
        "shop": "project",
        None: "private",
    }
    for row in listed:
        assert dana.api.delete(f"/api/v1/me/connections/{row['id']}").status_code == 204
    assert not Connection.objects.exists()
    assert AuditEntry.objects.filter(verb="connection.ended").count() == 2


@pytest.mark.parametrize("identities", [[], ["/home/dana/shop"], ["shop"], [""]])
def test_connect_without_a_usable_identity_is_refused(dana, identities):
    answer = dana.api.post("/api/v1/projects/connect", {"identities": identities}, format="json")
    assert (answer.status_code, answer.json()["status"]) == (422, 422)
    assert not Project.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_who_connect_one_repository_at_once_share_a_project(dana, ravi):
    start, made = threading.Barrier(2), []

    def join(person):
        start.wait()
        try:
            made.append(services.connect(actor=person.actor, identities=[SHOP]).project.pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=join, args=(person,)) for person in (dana, ravi)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made[0] == made[1]
    assert Project.objects.count() == 1


def test_disconnect_is_for_oneself(dana, ravi, shop):
    consent = Connection.objects.get(project=shop)
    with pytest.raises(Forbidden):
        services.disconnect(actor=ravi.actor, connection=consent)
    services.disconnect(actor=dana.actor, connection=consent)
    assert selectors.resolve_project(dana.actor, [_of(shop)]) == (shop, None)


def test_resolve_project_takes_two_queries(dana, shop, django_assert_num_queries):
    actor, names = dana.actor, ["git.example.test/x/y", _of(shop)]
    with django_assert_num_queries(2):
        project, consent = selectors.resolve_project(actor, names)
        assert selectors.effective_visibility(project, consent) == ("project", "person")
    assert project == shop


def test_resolve_project_prefers_the_consent_for_the_project(dana, shop):
    connect(dana, None, "private")
    assert selectors.resolve_project(dana.actor, [_of(shop)]).connection.project == shop


def test_attach_identity_needs_write_and_a_free_name(dana, team, shop):
    other = make_project(team, "other")
    viewer = make_person(team, "vic", "viewer")
    with pytest.raises(Forbidden):
        services.attach_identity(actor=viewer.actor, project=shop, value="git.example.test/a/b")
    with pytest.raises(Conflict):
        services.attach_identity(actor=dana.actor, project=shop, value=_of(other))
    with pytest.raises(Invalid):
        services.attach_identity(actor=dana.actor, project=shop, value="/tmp/x")
    added = services.attach_identity(actor=dana.actor, project=shop, value="git@git.example.test:acme/store.git")
    assert added.value == "git.example.test/acme/store"
    services.detach_identity(actor=dana.actor, identity=added)
    assert shop.identities.count() == 1


# ---- one repository, many folders --------------------------------------------------------------------------------


def _identities(folder: Path) -> list[str]:
    """What a client says of a folder: its remotes, then the hash of the real path of the common git directory."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=False)
        return done.stdout.strip()

    common = git("rev-parse", "--path-format=absolute", "--git-common-dir")
    remotes = [git("remote", "get-url", name) for name in ("upstream", "origin")]
    named = [found for url in remotes if (found := normalise_remote(url))]
    return [*named, local_identity("mbp-dana", str(Path(common or folder).resolve()))]


def test_one_repository_in_many_folders_is_one_project(dana, tmp_path):
    case = json.loads((CASES / "P01.same-project.json").read_text())
    subprocess.run(["sh", CASES / "P01.setup.sh", tmp_path], check=True, capture_output=True)
    projects = {
        services.connect(actor=dana.actor, identities=_identities(tmp_path / folder)).project
        for folder in case["same_project"]
    }
    assert [project.slug for project in projects] == ["shop"]
    for folder in case["same_project"]:
        assert selectors.resolve_project(dana.actor, _identities(tmp_path / folder)).project in projects
    for folder in case["own_project"]:
        apart = services.connect(actor=dana.actor, identities=_identities(tmp_path / folder)).project
        assert apart not in projects
    for _ in case["payload_only"]:
        remote = "git@git.example.test:acme/shop.git"
        assert selectors.resolve_project(dana.actor, [remote]).project in projects
    stored = " ".join(ProjectIdentity.objects.values_list("value", flat=True))
    assert str(tmp_path) not in stored


# ---- credentials in a remote -------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", [True, False])
def test_remote_with_a_token_is_cleaned_before_anything_is_stored(dana, caplog, capfd, named):
    case = json.loads((CASES / "R03.remote.json").read_text())
    url = case["git_remote_origin_url"]
    body = {"identities": [url], "name": url if named else ""}
    answer = dana.api.post("/api/v1/projects/connect", body, format="json")
    assert answer.status_code == 200
    project = Project.objects.get()
    assert (project.slug, project.name) == ("shop", "shop")
    same = dana.api.post(
        "/api/v1/projects/connect", {"identities": ["git@git.example.test:acme/shop.git"]}, format="json"
    )
    assert same.json()["project"]["id"] == str(project.pk)
    seen = [
        answer.content.decode(),
        dana.api.get("/api/v1/projects").content.decode(),
        caplog.text,
        *capfd.readouterr(),
    ]
    seen += [str(list(model.objects.values())) for model in (Project, ProjectIdentity, Connection, AuditEntry)]
    assert "FAKEtok0123456789" not in " ".join(seen)


def test_problem_never_repeats_what_was_sent(dana, shop):
    token = "FAKEtok0123456789"
    bad = dana.api.post("/api/v1/projects/connect", {"identities": [f"/{token}"], "name": token}, format="json")
    assert bad.status_code == 422
    assert token not in bad.content.decode()
