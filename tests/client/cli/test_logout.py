"""Signing a machine out."""

from __future__ import annotations

import json

import pytest

from accounts.models import ApiKey, Machine

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def machine_key(dana) -> ApiKey:
    """As signing in makes it."""
    dana.key.machine = Machine.objects.create(membership=dana.membership, name="mbp-dana")
    dana.key.save()
    return dana.key


def test_a_key_made_by_hand_may_be_in_use_elsewhere(at_work, dana):
    code, said, _ = at_work.run("logout")
    assert (code, "made by hand" in said) == (0, True)
    assert not ApiKey.objects.get(pk=dana.key.pk).revoked_at


def test_a_key_made_by_hand_is_ended_when_told(at_work, dana):
    assert at_work.json("logout", "--revoke")["revoked"] is True
    assert ApiKey.objects.get(pk=dana.key.pk).revoked_at


def test_logout_ends_the_key_there_and_here(at_work, dana, shop, machine_key):
    at_work.json("connect", "--yes", "--no-files")
    assert at_work.json("logout") == {"label": "lab", "revoked": True, "waiting": 0}
    assert ApiKey.objects.get(pk=dana.key.pk).revoked_at
    assert not at_work.connections
    assert not [p for p in at_work.home.rglob("*") if p.is_file() and dana.secret.encode() in p.read_bytes()]
    assert at_work.run("logout")[0] == 3


def test_logout_while_the_server_is_away_forgets_here_and_says_so(at_work, dana):
    stored = json.loads((at_work.home / "accounts.json").read_text())["accounts"][0]
    at_work.signed_in({**stored, "url": "http://127.0.0.1:9"})
    code, said, _ = at_work.run("logout")
    assert (code, "could not be ended there" in said) == (0, True)
    assert json.loads((at_work.home / "accounts.json").read_text())["accounts"] == []


def test_logout_of_one_server_keeps_the_other(at_work, live_server, olga):
    stored = json.loads((at_work.home / "accounts.json").read_text())["accounts"][0]
    other = {"label": "other", "url": live_server.url, "key": olga.secret, "user": "olga", "team": "elsewhere"}
    at_work.signed_in(stored, other)
    at_work.connected({"server": "lab"}, {"server": "other", "place": "/elsewhere"})
    at_work.json("logout", "--server", "other")
    assert [a["label"] for a in json.loads((at_work.home / "accounts.json").read_text())["accounts"]] == ["lab"]
    assert [c["server"] for c in at_work.connections] == ["lab"]


def test_what_waits_is_never_sent_by_the_next_person_who_signs_in(at_work, live_server, olga):
    at_work.json("logout")
    code, _, err = at_work.run("signin", live_server.url, "--key", "--label", "lab", payload=olga.secret.encode())
    assert (code, "dana" in err) == (2, True)
    said = at_work.json("signin", live_server.url, "--key", payload=olga.secret.encode())
    assert said["label"] != "lab"


def test_signing_in_again_gets_the_old_label_back(at_work, live_server, dana):
    stored = json.loads((at_work.home / "accounts.json").read_text())["accounts"][0]
    at_work.signed_in({**stored, "label": "work"})
    at_work.json("logout")
    said = at_work.json("signin", live_server.url, "--key", payload=dana.secret.encode())
    assert said["label"] == "work"


def test_logout_leaves_the_environments_account_to_the_environment(laptop, db):
    code, _, err = laptop.run("logout", STASH_URL="http://127.0.0.1:9", STASH_KEY="stash_FAKEfakeFAKEfake")
    assert (code, "Unset" in err) == (2, True)
