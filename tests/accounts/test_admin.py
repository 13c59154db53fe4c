"""Django admin: every list opens, can be searched, takes a fixed number of queries; nothing secret, nothing changed."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts import services
from accounts.models import Machine, User
from tests.conftest import make_person

MODELS = [model for model in admin.site._registry if model._meta.app_label == "accounts"]
READ_ONLY = [model for model in MODELS if model not in (User,) and model._meta.model_name != "team"]


@pytest.fixture
def operator(db):
    user = User.objects.create_superuser("root")
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def _fill(team, number):
    owner = make_person(team, f"owner-{number}", "owner")
    Machine.objects.create(membership=owner.membership, name="box")
    services.invite(actor=owner.actor, role="member", email=f"x{number}@example.test")
    connected = services.connect(actor=owner.actor, identities=[f"git.example.test/acme/p{number}"])
    services.rename_project(actor=owner.actor, project=connected.project, slug=f"q{number}")
    services.grant_access(actor=owner.actor, project=connected.project, membership=owner.membership, can_write=True)
    services.make_signin_link(actor=owner.actor, user=owner.user)
    services.approve_device(actor=owner.actor, grant=f"grant-{number}", machine_name="box", scopes=["read"])


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.model_name)
def test_list_opens_with_a_fixed_number_of_queries(operator, team, model):
    url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    counts = []
    for rows in (range(2), range(2, 8)):
        for number in rows:
            _fill(team, number)
        operator.get(url)
        with CaptureQueriesContext(connection) as captured:
            answer = operator.get(url, {"q": ""})
        assert answer.status_code == 200
        counts.append(len(captured))
    assert counts[0] == counts[1]
    assert operator.get(url, {"q": "x'%_"}).status_code in (200, 302)


@pytest.mark.parametrize("model", READ_ONLY, ids=lambda model: model._meta.model_name)
def test_detail_is_read_only_and_shows_no_secret(operator, team, model):
    _fill(team, 1)
    row = model.objects.order_by("pk").first()
    name = f"{model._meta.app_label}_{model._meta.model_name}"
    page = operator.get(reverse(f"admin:{name}_change", args=[row.pk]))
    assert page.status_code == 200
    assert getattr(row, "digest", "x" * 64) not in page.content.decode()
    assert operator.post(reverse(f"admin:{name}_change", args=[row.pk]), {}).status_code == 403
    assert operator.post(reverse(f"admin:{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
    assert operator.get(reverse(f"admin:{name}_add")).status_code == 403
