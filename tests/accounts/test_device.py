"""A machine signs in as RFC 8628 says, over HTTP, like a real device; its person confirms in a browser."""

from __future__ import annotations

import threading
from urllib.parse import urlencode

import pytest
import time_machine
from django.core.cache import cache
from django.db import connection
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import ApiKey, DeviceApproval, Machine, Membership, Team
from stash.audit.models import AuditEntry
from tests.conftest import make_person

GRANT = "urn:ietf:params:oauth:grant-type:device_code"


@pytest.fixture(autouse=True)
def _fresh_cache():
    cache.clear()
    yield
    cache.clear()


def post_form(http: Client, path: str, fields: dict):
    return http.post(path, urlencode(fields), content_type="application/x-www-form-urlencoded")


class Device:
    """What a command line without our code would do."""

    def __init__(self) -> None:
        self.http = Client()
        self.started: dict = {}

    def start(self, **extra) -> dict:
        answer = post_form(
            self.http, "/identity/o/api/device/code", {"client_id": "stash-cli", "machine": "mbp-dana", **extra}
        )
        assert answer.status_code == 200, answer.content
        self.started = answer.json()
        return self.started

    def poll(self):
        sent = {"grant_type": GRANT, "device_code": self.started["device_code"], "client_id": "stash-cli"}
        return post_form(self.http, "/identity/o/api/token", sent)

    def exchange(self, token: str):
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
        facts = {"name": "ignored", "platform": "darwin-arm64", "client_version": "0.1.0"}
        return client.post("/api/v1/machines", facts, format="json")


def browser_of(person) -> Client:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(person.user, backend="django.contrib.auth.backends.ModelBackend")
    return browser


def decide(browser: Client, code: str, action: str = "confirm", **extra):
    page = browser.get("/identity/o/device", {"code": code})
    token = browser.cookies["csrftoken"].value
    answer = browser.post("/identity/o/device", {"code": code, "action": action, "csrfmiddlewaretoken": token, **extra})
    return page, answer


def test_device_signs_in_from_code_to_key(dana):
    device = Device()
    started = device.start()
    assert started["verification_uri"].endswith("/identity/o/device")
    assert started["verification_uri_complete"].endswith(f"?code={started['user_code']}")
    with time_machine.travel("2026-12-01T10:00:00Z", tick=False) as now:
        device.start()
        assert device.poll().json()["error"] == "authorization_pending"
        assert device.poll().json()["error"] == "slow_down"
        page, answer = decide(browser_of(dana), device.started["user_code"].lower().replace("-", " "))
        shown = page.content.decode()
        assert device.started["user_code"] in shown
        assert "mbp-dana" in shown
        assert "Send what happens in agent sessions" in shown
        assert "only you, or everybody who can see the project" in shown
        assert answer.status_code == 200
        now.shift(6)
        token = device.poll().json()["access_token"]
        got = device.exchange(token)
    assert got.status_code == 201
    body = got.json()
    assert (body["machine"]["name"], body["user"]["username"], body["team"]["slug"]) == ("mbp-dana", "dana", "harbour")
    assert body["scopes"] == ["capture", "read", "write"]
    machine = Machine.objects.get()
    assert (machine.platform, machine.client_version, machine.membership) == (
        "darwin-arm64",
        "0.1.0",
        dana.membership,
    )
    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {body['key']}")
    assert api.get("/api/v1/me").json()["machine"]["name"] == "mbp-dana"
    assert list(AuditEntry.objects.order_by("id").values_list("verb", flat=True)) == [
        "machine.approved",
        "machine.signed_in",
    ]


def confirmed_token(person, **extra) -> tuple[Device, str]:
    device = Device()
    device.start(**extra)
    decide(browser_of(person), device.started["user_code"])
    return device, device.poll().json()["access_token"]


def test_token_is_exchanged_once(dana):
    device, token = confirmed_token(dana)
    assert device.exchange(token).status_code == 201
    again = device.exchange(token)
    assert (again.status_code, again.json()["code"]) == (401, "token_spent")
    assert Machine.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_token_exchanged_at_once_makes_one_machine(dana):
    device, token = confirmed_token(dana)
    start, codes = threading.Barrier(4), []

    def exchange():
        start.wait()
        try:
            codes.append(device.exchange(token).status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=exchange) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == [201, 401, 401, 401]
    assert (Machine.objects.count(), ApiKey.objects.exclude(pk=dana.key.pk).count()) == (1, 1)


def test_machine_without_a_confirmed_name_takes_the_one_it_sends(dana):
    device, token = confirmed_token(dana, machine="")
    assert device.exchange(token).json()["machine"]["name"] == "ignored"


def test_access_token_opens_nothing_else(dana):
    _, token = confirmed_token(dana)
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    assert client.get("/api/v1/me").status_code == 401


def test_refused_device_gets_nothing(dana):
    device = Device()
    device.start()
    _, answer = decide(browser_of(dana), device.started["user_code"], "deny")
    assert "was refused" in answer.content.decode()
    assert device.poll().json()["error"] == "access_denied"
    assert not DeviceApproval.objects.exists()


def test_confirmation_needs_csrf(dana):
    device = Device()
    device.start()
    answer = browser_of(dana).post("/identity/o/device", {"code": device.started["user_code"], "action": "confirm"})
    assert answer.status_code == 403
    assert device.poll().json()["error"] == "authorization_pending"


def test_confirmation_needs_a_person(db):
    device = Device()
    device.start()
    answer = Client().get("/identity/o/device", {"code": device.started["user_code"]})
    assert answer.status_code == 302
    assert "/accounts/login/" in answer["Location"]


def test_confirmation_names_the_team(dana):
    second = Team.objects.create(slug="annex", name="Annex", session_visibility="private")
    Membership.objects.create(team=second, user=dana.user, role="viewer")
    device = Device()
    device.start()
    page, _ = decide(browser_of(dana), device.started["user_code"], team="annex")
    assert "Only you. The team has fixed that" in page.content.decode()
    body = device.exchange(device.poll().json()["access_token"]).json()
    assert (body["team"]["slug"], body["scopes"]) == ("annex", ["read"])


def test_scope_beyond_a_machine_is_refused(db):
    answer = post_form(Client(), "/identity/o/api/device/code", {"client_id": "stash-cli", "scope": "admin"})
    assert answer.status_code == 400
    assert answer.json()["error"] == "invalid_scope"


def test_unknown_client_is_refused(db):
    answer = post_form(Client(), "/identity/o/api/device/code", {"client_id": "other"})
    assert answer.status_code in (400, 401)


def test_wrong_codes_are_slowed_down(dana):
    browser = browser_of(dana)
    answers = [browser.get("/identity/o/device", {"code": f"BBBB-CC{n:02}"}).content.decode() for n in range(20)]
    assert "too many requests" in answers[-1]


def test_person_who_left_gets_no_key(dana):
    device, token = confirmed_token(dana)
    Membership.objects.update(active=False)
    assert device.exchange(token).status_code == 401
    assert not Machine.objects.exists()


def test_machine_name_is_inert(team):
    person = make_person(team, "eve")
    device = Device()
    device.start(machine="<img src=x onerror=alert(1)>\u202e\x1b[31m")
    page, _ = decide(browser_of(person), device.started["user_code"])
    assert "<img" not in page.content.decode()
    assert "&lt;img" in page.content.decode()
