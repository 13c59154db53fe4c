"""Pages are written, merged, moved, deleted and brought back; the index says what the files say."""

from __future__ import annotations

import threading

import pytest
from django.db import connection
from django.db.models import Model

from stash.audit.models import AuditEntry
from stash.errors import Conflict, Forbidden, Invalid, NotFound
from stash.gitstore import history
from tests.conftest import make_person
from wiki import selectors, services
from wiki.errors import Overlapping, Stale, VersionNeeded
from wiki.models import Link, Page, PageName, Repository, Revision, Section, Tombstone
from wiki.places import store_of
from wiki.services.authors import COMMITTER
from wiki.services.indexing import rebuild

pytestmark = pytest.mark.django_db


@pytest.fixture
def save(dana, shop):
    def save(path: str, text: str, **given):
        return services.save_page(actor=dana.actor, project=shop, path=path, text=text, **given)

    return save


def answers(project) -> dict:
    """Everything the index says of a project, by path instead of by row."""
    found: dict = {"head": Repository.objects.get(project=project).indexed_commit}
    paths = dict(Page.objects.values_list("pk", "path"))
    for model in (Page, PageName, Section, Link, Revision, Tombstone):
        rows = [_told(row, paths) for row in model.objects.all() if _project_of(row) == project.pk]
        found[model.__name__] = sorted(rows, key=repr)
    return found


def _project_of(row: Model):
    return row.page.project_id if isinstance(row, Section) else row.project_id


def _told(row: Model, paths: dict) -> dict:
    values = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    values.pop("id")
    return values | {"page_id": paths.get(values.get("page_id"))}


def test_a_save_is_a_commit_of_its_person(dana, shop, save):
    saved = save("notes/fares.md", "# Fares\n\nHalf even.\n", message="Write down the rounding", session="5f3a")
    commit = list(history.log(store_of(shop.pk).path, None, saved.commit))[-1]

    assert (commit.author, commit.email, commit.subject) == ("Dana", "dana@example.test", "Write down the rounding")
    assert [commit.trailer(name) for name in ("Stash-Person", "Stash-Session")] == ["dana", "5f3a"]
    assert saved.page.title == "Fares"
    assert saved.page.text == "# Fares\n\nHalf even.\n"
    entry = AuditEntry.objects.get(verb="page.created")
    assert (entry.target_name, entry.facts["commit"]) == ("notes/fares.md", saved.commit)
    assert store_of(shop.pk).fsck() == ""


def test_a_stale_save_is_merged_or_shows_both(save):
    first = save("a.md", "one\ntwo\nthree\nfour\nfive\n").page
    save("a.md", "ONE\ntwo\nthree\nfour\nfive\n", base=first.blob)
    both = save("a.md", "one\ntwo\nthree\nfour\nFIVE\n", base=first.blob)

    assert both.is_merged
    assert both.page.text == "ONE\ntwo\nthree\nfour\nFIVE\n"
    with pytest.raises(Overlapping) as refused:
        save("a.md", "uno\ntwo\nthree\nfour\nfive\n", base=first.blob)
    assert refused.value.extra["current"] == {"etag": both.page.blob, "text": both.page.text}
    assert refused.value.extra["yours"]["text"].startswith("uno")
    with pytest.raises(VersionNeeded):
        save("a.md", "blind\n")
    with pytest.raises(Stale):
        save("a.md", "again\n", create=True)
    with pytest.raises(Stale):
        save("a.md", "never was\n", base="0" * 40)
    assert save("a.md", both.page.text, base=both.page.blob).commit is None


def test_moving_rewrites_links_and_keeps_the_row(dana, shop, save):
    page = save("notes/fares.md", "---\naliases: [Rounding]\n---\n# Fares\nSee [up](../index.md).\n").page
    save("index.md", "[[fares]] [[notes/fares|x]] [[Rounding]] [a](notes/fares.md#top) `[[fares]]`\n")
    moved = services.move_page(actor=dana.actor, project=shop, path="notes/fares.md", to="money/deep/rounding.md")

    assert moved.page.pk == page.pk
    assert moved.page.text.endswith("See [up](../../index.md).\n")
    index = selectors.get_page(dana.actor, shop, "index.md")
    assert index.text == (
        "[[rounding]] [[money/deep/rounding|x]] [[Rounding]] [a](money/deep/rounding.md#top) `[[fares]]`\n"
    )
    assert [lead.source for lead in selectors.backlinks(moved.page)] == ["index.md"] * 4
    assert selectors.broken_links(dana.actor, shop) == []
    assert selectors.orphans(dana.actor, shop) == []
    assert moved.page.revisions == 2


def test_deleting_leaves_a_tombstone_and_the_way_back(dana, shop, save):
    first = save("a.md", "first\n")
    save("a.md", "second\n", base=first.page.blob)
    save("b.md", "[[a]]\n")
    services.delete_page(actor=dana.actor, project=shop, path="a.md")

    with pytest.raises(NotFound):
        selectors.get_page(dana.actor, shop, "a.md")
    assert [stone.path for stone in selectors.deleted_pages(dana.actor, shop)] == ["a.md"]
    assert [lead.link.target for lead in selectors.broken_links(dana.actor, shop)] == ["a"]
    assert services.undelete_page(actor=dana.actor, project=shop, path="a.md").page.text == "second\n"
    assert not selectors.deleted_pages(dana.actor, shop)
    back = services.restore_page(actor=dana.actor, project=shop, path="a.md", commit=first.commit)
    assert back.page.text == "first\n"
    assert [one.change for one in selectors.revisions_of(dana.actor, shop, "a.md")] == ["M", "A", "D", "M", "A"]
    assert selectors.blame_of(back.page)[0].revision.person == "dana"
    assert "-first" in selectors.diff_of(dana.actor, shop, "a.md", *_first_two(dana, shop))


def _first_two(dana, shop) -> list[str]:
    return [one.commit for one in selectors.revisions_of(dana.actor, shop, "a.md").order_by("number")[:2]]


def test_the_index_is_made_again_from_the_files(dana, ravi, shop, save):
    page = save("notes/fares.md", "---\ntitle: Fares\ntags: [a]\n---\n# One\n[[b]] [[gone]]\n## Two\ntext\n").page
    save("b.md", "back to [[Fares]]\n")
    services.append_to_page(actor=ravi.actor, project=shop, path="b.md", text="- more", heading="Log")
    services.move_page(actor=dana.actor, project=shop, path="notes/fares.md", to="fares.md")
    services.delete_page(actor=ravi.actor, project=shop, path="b.md")
    services.pin_page(actor=dana.actor, project=shop, path="fares.md", pinned=True)
    before = answers(shop)
    services.rebuild_index(shop)
    assert answers(shop) == before
    assert Page.objects.get(path="fares.md").pk == page.pk

    for model in (Page, Revision, Tombstone, Repository):
        model.objects.all().delete()
    services.rebuild_index(shop)
    assert answers(shop) == before


def test_what_a_crash_left_unindexed_is_indexed_by_the_next(dana, shop, save):
    save("a.md", "one\n")
    store = store_of(shop.pk)
    author = COMMITTER
    lost = store.commit(store.head(), {"b.md": b"two\n"}, author=author, committer=author, message="Lost")
    assert store.advance(store.head(), lost)
    (store.path / "refs/heads/main.lock").touch()

    assert services.sweep() == 1
    assert selectors.get_page(dana.actor, shop, "b.md").text == "two\n"
    save("c.md", "three\n")
    told = answers(shop)
    rebuild(shop, store)
    assert answers(shop) == told


def test_protected_pages_and_strangers(dana, team, shop, save):
    olaf, vera = make_person(team, "olaf", "owner"), make_person(team, "vera", "viewer")
    page = save("rules.md", "# Rules\n").page
    page = services.protect_page(actor=olaf.actor, project=shop, path="rules.md", protected=True).page

    with pytest.raises(Forbidden):
        save("rules.md", "# None\n", base=page.blob)
    with pytest.raises(Forbidden):
        services.protect_page(actor=dana.actor, project=shop, path="rules.md", protected=False)
    with pytest.raises(Forbidden):
        services.append_to_page(actor=vera.actor, project=shop, path="x.md", text="x")
    free = services.protect_page(actor=olaf.actor, project=shop, path="rules.md", protected=False).page
    assert free.text == "# Rules\n"


def test_names_that_clash_on_some_systems_are_refused(save):
    save("Notes/Fares.md", "x\n")
    for path in ("Notes/fares.md", "notes/other.md", "Notes/Fares.md/x.md", "Notes.md/../x.md"):
        with pytest.raises((Conflict, Invalid)):
            save(path, "y\n")
    with pytest.raises(Invalid):
        save("Notes", "y\n")


def test_secrets_are_taken_out_and_other_bytes_stay(save):
    page = save("a.md", "\ufeff---\r\nkey: 1.10\r\n---\r\nAKIAIOSFODNN7EXAMPLE\r\nend  \r\n").page
    assert page.text == "\ufeff---\r\nkey: 1.10\r\n---\r\n[redacted:aws-key-id]\r\nend  \r\n"


@pytest.mark.django_db(transaction=True)
def test_twenty_appends_at_once_all_land(dana, shop):
    failed: list[Exception] = []

    def append(number: int) -> None:
        try:
            services.append_to_page(actor=dana.actor, project=shop, path="log.md", text=f"- entry {number}")
        except Exception as error:
            failed.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=append, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failed == []
    text = selectors.get_page(dana.actor, shop, "log.md").text
    assert sorted(text.splitlines()) == sorted(f"- entry {number}" for number in range(20))
    assert Revision.objects.count() == 20
    assert store_of(shop.pk).fsck() == ""
