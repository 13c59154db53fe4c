"""Clone, fetch and push with git itself."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from stash.audit.models import AuditEntry
from tests.conftest import make_person
from wiki import services
from wiki.models import Page, Revision
from wiki.places import store_of

pytestmark = pytest.mark.django_db(transaction=True)


class Clone:
    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url
        self.environ = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
            "GIT_AUTHOR_NAME": "Dana", "GIT_AUTHOR_EMAIL": "dana@example.test", "no_proxy": "*",
            "GIT_COMMITTER_NAME": "Dana", "GIT_COMMITTER_EMAIL": "dana@example.test",
        }  # fmt: skip
        folder.mkdir()

    def git(self, *arguments: str, fails: bool = False) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=self.environ, capture_output=True, text=True, timeout=60
        )
        assert bool(done.returncode) == fails, (arguments, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def write(self, path: str, text: str) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", "By hand")

    def refused(self) -> str:
        said = self.git("push", "-q", "origin", "HEAD:main", fails=True)
        self.git("reset", "-q", "--hard", "origin/main")
        self.git("clean", "-qfd")
        return said


def clone(tmp_path: Path, live_server, secret: str, name: str = "work") -> Clone:
    url = live_server.url.replace("http://", f"http://x:{secret}@") + "/git/harbour/shop.git"
    made = Clone(tmp_path / name, url)
    made.git("clone", "-q", url, ".")
    return made


def test_a_wiki_is_cloned_and_pushed_by_the_same_rules(tmp_path, live_server, dana, ravi, shop):
    services.save_page(actor=ravi.actor, project=shop, path="index.md", text="# Index\n")
    work = clone(tmp_path, live_server, dana.secret)
    assert (work.folder / "index.md").read_text() == "# Index\n"
    work.write("notes/Ünïcode name.md", "By hand, [[index]]\n")
    work.commit()
    assert "pages are indexed" in work.git("push", "origin", "HEAD:main")
    page = Page.objects.get(path="notes/Ünïcode name.md")
    assert (page.text, page.changed_by_name, page.changed_by) == ("By hand, [[index]]\n", "Dana", "")
    assert AuditEntry.objects.get(verb="page.pushed").actor_id == dana.user.pk

    for path, text, reason in (
        ("a/con.md", "x", "Windows keeps this name"),
        ("Index.md", "x", "are one name on some systems"),
        ("big.md", "x" * (1024 * 1024 + 1), "more than 1048576 bytes"),
        ("key.md", "AKIAIOSFODNN7EXAMPLE\n", "looks like a secret"),
        ("esc.md", "\x1b[31mred\n", "control characters"),
    ):
        work.write(path, text)
        work.commit()
        assert reason in work.refused()
    (work.folder / "link.md").symlink_to("../../outside.md")
    work.commit()
    assert "only files are kept" in work.refused()
    assert AuditEntry.objects.filter(verb="page.push_refused").count() == 6

    services.append_to_page(actor=ravi.actor, project=shop, path="index.md", text="more")
    work.write("b.md", "b\n")
    work.commit()
    work.git("push", "-q", "origin", "HEAD:main", fails=True)
    work.git("pull", "-q", "--rebase", "origin", "main")
    work.git("push", "-q", "origin", "HEAD:main")
    work.git("push", "-q", "-f", "origin", "HEAD~1:main", fails=True)
    work.git("push", "-q", "origin", ":main", fails=True)
    work.git("push", "-q", "origin", "HEAD:other", fails=True)
    told = sorted(Revision.objects.values_list("path", "number", "commit"))
    services.rebuild_index(shop)
    assert sorted(Revision.objects.values_list("path", "number", "commit")) == told
    assert store_of(shop.pk).fsck() == ""


def test_who_may_clone_and_push(tmp_path, live_server, dana, olga, team, shop):
    vera = make_person(team, "vera", "viewer")
    work = clone(tmp_path, live_server, dana.secret)
    work.write("a.md", "first\n")
    work.commit()
    work.git("push", "-q", "origin", "HEAD:main")
    looks = clone(tmp_path, live_server, vera.secret, "looks")
    looks.write("a.md", "second\n")
    looks.commit()
    assert "403" in looks.git("push", "origin", "HEAD:main", fails=True)
    for number, secret in enumerate((olga.secret, "stash_wrong")):
        with pytest.raises(AssertionError, match="not found|Authentication failed"):
            clone(tmp_path, live_server, secret, f"n{number}")
    assert Page.objects.get(path="a.md").text == "first\n"
