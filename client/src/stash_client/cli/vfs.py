"""``stash vfs``: the team's memory as files, with the commands of a shell. They run on the server and only read."""

from __future__ import annotations

import base64
import re
import shlex
import sys
from argparse import REMAINDER, ArgumentParser, Namespace
from collections.abc import Sequence

from stash_client.api.client import Stash
from stash_client.cli.output import Output, plain

EXAMPLES = (
    "stash vfs ls /projects",
    'stash vfs "rg -n timeout /projects/shop | head"',
    "stash vfs cat /README.md",
    "stash vfs -C /projects/shop/sessions ls",
)
_WILD = re.compile(r"[*?\[\]]+")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("-C", "--cwd", metavar="FOLDER", default="/", help="where the command runs (/)")
    parser.add_argument("command", nargs=REMAINDER, help="words, or one quoted line with pipes; none shows the README")


def run(chosen: Namespace, out: Output) -> int:
    """Its exit code is the command's."""
    with Stash() as stash:
        told = stash.vfs(line_of(chosen.command), cwd=chosen.cwd)
    if out.as_json:
        out.result(told)
    else:
        out.raw(_bytes(told))
        sys.stdout.flush()
        for line in str(told.get("stderr") or "").splitlines():
            print(plain(line), file=sys.stderr)
    return int(told.get("exit_code") or 0)


def line_of(words: Sequence[str]) -> str:
    """One word is a whole line. Several have been taken apart by the person's shell and are quoted again; only
    what is a path keeps its wildcards, because that shell found nothing here that they match.
    """
    if len(words) == 1:
        return words[0]
    return " ".join(map(_quoted, words)) or "cat /README.md"


def _quoted(word: str) -> str:
    if not word.startswith("/") or not _WILD.search(word):
        return shlex.quote(word)
    pieces = re.split(f"({_WILD.pattern})", word)
    return "".join(piece if _WILD.fullmatch(piece) else shlex.quote(piece) for piece in pieces if piece)


def _bytes(told: dict[str, object]) -> bytes:
    encoded = told.get("stdout_base64")
    return base64.b64decode(str(encoded)) if encoded else str(told.get("stdout") or "").encode("utf-8", "replace")
