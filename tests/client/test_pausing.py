"""Pausing by a file that everybody can look for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from stash_client import pausing


@pytest.fixture(autouse=True)
def _home(tmp_path, monkeypatch):
    monkeypatch.setenv("STASH_HOME", str(tmp_path))


def test_paused_until_somebody_resumes():
    assert not pausing.is_paused()
    pausing.pause(None)
    assert (pausing.is_paused(), pausing.until(), pausing.path().read_text()) == (True, None, "")
    assert pausing.path().stat().st_mode & 0o777 == 0o600
    assert pausing.resume()
    assert not pausing.resume()
    assert not pausing.is_paused()


def test_a_pause_with_an_end_ends_by_itself():
    now = datetime.now(UTC)
    pausing.pause(now + timedelta(minutes=30))
    assert pausing.is_paused()
    assert pausing.is_paused(now + timedelta(minutes=29))
    assert not pausing.is_paused(now + timedelta(minutes=31))


@pytest.mark.parametrize("text", ["soon", "2026-13-01", "\x00"])
def test_what_is_no_time_stays_paused(text):
    pausing.path().write_text(text)
    assert pausing.is_paused()


def test_a_file_that_is_no_text_stays_paused():
    pausing.path().write_bytes(b"\xff\xfe")
    assert pausing.is_paused()


@pytest.mark.parametrize("words, minutes", [("30m", 30), ("2h", 120), ("1h30m", 90), ("45", 45), ("1d", 1440)])
def test_span(words, minutes):
    assert pausing.span(words) == timedelta(minutes=minutes)


@pytest.mark.parametrize("words", ["", "soon", "0m", "-5m", "1w", "30 m x", "999999d"])
def test_span_refuses_what_is_no_time(words):
    with pytest.raises(ValueError, match="length of time"):
        pausing.span(words)
