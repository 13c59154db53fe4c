"""What the client asks, over HTTP: the shapes that both sides agree on."""

from __future__ import annotations

import pytest

from accounts import services
from accounts.models import ProjectIdentity
from stash_client import accounts, api, client_config
from stash_client.accounts import Account
from stash_client.events import ProjectRef, SessionInfo, to_wire
from tests.conftest import make_person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def account(live_server, dana, shop, tmp_path, monkeypatch) -> Account:
    monkeypatch.setenv("STASH_HOME", str(tmp_path))
    return Account("here", live_server.url, dana.secret, "", "", "dana", "harbour")


def test_the_client_reads_its_configuration(account, team, dana, shop):
    ada = make_person(team, "ada", "admin")
    services.set_policy(actor=ada.actor, project=shop, policy={"prompts": False})
    services.set_team_patterns(actor=ada.actor, patterns=[{"type": "pin", "names": ["LEDGER_PIN"]}])
    client_config.refresh(account)
    read = client_config.stored("here")
    assert read.policy_for(["git.example.test/acme/shop"]).prompts is False
    assert read.policy_for([f"marker:{shop.pk}"]).prompts is False
    assert read.policy_for(["git.example.test/acme/other"]).prompts is True
    assert read.patterns.names == {"ledgerpin": "pin"}


def test_the_client_is_briefed(account, shop):
    info = SessionInfo("claude-code", "s-1", project=ProjectRef(("git.example.test/acme/shop",)))
    said = api.post(f"{account.url}/api/v1/briefings", {"session": to_wire(info)}, key=account.key)
    assert said["text"].startswith("<stash-briefing>")
    assert ProjectIdentity.objects.count() == 1
    assert accounts.load().all == ()
