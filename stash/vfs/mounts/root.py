"""The top of the tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from stash.vfs.mounts.people import Me, People
from stash.vfs.mounts.projects import Projects
from stash.vfs.mounts.recent import Recent
from stash.vfs.tree import File, Folder, Node, Reader

_README = """\
# Stash: what this team's agents did, as files

Everything here is read-only, and only what you may see is here.

    /projects/<project>/sessions/<day>/<time>-<words>-<id>/   one session of an agent (days and times in UTC)
        transcript.md    what was said and done, to read and to search
        summary.md       goal, files, commands that failed, last words
        events.jsonl     every event, one JSON object in a line
        meta.json        who, when, which agent, branch, counts
    /people/<username>/sessions/...   the same sessions, by person
    /me/sessions/...                  your own, those without a project too
    /recent.jsonl                     the sessions that were active last, newest first

Begin with:

    ls /projects
    rg -n "some words" /projects/<project> | head
    find /projects/<project>/sessions/2026-11-* -name '*deploy*'
    search why does the deploy time out | head -5
    brief <project>

Commands: ls cat head tail tree find stat wc grep rg sort uniq cut sed -n p echo pwd cd xargs search brief,
with pipes, && || ; quotes, globs and 2>/dev/null. `rg` over a folder reads transcripts only; name a file, or use
-g or -t, to search the others.
"""


class Readme(File):
    derived = True

    def _blocks(self) -> Iterator[bytes]:
        yield _README.encode()


ROOT: Mapping[str, Callable[[Reader, str], Node]] = {
    "README.md": Readme,
    "me": Me,
    "people": People,
    "projects": Projects,
    "recent.jsonl": Recent,
}
"""By name, which is also the order in which it is listed."""


class Root(Folder):
    def _entries(self, prefix: str) -> Iterator[Node]:
        for name, mount in ROOT.items():
            yield mount(self.reader, name)


def root_of(reader: Reader) -> Root:
    return Root(reader, "")
