"""The pages about agents say what the declarations say."""

from __future__ import annotations

from pathlib import Path

import pytest

from stash_client.wiring import INSTALLERS, matrix

DOCS = Path(__file__).parents[3] / "docs"


def test_the_pages_are_current(person):
    assert (DOCS / "harnesses.md").read_text() == matrix.support()
    assert (DOCS / "connect-by-hand.md").read_text() == matrix.hand()


@pytest.mark.parametrize("name", INSTALLERS)
def test_every_agent_has_its_row(name):
    assert f"| `{name}` |" in (DOCS / "harnesses.md").read_text()


def test_the_pages_name_no_folder_of_this_machine(person):
    for name in ("harnesses.md", "connect-by-hand.md"):
        assert str(person.parent) not in (DOCS / name).read_text()
