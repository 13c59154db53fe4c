"""search and brief in the shell: ranked hits as lines that pipe, and what to know of a project."""

from __future__ import annotations

import pytest

from stash.recall.indexer import Indexer

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def indexed(told) -> None:
    Indexer().run_out()


def run(person, command: str) -> tuple[str, int]:
    answer = person.api.post("/api/v1/vfs", {"command": command}, format="json").json()
    return answer["stdout"] + answer["stderr"], answer["exit_code"]


def test_hits_are_lines_with_paths_that_pipe(dana):
    out, code = run(dana, "search rounded once per ticket | head -1")
    assert code == 0
    path, event, passage = out.split(":", 2)
    assert path.startswith("/projects/shop/sessions/")
    assert event == "#4"
    assert "Rounded once per ticket" in passage
    whole, code = run(dana, "search -l rounded ticket | xargs cat | head -1")
    assert code == 0
    assert whole == "---\n"
    assert run(dana, "search rounded | cut -d: -f1 | sort -u | wc -l")[0].strip() == "1"


def test_none_is_exit_code_one_and_filters_that_mean_nothing_are_told(dana):
    assert run(dana, "search zyzzyva || echo none") == ("none\n", 0)
    assert "since:nonsense: not understood" in run(dana, "search ticket since:nonsense")[0]
    assert run(dana, "search")[1] == 1


def test_what_is_private_stays_so(dana, ravi):
    assert run(dana, "search secret plan zebra")[1] == 1
    assert "zebra" in run(ravi, "search zebra")[0]


def test_brief_of_the_project_one_is_in(dana):
    text, code = run(dana, "cd /projects/shop && brief")
    assert code == 0
    assert text == run(dana, "brief shop")[0]
    assert len(run(dana, "brief -c 1200 shop")[0].encode()) <= 1200
    assert "name a project" in run(dana, "brief")[0]
    assert run(dana, "brief nowhere")[1] == 1
