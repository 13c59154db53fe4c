"""The audit page: entries with an address, filters that can be taken off, bars per day, how far the log is sealed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from stash.audit.models import AuditEntry
from stash.audit.sealing import seal_once
from stash.audit.services import record
from tests.conftest import make_person

PAGE = "/t/harbour/settings/audit/"


@pytest.fixture
def owner(team):
    cache.clear()
    return make_person(team, "olive", "owner")


@pytest.fixture
def browser(owner):
    client = Client()
    client.force_login(owner.user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def _page(browser, **query) -> str:
    answer = browser.get(PAGE, query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_entry_has_an_address_that_shows_all_of_it(browser, owner, shop):
    record(owner.actor, "project.renamed", shop, before="old-name")
    entry = AuditEntry.objects.get(verb="project.renamed")
    html = _page(browser, entry=str(entry.pk))
    assert "old-name" in html
    assert "waits for the next one" in html
    assert f"?entry={entry.pk}" in html


@pytest.mark.parametrize("entry", ["", "nonsense", "8e764718-9c0f-4b5e-b4e2-0216adb87eea"])
def test_entry_that_is_not_there_shows_the_list_alone(browser, owner, shop, entry):
    record(owner.actor, "project.renamed", shop)
    assert "waits for the next one" not in _page(browser, entry=entry)


def test_entry_of_another_team_is_not_shown(browser, olga):
    record(olga.actor, "team.created", name="elsewhere")
    entry = AuditEntry.objects.get(target_name="elsewhere")
    assert "elsewhere" not in _page(browser, entry=str(entry.pk))


def test_filter_stands_as_a_chip_that_leaves_it_out(browser, owner, shop):
    record(owner.actor, "project.renamed", shop)
    html = _page(browser, action="project.renamed", since="2026-01-01")
    assert "Action: renamed a project" in html
    assert 'href="?since=2026-01-01" aria-label="Leave out the filter Action"' in html


def test_bars_count_the_entries_of_each_day(browser, owner, shop):
    for _ in range(3):
        record(owner.actor, "project.renamed", shop)
    today = timezone.localdate()
    html = _page(browser, action="project.renamed")
    assert f"<title>{today.day} {today:%b}: 3</title>" in html
    before = today - timedelta(days=1)
    assert f"<title>{before.day} {before:%b}: 0</title>" in html


def test_page_says_how_far_the_log_is_sealed(browser, owner, shop):
    record(owner.actor, "project.renamed", shop)
    assert "Nothing is sealed yet" in _page(browser)
    seal_once(now=timezone.now() + timedelta(minutes=1))
    record(owner.actor, "project.renamed", shop)
    html = _page(browser)
    assert "Sealed up to" in html
    assert ", 1 wait for the next" in html


@pytest.mark.parametrize("role, shown", [("owner", True), ("admin", True), ("member", False), ("viewer", False)])
def test_rail_shows_it_to_those_who_govern(team, role, shown):
    client = Client()
    client.force_login(make_person(team, "pat", role).user, backend="django.contrib.auth.backends.ModelBackend")
    assert (PAGE in client.get("/t/harbour/settings/").content.decode()) is shown
