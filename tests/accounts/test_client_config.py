"""What a client has to know before it captures anything."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.clients import advice, is_older
from accounts.models import Connection, Machine
from stash import client_wheel
from stash_client import __version__
from stash_client.privacy import Patterns
from tests.conftest import connect, make_person, make_project
from tests.sessions_app.wire import body, prompt

pytestmark = pytest.mark.django_db
WHERE = "/api/v1/client-config"


def config(person, **query) -> dict:
    answer = person.api.get(WHERE, query)
    assert answer.status_code == 200
    return answer.json()


def test_it_names_versions_projects_and_patterns(dana, shop, settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    shop.policy = {"ignore": ["secrets/**"], "output": False}
    shop.save()
    assert config(dana) == {
        "minimum_version": "0.1.0",
        "latest_version": __version__,
        "wheel": None,
        "projects": [
            {
                "id": str(shop.pk),
                "slug": "shop",
                "identities": ["git.example.test/acme/shop"],
                "policy": {"ignore": ["secrets/**"], "output": False},
                "visibility": "project",
                "fixed_by": "",
            }
        ],
        "patterns": [],
        "message": None,
    }


def test_it_names_the_wheel_that_can_be_installed(dana, settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    client_wheel.make()
    wheel = client_wheel.current()
    assert config(dana)["wheel"] == {"url": settings.URL + wheel.address, "sha256": wheel.sha256}


def test_a_team_that_fixed_who_sees_new_sessions_says_so(dana, team, shop):
    team.session_visibility = "private"
    team.save()
    (told,) = config(dana)["projects"]
    assert (told["visibility"], told["fixed_by"]) == ("private", "team")


def test_it_names_no_project_of_others(dana, ravi, team, shop):
    assert config(ravi)["projects"] == []
    connect(dana, make_project(team, "vault", visibility="restricted"))
    assert [one["slug"] for one in config(dana)["projects"]] == ["shop"]


def test_who_connected_everything_hears_of_every_policy(ravi, team, shop):
    make_project(team, "careful", policy={"prompts": False})
    connect(ravi, None)
    assert [(one["slug"], one["visibility"]) for one in config(ravi)["projects"]] == [("careful", "project")]


def test_the_same_configuration_is_sent_once(dana, shop):
    etag = dana.api.get(WHERE)["ETag"]
    again = dana.api.get(WHERE, headers={"If-None-Match": etag})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", etag)
    Connection.objects.update(visibility="private")
    changed = dana.api.get(WHERE, headers={"If-None-Match": etag})
    assert changed.status_code == 200
    assert changed["ETag"] != etag


def test_queries_do_not_grow_with_projects(dana, team, shop):
    def asked():
        with CaptureQueriesContext(connection) as queries:
            config(dana)
        return len(queries)

    config(dana)
    few = asked()
    for n in range(10):
        connect(dana, make_project(team, f"p{n}"))
    assert asked() == few


def test_an_old_client_is_told(dana, shop, settings):
    settings.MINIMUM_CLIENT = "0.3.0"
    assert config(dana, version="0.3.0")["message"] is None
    assert "stash upgrade" in config(dana, version="0.2.9")["message"]


def test_an_old_client_is_told_and_heard(dana, shop, settings):
    settings.MINIMUM_CLIENT = "0.3.0"
    sent = body(prompt("hello"), client_version="0.2.0")
    answer = dana.api.post("/api/v1/events", sent, format="json").json()
    assert answer["accepted"] == 1
    assert "0.2.0" in answer["message"]
    answer = dana.api.post("/api/v1/events", body(prompt("again"), client_version="0.3.0"), format="json").json()
    assert answer["accepted"] == 1
    assert "message" not in answer


@pytest.mark.parametrize(
    "version, than, older",
    [
        ("0.9", "0.10", True),
        ("1.0", "1.0.0", False),
        ("1.0.1", "1.0", False),
        ("dev", "9", False),
        ("0.2rc1", "0.3", True),
    ],
)
def test_versions_compare_by_their_numbers(version, than, older):
    assert is_older(version, than) is older


def test_what_is_said_about_a_version_is_made_of_its_numbers_alone(settings):
    settings.MINIMUM_CLIENT = "3"
    assert "<b>" not in advice("1.2<b>")
    assert advice("") is None


# ---- team patterns ----

KEY = {"type": "acme-key", "prefix": "acme_", "chars": "A-Z0-9", "min": 8, "max": 20}
PIN = {"name": "Ledger pins", "type": "pin", "names": ["LEDGER_PIN"]}
PATTERNS = "/api/v1/team/patterns"


@pytest.fixture
def ada(team):
    return make_person(team, "ada", "admin")


def put(person, *patterns):
    return person.api.put(PATTERNS, {"patterns": list(patterns)}, format="json")


def test_patterns_reach_clients_in_the_form_they_compile(ada, dana, shop):
    assert put(ada, KEY, PIN).json() == {"patterns": [{"name": "acme-key", **KEY}, PIN]}
    assert ada.api.get(PATTERNS).json()["patterns"][1] == PIN
    told = config(dana)["patterns"]
    assert told == [KEY, {"type": "pin", "names": ["LEDGER_PIN"]}]
    Patterns.compile(told)


def test_patterns_hold_for_what_is_captured_from_then_on(ada, dana, shop, team):
    from sessions_app.models import Event, Session

    said = "use acme_ABCD1234 and LEDGER_PIN=4711"
    dana.api.post("/api/v1/events", body(prompt(said)), format="json")
    assert put(ada, KEY, PIN).status_code == 200
    dana.api.post("/api/v1/events", body(prompt(said), branch="acme_ABCD1234"), format="json")
    texts = list(Event.objects.order_by("number").values_list("text", flat=True))
    assert texts[1] == "use [redacted:acme-key] and LEDGER_PIN=[redacted:pin]"
    assert "acme_ABCD1234" in texts[0]
    assert Session.objects.get().branch == "[redacted:acme-key]"
    assert put(ada).status_code == 200
    dana.api.post("/api/v1/events", body(prompt(said), branch="acme_ABCD1234"), format="json")
    assert Event.objects.get(number=3).text.startswith("use acme_ABCD1234")


def test_patterns_of_another_team_do_not_hold_here(ada, olga, dana, shop):
    put(ada, KEY)
    assert config(olga)["patterns"] == []
    assert olga.actor.patterns == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "Acme"},
        {"type": "acme", "prefix": "a"},
        {"type": "acme", "prefix": "acme_", "chars": "z-a"},
        {"type": "acme", "prefix": "acme_", "min": 30, "max": 20},
        {"type": "acme", "names": ["x"]},
    ],
)
def test_a_pattern_that_is_none_changes_nothing(ada, wrong):
    put(ada, KEY)
    answer = put(ada, PIN, wrong)
    assert (answer.status_code, answer.json()["code"], answer.json()["index"]) == (422, "pattern", 1)
    assert [one["type"] for one in ada.api.get(PATTERNS).json()["patterns"]] == ["acme-key"]


def test_a_team_has_a_bounded_number_of_patterns(ada):
    assert put(ada, *[KEY] * 200).status_code == 200
    assert put(ada, *[KEY] * 201).json()["code"] == "pattern"


def test_changing_patterns_is_audited_by_type_alone(ada):
    from stash.audit.models import AuditEntry

    put(ada, KEY, PIN)
    entry = AuditEntry.objects.get()
    assert (entry.verb, entry.facts) == ("team.patterns_changed", {"types": ["acme-key", "pin"]})
    assert "LEDGER" not in str(vars(entry))


def test_a_machine_says_which_client_it_has_by_now(dana):
    machine = Machine.objects.create(membership=dana.membership, name="mbp-dana", client_version="0.0.9")
    dana.key.machine = machine
    dana.key.save()
    config(dana, version="")
    page = Client()
    page.force_login(dana.user, backend="django.contrib.auth.backends.ModelBackend")
    assert "stash upgrade" in page.get("/t/harbour/settings/keys/").content.decode()
    config(dana, version=__version__)
    machine.refresh_from_db()
    assert machine.client_version == __version__
    assert "stash upgrade" not in page.get("/t/harbour/settings/keys/").content.decode()
