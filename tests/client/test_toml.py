"""The TOML reader that knows places agrees with Python's own wherever it reads at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stash_client import toml

tomllib = pytest.importorskip("tomllib")


def read(value):
    """With one word for what is kept as it is written: dates, floats, numbers of other bases."""
    if isinstance(value, dict):
        return {key: read(item) for key, item in value.items()}
    if isinstance(value, list):
        return [read(item) for item in value]
    return value if isinstance(value, (str, bool)) else "rare or number"


_READ = [
    "a = {}\nb.c = 1\n[[d]]\nx = 1.5\n[[d]]\ny = 2020-01-01T10:00:00Z\nz = 0x1f\n",
    "",
    "# only words",
    "a = 1\nb = true\n  c = 'x'  # y\n",
    "'a b' = 1\n\"c\\td\" = -5\n",
    "[a]\nx=1\n[a.b]\ny=2\n[ c . 'd' ]\n",
    "[a.b]\ny=2\n[a]\nx=1\n",
    "a = [\"x\", 'y', [1, 2], # w\n true,\n]\r\nb = 2\r\n",
    'a = """\nx "quoted" \\\n   y"""\nb = """x"""""\nc = \'\'\'\'z\'\'\'\n',
    'a = "\\u00e9 \\U0001F600 \\\\ \\""\n',
]
_REFUSED = [
    "a", "a =", "= 1", "a = 1 b = 2", "[a", "[a]x", "[a]\n[a]", "a = 1\na = 2", "a = [1 2]", "a = [", "a = 'x\n'",
    'a = "\\x"', 'a = "\\ud800"', "a = 01", "a = 1.", "a = truer", "a=1\n[a.b]", "[a.b]\n[a]\nb=1", "a = 'x\x00'", "\r",
    'a = """x""""""',
]  # fmt: skip
_NOT_READ = ['a = "\\e"']


@pytest.mark.parametrize("text", _READ)
def test_reads_as_python_does(text):
    assert read(toml.parse(text).value) == read(tomllib.loads(text))


@pytest.mark.parametrize("text", [*_REFUSED, *_NOT_READ])
def test_refuses_what_is_wrong_or_unknown(text):
    with pytest.raises(toml.Malformed, match=r"line \d|twice"):
        toml.parse(text)


@pytest.mark.parametrize("text", _REFUSED)
def test_what_is_wrong_is_wrong_for_python_too(text):
    with pytest.raises(tomllib.TOMLDecodeError):
        tomllib.loads(text)


@given(st.text(alphabet="a[]=\"'\\\n\r ,.#1t", max_size=30) | st.text(max_size=20))
def test_never_reads_something_else(text):
    try:
        mine = toml.parse(text).value
    except toml.Malformed:
        return
    assert read(mine) == read(tomllib.loads(text))


@given(st.text(max_size=40))
def test_what_is_quoted_is_read_again(value):
    if any(0xD800 <= ord(c) < 0xE000 for c in value):
        return
    assert tomllib.loads(f"a = {toml.quoted(value)}") == {"a": value} == toml.parse(f"a = {toml.quoted(value)}").value
