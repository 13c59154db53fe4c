"""search and brief: the same search and briefing as everywhere, as lines that pipe."""

from __future__ import annotations

from collections.abc import Iterator

from sessions_app.filing import path_of
from sessions_app.services.editing import note_opening
from stash.errors import StashError
from stash.recall import selectors
from stash.recall.briefing import DEFAULT_BUDGET
from stash.recall.briefing import brief as told
from stash.recall.searching import Hit
from stash.recall.searching import search as found_by
from stash.vfs.errors import Failure
from stash.vfs.shell.options import Options, given
from stash.vfs.shell.process import Process, number

_SEARCH = Options("l", "n", {"files-with-matches": "l", "max-count=": "n"}, numeric="n")
_BRIEF = Options("", "c", {"bytes=": "c"})
_USUAL, _MOST = 10, 100


def search(process: Process) -> Iterator[bytes]:
    """``search [-l] [-n N] words``: a line for each hit, ``path:#event: passage``; -l: the paths alone. 1 if none."""
    asked = given(_SEARCH, process.args)
    words = " ".join(asked.operands)
    if not words.strip():
        raise Failure("words are missing")
    limit = min(max(number(asked.value("n", str(_USUAL)), "invalid count"), 1), _MOST)
    answer = found_by(process.reader.actor, words, limit=limit)
    process.reader.budget.read(rows=len(answer.hits))
    for name in answer.ignored:
        process.say(f"{name}: not understood, left out", 0)
    process.status = max(process.status, 0 if answer.hits else 1)
    for hit in answer.hits:
        note_opening(actor=process.reader.actor, session=hit.session)
        yield from _lines(hit, names_only="l" in asked)


def _lines(hit: Hit, *, names_only: bool) -> Iterator[bytes]:
    home = path_of(hit.session)
    path = f"{home}/transcript.md" if home else f"(not filed yet) {hit.session.short_id}"
    if names_only:
        yield f"{path}\n".encode()
        return
    for unit in hit.units:
        passage = " ".join(unit.passage.text.split())
        yield f"{path}:#{unit.event.number}: {passage}\n".encode("utf-8", "replace")


def brief(process: Process) -> Iterator[bytes]:
    """``brief [-c BYTES] [project]``: what to know before starting; of the project one is in, unless named."""
    asked = given(_BRIEF, process.args)
    project = asked.operands[0] if asked.operands else _project_of(process.cwd)
    budget = number(asked.value("c", str(DEFAULT_BUDGET)), "invalid number of bytes")
    try:
        question = selectors.question_about(process.reader.actor, project.strip("/").rsplit("/", 1)[-1])
    except StashError as problem:
        raise Failure(f"{project}: {problem.detail}") from None
    yield told(question, budget=budget).text.encode("utf-8", "replace")


def _project_of(cwd: str) -> str:
    parts = cwd.strip("/").split("/")
    if len(parts) < 2 or parts[0] != "projects":
        raise Failure("name a project (ls /projects), or cd into one")
    return parts[1]
