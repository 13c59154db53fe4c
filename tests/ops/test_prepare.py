"""A second time changes nothing."""

from __future__ import annotations

import os

import pytest

from stash.ops import prepare


@pytest.fixture
def places(settings, tmp_path):
    """Empty data and static folders, and one static file of ours."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.css").write_text("p{}")
    settings.DATA_DIR, settings.STATIC_ROOT = tmp_path, tmp_path / "static"
    settings.STATICFILES_DIRS = [source]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    from django.contrib.staticfiles import finders

    finders.get_finder.cache_clear()
    yield source
    finders.get_finder.cache_clear()


def test_static_files_are_collected_once_and_again_when_they_change(places, settings):
    said: list[str] = []
    prepare.collect_static(said.append)
    assert (settings.STATIC_ROOT / "a.css").read_text() == "p{}"
    assert len(said) == 1
    prepare.collect_static(said.append)
    assert len(said) == 1
    (places / "a.css").write_text("p{color:red}")
    prepare.collect_static(said.append)
    assert len(said) == 2
    os.unlink(places / "a.css")
    prepare.collect_static(said.append)
    assert not (settings.STATIC_ROOT / "a.css").exists()


def test_preparing_an_up_to_date_installation_says_and_does_nothing(db, places, django_assert_max_num_queries):
    prepare.prepare([].append)
    said: list[str] = []
    with django_assert_max_num_queries(4):
        prepare.prepare(said.append)
    assert said == []
