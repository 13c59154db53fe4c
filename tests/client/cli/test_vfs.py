"""``stash vfs`` against the real API."""

from __future__ import annotations

import json

import pytest

from stash_client.cli.vfs import line_of
from tests.client.sessions import capture

pytestmark = pytest.mark.django_db(transaction=True)


def test_vfs_takes_words_and_lines_and_gives_the_exit_code_on(signed_in, dana):
    session = capture(dana, "s-1")
    assert signed_in.run("vfs", "ls", "/projects").out == "shop\n"
    assert session[-8:] in signed_in.run("vfs", "ls", "/projects/shop/sessions/*").out
    done = signed_in.run("vfs", "rg -n totals /projects | head -n 1")
    assert (done.code, "transcript.md:" in done.out, done.err) == (0, True, "")
    missing = signed_in.run("vfs", "cat", "/nope")
    assert (missing.code, missing.out, missing.err) == (1, "", "cat: /nope: No such file or directory\n")
    assert signed_in.run("vfs", "rg", "nothing at all", "/").code == 1
    assert signed_in.run("vfs", "frobnicate").code == 127
    assert signed_in.run("vfs", "-C", "/projects", "pwd").out == "/projects\n"
    assert signed_in.run("vfs").out.startswith("# Stash")
    assert json.loads(signed_in.run("--json", "vfs", "pwd").out)["stdout"] == "/\n"


@pytest.mark.parametrize(
    "words, line",
    [
        (["ls", "/"], "ls /"),
        (["rg x | head"], "rg x | head"),
        (["rg", "a b", "/projects/*/x y"], "rg 'a b' /projects/*'/x y'"),
        (["grep", "a*|b", "/x"], "grep 'a*|b' /x"),
        ([], "cat /README.md"),
    ],
)
def test_what_the_shell_took_apart_is_quoted_again(words, line):
    assert line_of(words) == line
