from datetime import UTC, datetime, timedelta

import pytest

from stash.ui import words

NOW = datetime(2026, 11, 30, 14, 31, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "ago, text",
    [
        (timedelta(seconds=-40), "0 s"),
        (timedelta(seconds=12), "12 s"),
        (timedelta(minutes=4, seconds=59), "4 min"),
        (timedelta(hours=3), "3 h"),
        (timedelta(hours=15), "yesterday"),
        (timedelta(days=9), "21 Nov"),
        (timedelta(days=400), "26 Oct 2025"),
    ],
)
def test_age(ago, text):
    assert words.age(NOW - ago, NOW) == text


@pytest.mark.parametrize(
    "length, text",
    [
        (0.012, "12 ms"),
        (0.1, "0.1 s"),
        (18.7, "18.7 s"),
        (59.96, "1 min"),
        (171, "2 min 51 s"),
        (22 * 60 + 3, "22 min"),
        (timedelta(hours=1, minutes=5), "1 h 05"),
        (-3, "0 ms"),
    ],
)
def test_duration(length, text):
    assert words.duration(length) == text


@pytest.mark.parametrize("value, text", [(7, "7"), (1340, "1\u202f340"), (1_234_567, "1\u202f234\u202f567")])
def test_thousands(value, text):
    assert words.thousands(value) == text


@pytest.mark.parametrize("value, text", [(940, "940"), (1500, "1.5 k"), (48_200, "48 k"), (1_210_000, "1.2 M")])
def test_compact(value, text):
    assert words.compact(value) == text


@pytest.mark.parametrize("value, text", [(46, "46 B"), (999, "999 B"), (4100, "4.1 kB"), (12_000_000, "12 MB")])
def test_size(value, text):
    assert words.size(value) == text


@pytest.mark.parametrize(
    "name, text",
    [
        ("Mara Lindqvist", "ML"),
        ("mara", "MA"),
        ("mara.lindqvist@example.test", "ML"),
        ("Ana de la Cruz", "AC"),
        ("<b>", "?"),
        ("", "?"),
    ],
)
def test_initials(name, text):
    assert words.initials(name) == text


@pytest.mark.parametrize(
    "path, parts",
    [("a/b/c.py", ("a/b/", "c.py")), ("c.py", ("", "c.py")), (r"C:\src\c.py", ("C:/src/", "c.py")), ("a/", ("a/", ""))],
)
def test_split_path(path, parts):
    assert words.split_path(path) == parts
