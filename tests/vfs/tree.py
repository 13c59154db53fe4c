"""Sessions for a tree, told as a client tells them, and the shell as a person uses it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from stash.vfs.mounts import root_of
from stash.vfs.shell import Outcome, run_line
from stash.vfs.shell.walking import Met, walk
from stash.vfs.tree import File, Reader
from tests.conftest import Person
from tests.sessions_app.wire import body


def tell(person: Person, native_id: str, *events: dict, project: str = "shop", **session) -> str:
    """Captured as this person's; the id of the session."""
    told = body(*events, native_id=native_id, project=project, **session)
    answer = person.api.post("/api/v1/events", told, format="json")
    assert answer.status_code == 200, answer.content
    return answer.json()["session"]


def run(person: Person, line: str, cwd: str = "/") -> Outcome:
    return run_line(person.actor, line, cwd=cwd)


def out(person: Person, line: str, cwd: str = "/") -> str:
    """What a command prints; it must have said nothing on stderr."""
    outcome = run(person, line, cwd)
    assert outcome.stderr == "", (line, outcome)
    return outcome.stdout.decode()


def export(person: Person, target: Path) -> None:
    """The tree as this person sees it, on a disk."""
    root = root_of(Reader(person.actor))
    found = list(walk(Met("", root)))
    for met in found:
        place = target / met.path.lstrip("/")
        if isinstance(met.node, File):
            place.write_bytes(b"".join(met.node.blocks()))
        else:
            place.mkdir(exist_ok=True)
    for met in reversed(found):
        stamp = met.node.modified.timestamp()
        os.utime(target / met.path.lstrip("/"), (stamp, stamp))
    # What rg passes over unless it is named or asked for: the same facts in another form.
    (target.parent / ".ignore").write_text("events.jsonl\nsummary.md\nmeta.json\n/tree/recent.jsonl\n/tree/README.md\n")


def real(line: str, folder: Path) -> tuple[int, bytes]:
    """The same line in a real shell over the exported tree."""
    done = subprocess.run(
        ["bash", "--norc", "-c", line],
        cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(folder)},
    )  # fmt: skip
    return done.returncode, done.stdout
