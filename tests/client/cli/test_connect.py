"""Consent on a terminal and without one; what a clone's marker can and cannot do."""

from __future__ import annotations

import json

import pytest

from accounts.models import Connection, Project, ProjectIdentity
from stash_client import marker
from tests.client.laptop import Laptop
from tests.conftest import make_project

pytestmark = pytest.mark.django_db(transaction=True)


def mark(laptop: Laptop, *, server: str, project="", name: str = "Shop") -> None:
    text = marker.with_project("", server=server, project=str(project), name=name)
    (laptop.repository / ".stash.toml").write_text(text)


@pytest.fixture
def unconnected(shop) -> Project:
    Connection.objects.all().delete()
    return shop


def test_connect_before_sign_in_says_what_to_do(laptop):
    code, _, said = laptop.run("connect")
    assert (code, "stash signin" in said) == (3, True)


def test_connect_without_a_terminal_agrees_to_nothing(at_work, unconnected):
    code, _, said = at_work.run("connect")
    assert (code, "--yes" in said) == (2, True)
    assert not at_work.connections
    assert not Connection.objects.exists()


def test_connect_with_yes_connects_and_writes_the_files(at_work, unconnected, live_server, dana):
    said = at_work.json("connect", "--yes")
    assert said["files"] == [".stash.toml", "AGENTS.md"]
    assert (said["project"], said["visibility"], said["server"]) == ("shop", "project", "lab")
    written = marker.read(str(at_work.repository))
    assert (written.server, written.project) == (live_server.url, str(unconnected.pk))
    assert ProjectIdentity.objects.filter(project=unconnected, value=f"marker:{unconnected.pk}").exists()
    [stored] = at_work.connections
    assert (stored["place"], stored["project"]) == (str(at_work.repository / ".git"), str(unconnected.pk))
    assert Connection.objects.get().membership == dana.membership
    assert (at_work.home / "connections.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("word", ["--private", "--no-files"])
def test_connect_for_oneself_writes_nothing_into_the_repository(at_work, unconnected, word):
    said = at_work.json("connect", "--yes", word)
    assert said["files"] == []
    assert [path.name for path in at_work.repository.iterdir()] == [".git"]
    assert said["visibility"] == ("private" if word == "--private" else "project")


def test_connect_asks_who_may_see_and_shows_the_files_first(at_work, unconnected):
    screen = at_work.terminal("connect")
    screen.expect("Who may see new sessions?")
    assert "everybody who can see shop: Dana" in screen.expect("Choose 1-3 [3]:")
    screen.type("1")
    screen.expect("+project = ")
    screen.expect("Write this?")
    assert not (at_work.repository / ".stash.toml").exists()
    screen.type("n")
    assert screen.end() == 0
    assert [c["slug"] for c in at_work.connections] == ["shop"]
    assert not (at_work.repository / ".stash.toml").exists()


def test_connect_declined_keeps_nothing(at_work, unconnected):
    screen = at_work.terminal("connect")
    screen.expect("Choose")
    screen.type("")
    assert screen.end() == 1
    assert not at_work.connections
    assert not Connection.objects.exists()


def test_private_stays_private_where_the_team_shows_everything(at_work, unconnected, team):
    team.session_visibility = "project"
    team.save()
    at_work.json("connect", "--yes", "--private")
    assert at_work.connections[0]["visibility"] == "private"


def test_connect_obeys_a_team_that_keeps_everything_private(at_work, unconnected, team):
    team.session_visibility = "private"
    team.save()
    code, said, _ = at_work.run("connect", "--yes", "--no-files")
    assert (code, "The team has decided" in said) == (0, True)
    assert at_work.connections[0]["visibility"] == "private"


def test_connect_to_a_named_project(at_work, unconnected, team):
    other = make_project(team, "other")
    said = at_work.json("connect", "--yes", "--no-files", "--project", "other")
    assert said["project"] == "other"
    assert at_work.connections[0]["project"] == str(other.pk)
    assert at_work.run("connect", "--yes", "--project", "nothing")[0] == 4


def test_connect_everything(at_work, unconnected):
    at_work.json("connect", "--all", "--yes", "--private")
    assert [(c["place"], c["visibility"]) for c in at_work.connections] == [("", "private")]
    assert Connection.objects.get().project is None


def test_connect_chooses_among_servers(at_work, unconnected, live_server, olga):
    mine = json.loads((at_work.home / "accounts.json").read_text())["accounts"][0]
    theirs = {"label": "other", "url": live_server.url, "key": olga.secret, "user": "olga", "team": "elsewhere"}
    at_work.signed_in(mine, theirs)
    assert at_work.json("connect", "--yes", "--no-files", "--server", "other")["server"] == "other"
    assert Connection.objects.get().membership == olga.membership
    code, _, said = at_work.run("connect", "--yes", "--server", "nowhere")
    assert (code, "lab, other" in said) == (2, True)


# ---- what comes with a clone -------------------------------------------------------------------------------------


def test_a_marker_of_the_own_project_needs_no_second_look(at_work, unconnected, live_server):
    mark(at_work, server=live_server.url, project=unconnected.pk)
    assert at_work.json("connect", "--yes", "--no-files")["project"] == "shop"


def test_a_marker_with_a_foreign_server_is_shown_and_nothing_goes_there(at_work, unconnected):
    mark(at_work, server="https://evil.example.test", project=unconnected.pk)
    code, _, said = at_work.run("connect", "--yes")
    assert (code, "https://evil.example.test" in said, "not signed in there" in said) == (3, True, True)
    assert not at_work.connections

    screen = at_work.terminal("connect", "--yes")
    screen.expect("https://evil.example.test")
    screen.expect("Is this what you mean?")
    screen.type("1")
    assert screen.end() == 0
    [stored] = at_work.connections
    assert (stored["server"], stored["slug"]) == ("lab", "shop")


def test_a_marker_with_another_projects_id_must_be_looked_at_with_both_names(at_work, unconnected, team, live_server):
    payroll = make_project(team, "payroll")
    mark(at_work, server=live_server.url, project=payroll.pk, name="shop")
    code, _, said = at_work.run("connect", "--yes")
    assert (code, "payroll" in said, "shop" in said) == (3, True, True)
    assert not Connection.objects.exists()

    screen = at_work.terminal("connect")
    assert "by its remote (git.example.test/acme/shop) this repository is shop" in screen.expect("Choose")
    screen.type("2")
    assert screen.end() == 0
    assert Connection.objects.get().project == payroll
    assert at_work.connections[0]["project"] == str(payroll.pk)


def test_a_marker_with_a_projects_id_from_a_strange_remote_must_be_looked_at(tmp_path, live_server, dana, unconnected):
    stranger = Laptop(tmp_path, remote="https://git.evil.example/x/y.git")
    stranger.signed_in({"label": "lab", "url": live_server.url, "key": dana.secret})
    mark(stranger, server=live_server.url, project=unconnected.pk)
    code, _, said = stranger.run("connect", "--yes", "--json")
    assert (code, json.loads(said)["code"]) == (3, "doubtful_marker")
    assert unconnected.identities.count() == 1


@pytest.mark.parametrize("whose", ["nobody", "another team"])
def test_a_marker_with_the_id_of_an_unknown_project_is_not_used(at_work, unconnected, live_server, olga, whose):
    foreign = make_project(olga.membership.team, "foreign").pk if whose == "another team" else "0" * 32
    mark(at_work, server=live_server.url, project=foreign)
    assert at_work.run("connect", "--yes")[0] == 3
    screen = at_work.terminal("connect")
    assert "does not show to you" in " ".join(screen.expect("Choose").split())
    screen.type("2")
    assert screen.end() == 0
    assert Connection.objects.get().project == unconnected


# ---- taking it back ----------------------------------------------------------------------------------------------


def test_disconnect_ends_it_here_and_on_the_server_and_takes_the_files_out(at_work, unconnected):
    at_work.json("connect", "--yes")
    said = at_work.json("disconnect", "--yes")
    assert (said["was_connected"], said["ended"], said["files"]) == (True, True, [".stash.toml", "AGENTS.md"])
    assert at_work.consents == {"connections": [], "refused": [str(at_work.repository / ".git")]}
    assert not Connection.objects.exists()
    assert [path.name for path in at_work.repository.iterdir()] == [".git"]


def test_disconnect_leaves_committed_files_to_the_team(at_work, unconnected):
    import subprocess

    at_work.json("connect", "--yes")
    subprocess.run(["git", "-C", at_work.repository, "add", ".stash.toml"], check=True)
    code, said, _ = at_work.run("disconnect", "--yes")
    assert (code, ".stash.toml is committed" in said) == (0, True)
    assert sorted(path.name for path in at_work.repository.iterdir()) == [".git", ".stash.toml"]
    at_work.json("disconnect", "--yes", "--files")
    assert not (at_work.repository / ".stash.toml").exists()


def test_disconnect_while_the_server_is_away_ends_it_here(at_work, unconnected):
    at_work.json("connect", "--yes", "--no-files")
    stored = json.loads((at_work.home / "accounts.json").read_text())["accounts"][0]
    at_work.signed_in({**stored, "url": "http://127.0.0.1:9"})
    code, _, said = at_work.run("disconnect")
    assert (code, "could not be told" in said) == (0, True)
    assert not at_work.connections


def test_disconnect_one_of_two_checkouts_keeps_the_project_connected(at_work, unconnected):
    second = at_work.clone(at_work.folder / "second", "https://git.example.test/acme/shop")
    for folder in (at_work.repository, second):
        at_work.json("connect", "--yes", "--no-files", cwd=folder)
    assert at_work.json("disconnect")["ended"] is False
    assert Connection.objects.exists()
    assert at_work.json("disconnect", cwd=second)["ended"] is True
    assert not Connection.objects.exists()


def test_disconnect_everything_needs_a_yes(at_work, unconnected):
    at_work.json("connect", "--yes", "--no-files")
    at_work.json("connect", "--all", "--yes")
    assert at_work.run("disconnect", "--all")[0] == 1
    assert len(at_work.connections) == 2
    assert at_work.json("disconnect", "--all", "--yes")["ended"] == 2
    assert not at_work.connections
    assert not Connection.objects.exists()


def test_one_place_is_kept_out_of_everything(at_work, unconnected):
    at_work.json("connect", "--all", "--yes")
    at_work.json("disconnect")
    assert at_work.consents["refused"] == [str(at_work.repository / ".git")]
    assert len(at_work.connections) == 1
