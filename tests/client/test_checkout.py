"""One repository, many folders: made by real git."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from stash_client import checkout
from stash_client.checkout import checkout_of, place_of

CASES = Path(__file__).parent.parent / "cases"
P01 = json.loads((CASES / "P01.same-project.json").read_text())


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("p01")
    subprocess.run(["sh", CASES / "P01.setup.sh", root], check=True, capture_output=True)
    return root


@pytest.mark.parametrize("folder", P01["same_project"])
def test_every_folder_of_a_repository_is_the_same_project(folders, folder):
    assert checkout_of(str(folders / folder), "m1").identities == ("git.example.test/acme/shop",)


@pytest.mark.parametrize("folder", [*P01["same_project"], "work/no-git-folder"])
def test_place_is_what_git_says_it_is(folders, folder):
    told, found = checkout_of(str(folders / folder), "m1"), place_of(str(folders / folder))
    assert (found.place, found.root) == (told.place, told.root)


def test_place_of_a_submodule_is_its_own_and_a_broken_link_is_a_folder(tmp_path):
    outer, inner = tmp_path / "outer", tmp_path / "inner"
    for made in (outer, inner):
        subprocess.run(["git", "init", "-q", made], check=True)
        who = ["-c", "user.name=d", "-c", "user.email=d@d"]
        subprocess.run(["git", "-C", made, *who, "commit", "-qm", "x", "--allow-empty"], check=True)
    allowed = ["-c", "protocol.file.allow=always"]
    subprocess.run(["git", "-C", outer, *allowed, "submodule", "--quiet", "add", inner, "sub"], check=True)
    assert place_of(str(outer / "sub")).place == checkout_of(str(outer / "sub"), "m1").place
    assert place_of(str(outer / "sub")).place.endswith("/modules/sub")

    (tmp_path / "torn").mkdir()
    for text in ("", "gitdir:", "nonsense"):
        (tmp_path / "torn" / ".git").write_text(text)
        assert place_of(str(tmp_path / "torn")).place == str(tmp_path / "torn")


def test_worktree_keeps_its_branch(folders):
    branches = {f: checkout_of(str(folders / f), "m1").branch for f in ("work/shop", "work/shop-hotfix")}
    assert branches == {"work/shop": "main", "work/shop-hotfix": "hotfix"}


def test_folder_without_git_is_its_own_project(folders):
    lonely = checkout_of(str(folders / "work/no-git-folder"), "m1")
    assert lonely.identities[0].startswith("local:m1:")
    assert str(folders) not in lonely.identities[0]


def test_folder_without_remote_is_one_project_from_everywhere_in_it(tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path / "r"], check=True)
    (tmp_path / "r/sub").mkdir()
    inside = {checkout_of(str(tmp_path / where), "m1").identities for where in ("r", "r/sub")}
    assert len(inside) == 1


def test_detached_head_and_bare_repository_do_not_break(folders, tmp_path):
    shop = folders / "work/shop"
    clone, bare = tmp_path / "clone", tmp_path / "bare"
    subprocess.run(["git", "clone", "-q", shop, clone], check=True)
    subprocess.run(["git", "-C", clone, "checkout", "-q", "--detach"], check=True, capture_output=True)
    subprocess.run(["git", "clone", "-q", "--bare", shop, bare], check=True)
    assert checkout_of(str(clone), "m1").branch is None
    assert checkout_of(str(clone), "m1").commit
    assert checkout_of(str(bare), "m1").identities


def test_missing_git_falls_back_to_the_folder(folders, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    assert shutil.which("git") is None
    assert checkout_of(str(folders / "work/shop"), "m1").identities[0].startswith("local:m1:")


def test_missing_git_still_finds_the_place_consent_was_given_for(folders, monkeypatch):
    with_git = {folder: checkout_of(str(folders / folder), "m1") for folder in P01["same_project"]}
    monkeypatch.setenv("PATH", "/nonexistent")
    for folder, known in with_git.items():
        without = checkout_of(str(folders / folder), "m1")
        assert (without.place, without.root) == (known.place, known.root)


def test_git_that_refuses_a_folder_of_somebody_else_does_not_hide_its_place(folders, monkeypatch):
    shop = folders / "work/shop"
    known = checkout_of(str(shop / "packages/web"), "m1")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    refused = checkout_of(str(shop / "packages/web"), "m1")
    assert refused.identities[0].startswith("local:m1:")
    assert (refused.place, refused.root) == (known.place, known.root)


def test_a_submodule_is_a_project_of_its_own(folders, tmp_path):
    above, inside = tmp_path / "above", tmp_path / "above" / "vendor"
    subprocess.run(["git", "init", "-q", above], check=True)
    add = [
        "git",
        "-C",
        above,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        folders / "work/shop",
        "vendor",
    ]
    subprocess.run(add, check=True, capture_output=True)
    outer, inner = checkout_of(str(above), "m1"), checkout_of(str(inside), "m1")
    assert outer.place != inner.place
    assert (inner.root, outer.root) == (str(inside), str(above))


def test_upstream_comes_before_origin(folders, tmp_path):
    subprocess.run(["git", "clone", "-q", folders / "work/shop", tmp_path / "fork"], check=True)
    for name, url in (
        ("origin", "git@git.example.test:dana/shop.git"),
        ("upstream", "https://git.example.test/acme/shop"),
    ):
        subprocess.run(["git", "-C", tmp_path / "fork", "config", f"remote.{name}.url", url], check=True)
    assert checkout_of(str(tmp_path / "fork"), "m1").identities == (
        "git.example.test/acme/shop",
        "git.example.test/dana/shop",
    )


def test_a_folder_is_asked_for_itself_inside_a_git_hook(tmp_path, monkeypatch):
    """Git tells its hooks which repository it runs for; an agent started there works wherever it works."""
    for name in ("one", "two"):
        subprocess.run(["git", "init", "-q", tmp_path / name], check=True)
        remote = f"https://git.example.test/acme/{name}.git"
        subprocess.run(["git", "-C", tmp_path / name, "remote", "add", "origin", remote], check=True)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "two" / ".git"))
    assert checkout_of(str(tmp_path / "one"), "m1").identities == ("git.example.test/acme/one",)


def test_looking_at_a_repository_starts_no_program_it_names_and_shows_none_the_key(tmp_path, monkeypatch):
    monkeypatch.setenv("STASH_KEY", "stash_secret")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    program = tmp_path / "watcher"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    program.chmod(0o755)
    subprocess.run(["git", "-C", tmp_path, "config", "core.fsmonitor", str(program)], check=True)
    assert checkout.git(str(tmp_path), "status", "--porcelain") is not None
    assert checkout.is_tracked(str(tmp_path), "watcher") is False
    assert not (tmp_path / "started").exists()
    assert "stash_secret" not in (checkout.git(str(tmp_path), "-c", "alias.shown=!env", "shown") or "stash_secret")
