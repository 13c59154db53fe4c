"""Names among files: given once, safe everywhere."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from importlib import import_module
from uuid import UUID

import pytest
from django.apps import apps
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.filing import filed, slug_of
from sessions_app.models import Session
from tests.sessions_app.wire import body, event, prompt, reply

_ID = UUID("01a2b3c4-0000-7000-8000-00005f3a9c1e")


def test_day_and_time_are_utc():
    late = datetime(2026, 11, 24, 23, 30, tzinfo=timezone(timedelta(hours=-3)))
    assert filed(_ID, late, "Fix it") == (datetime(2026, 11, 25, tzinfo=UTC).date(), "0230-fix-it-5f3a9c1e")


@given(st.text(max_size=300))
def test_a_slug_is_safe_whatever_the_title(title):
    slug = slug_of(title)
    assert re.fullmatch(r"[^\W_]\S*", slug, re.UNICODE)
    assert not set(slug) & set("/\\ .'\"`$*?[]{}()<>|&;!#~:\n\t\0\u202e")
    assert 0 < len(slug) <= 40
    assert slug == slug_of(slug)


def test_secrets_marked_in_a_title_leave_no_words_behind():
    assert slug_of("use [redacted:aws-key] now") == "use-now"


@pytest.mark.django_db
def test_sessions_from_before_get_their_names(dana, shop):
    for number, events in enumerate(
        [
            [reply("hi"), prompt("Find the leak", at=60)],
            [reply("only words"), event("turn_end", at=5)],
            [reply("nothing yet")],
        ]
    ):
        assert dana.api.post("/api/v1/events", body(*events, native_id=f"s-{number}"), format="json").status_code == 200
    known = dict(Session.objects.values_list("native_id", "filed_as"))
    Session.objects.update(filed_on=None, filed_as="")
    import_module("sessions_app.migrations.0004_file_known_sessions").file_sessions(apps, None)
    assert dict(Session.objects.values_list("native_id", "filed_as")) == known
    assert [name.split("-")[1] for name in known.values() if name] == ["find", "untitled"]
