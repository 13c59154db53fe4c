"""The same command lines over the same tree: ours against the tools whose names they have."""

from __future__ import annotations

import os
import re
import shlex

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from stash.vfs.mounts import root_of
from stash.vfs.shell.walking import Met, walk
from stash.vfs.tree import Reader
from tests.vfs.lines import Line, lines
from tests.vfs.tree import export, real, run

pytestmark = pytest.mark.django_db
RANDOM = "VFS_EXAMPLES" in os.environ
EXAMPLES = int(os.environ.get("VFS_EXAMPLES", "150"))
"""More of them are drawn at random; the usual ones are the same each time, so that a change is what breaks them."""


@pytest.fixture
def disk(told, dana, tmp_path):
    folder = tmp_path / "tree"
    folder.mkdir()
    export(dana, folder)
    return folder


def paths_of(person) -> tuple[list[str], list[str]]:
    """(files, folders below the top), relative to the root."""
    found = [met for met in walk(Met("", root_of(Reader(person.actor)))) if met.path]
    files = [met.path.lstrip("/") for met in found if not met.node.is_folder]
    folders = [met.path.lstrip("/") for met in found if met.node.is_folder]
    return files, folders


def test_command_lines_do_what_the_tools_do(disk, dana):
    files, folders = paths_of(dana)

    @settings(
        max_examples=EXAMPLES,
        derandomize=not RANDOM,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(line=lines(files, folders))
    def compare(line: Line) -> None:
        ours = run(dana, line.text)
        code, theirs = real(line.text.replace("rg ", "rg --sort path "), disk)
        assert _ordered(ours.stdout, line.how) == _ordered(theirs, line.how), (line.text, ours.stderr)
        assert ours.exit_code == code, (line.text, ours.stderr)

    compare()


def _ordered(output: bytes, how: str) -> list[bytes] | bytes:
    return sorted(output.split(b"\n")) if how == "sorted" else output


@pytest.mark.parametrize("pattern", [r"\x41", r"\x61", r"\x{41}y", r"\u0041", r"\pL", r"\S", "ay", "Ay", r"\\A"])
def test_smart_case_looks_at_letters_however_they_are_written(disk, dana, pattern):
    line = f"echo 'xAy\nxay' | rg -S -e {shlex.quote(pattern)}"
    ours = run(dana, line)
    assert (ours.exit_code, ours.stdout) == real(line, disk), pattern


def test_ls_l_agrees_in_type_size_and_name(disk, dana):
    for folder in paths_of(dana)[1]:
        line = f"ls -l {shlex.quote(folder)}"
        assert _facts(run(dana, line).stdout) == _facts(real(line, disk)[1])


def _facts(listing: bytes) -> list[tuple[str, str, str]]:
    """(type, size of a file, name) of each line."""
    found = []
    for line in listing.decode().splitlines():
        if match := re.match(r"(.)\S+ +\d+ \S+ +\S+ +(\d+) +.*? (\S+)$", line):
            kind, size, name = match.groups()
            found.append((kind, size if kind == "-" else "", name))
    return found


@settings(max_examples=40, derandomize=not RANDOM, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=st.text(alphabet="ab :#1-\té\n", max_size=60))
def test_text_of_any_form_passes_through_alike(disk, dana, text):
    """Without a line end at its end, with blank lines, with blanks: given by echo -n."""
    given_ = shlex.quote(text)
    for rest in ("wc", "sort", "sort -n", "uniq -c", "tail -n 2", "head -c 5", "cut -c2-4", "cut -d: -f2", "grep -n a",
                 "sed -n '$p'", "rg -n b", "cat -n", "grep -vc a", "head -n -1", "sort -u -k2"):  # fmt: skip
        line = f"echo -n {given_} | {rest}"
        ours, theirs = run(dana, line), real(line, disk)
        assert (ours.exit_code, ours.stdout) == theirs, line
