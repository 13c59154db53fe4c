"""Pages over HTTP: ETags, refusals with a reason, names and bytes that come back as they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wiki.models import Page
from wiki.places import store_of

pytestmark = pytest.mark.django_db
CASES = Path(__file__).resolve().parent.parent / "cases"
BASE = "/api/v1/projects/shop/wiki/"


@pytest.fixture
def api(dana, shop):
    return dana.api


def put(api, path: str, text: str, **headers):
    return api.put(f"{BASE}{path}", {"text": text}, format="json", headers=headers)


def test_a_page_lives(api):
    made = put(api, "notes/fares.md", "# Fares\n", **{"If-None-Match": "*"})
    assert (made.status_code, made["ETag"]) == (201, f'"{made.json()["etag"]}"')
    assert put(api, "notes/fares.md", "x").status_code == 428
    assert put(api, "notes/fares.md", "x", **{"If-None-Match": "*"}).json()["current"]["text"] == "# Fares\n"
    saved = put(api, "notes/fares.md", "# Fares\n\nHalf even.\n", **{"If-Match": made["ETag"]})
    assert saved.status_code == 200
    clash = put(api, "notes/fares.md", "# Prices\n\nNever.\n", **{"If-Match": made["ETag"]})
    assert (clash.status_code, clash.json()["code"]) == (409, "overlapping_changes")
    assert api.get(f"{BASE}notes/fares.md", headers={"If-None-Match": saved["ETag"]}).status_code == 304

    more = api.post(f"{BASE}notes/fares.md/append", {"text": "See [[Refunds]]."}, format="json").json()
    assert more["text"] == "# Fares\n\nHalf even.\n\nSee [[Refunds]].\n"
    commits = [one["commit"] for one in api.get(f"{BASE}notes/fares.md/history").json()["results"]]
    assert len(commits) == 3
    shown = api.get(f"{BASE}notes/fares.md/diff", {"before": commits[2], "after": commits[1]}).json()["diff"]
    assert "+Half even." in shown
    links = api.get(f"{BASE}notes/fares.md/links").json()
    assert [one["target"] for one in links["broken"]] == ["Refunds"]
    assert api.post(f"{BASE}notes/fares.md/move", {"to": "fares.md"}, format="json").json()["path"] == "fares.md"
    assert api.get("/api/v1/projects/shop/wiki-graph").json()["orphans"] == ["fares.md"]
    assert api.post(f"{BASE}fares.md/pin", {"on": True}, format="json").json()["pinned"] is True
    back = api.post(f"{BASE}fares.md/restore", {"commit": more["commit"]}, format="json")
    assert back.status_code == 404  # of another path
    assert api.delete(f"{BASE}fares.md").status_code == 204
    assert api.get("/api/v1/projects/shop/wiki-deleted").json()["results"][0]["path"] == "fares.md"
    assert api.post(f"{BASE}fares.md/undelete").status_code == 201
    assert [one["path"] for one in api.get(BASE, {"q": "half even"}).json()["results"]] == ["fares.md"]
    assert api.get(BASE).json()["next"] is None


def test_hard_titles_become_safe_paths(api, shop):
    titles = json.loads((CASES / "W02.hard-names.json").read_text())["titles"]
    seen: dict[str, str] = {}
    for title in titles:
        answer = api.post(BASE, {"title": title, "text": "body\n"}, format="json")
        assert answer.status_code in (201, 422), (title, answer.content)
        if answer.status_code == 201:
            assert answer.json()["path"] not in seen
            seen[answer.json()["path"]] = title
            if title.isprintable():
                assert answer.json()["title"] == title[:250].strip()
    assert len(seen) > len(titles) - 3
    assert store_of(shop.pk).fsck() == ""


def test_paths_that_leave_the_wiki_are_refused(api, shop):
    cases = json.loads((CASES / "W03.paths.json").read_text())
    for path in cases["refuse"] + cases["normalise_or_refuse"]:
        answer = api.post(BASE, {"path": path, "text": "x"}, format="json")
        assert answer.status_code == 422, (path, answer.content)
        if path.strip("/"):
            assert put(api, path.replace("%", "%25").replace("\0", "%00"), "x").status_code in (404, 422, 405)
    assert not Page.objects.exists()
    put(api, "a.md", "x\n")
    for path in cases["refuse"]:
        assert api.post(f"{BASE}a.md/move", {"to": path}, format="json").status_code == 422


@pytest.mark.parametrize("name", sorted(path.name for path in CASES.glob("W05.page-*.md")))
def test_front_matter_survives_to_the_byte(api, shop, name):
    raw = (CASES / name).read_bytes()
    made = put(api, "page.md", raw.decode()).json()
    read = api.get(f"{BASE}page.md").json()["text"]
    assert read.encode() == raw == store_of(shop.pk).blob(made["etag"])
    assert put(api, "page.md", read, **{"If-Match": made["etag"]}).json()["commit"] is None

    more = api.post(f"{BASE}page.md/append", {"text": "One more line."}, format="json").json()["text"].encode()
    assert more.startswith(raw)
    assert more[len(raw) :].strip() == b"One more line."
    pinned = api.post(f"{BASE}page.md/pin", {"on": True}, format="json")
    if pinned.status_code == 422:
        assert api.get(f"{BASE}page.md").json()["text"].encode() == more
        return
    lines = pinned.json()["text"].encode().splitlines(keepends=True)
    assert [line for line in lines if b"pinned" not in line] == more.splitlines(keepends=True)
    assert api.post(f"{BASE}page.md/pin", {"on": False}, format="json").json()["text"].encode() == more
