"""The Django admin: every list and page opens, nothing can be changed, nothing private can be read."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.urls import reverse

from sessions_app.models import Event, Session, SessionFile, UnknownSeen
from tests.conftest import connect
from tests.sessions_app.wire import body, edit, prompt

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client, dana):
    dana.user.is_staff = dana.user.is_superuser = True
    dana.user.save()
    client.force_login(dana.user, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def stored(ravi, dana, shop):
    connect(ravi, shop, "private")
    for person, native_id, text in ((dana, "s-1", "shared words"), (ravi, "s-2", "private words")):
        person.api.post("/api/v1/events", body(prompt(text), edit("a.py"), native_id=native_id), format="json")


def page(model, view, *args) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{view}", args=args)


@pytest.mark.parametrize("model", [Session, Event, SessionFile, UnknownSeen])
def test_lists_open_and_refuse_changes(operator, stored, model):
    answer = operator.get(page(model, "changelist"), {"q": "a"})

    assert answer.status_code == 200
    assert "private words" not in answer.content.decode()
    assert operator.get(page(model, "add")).status_code == 403
    site = admin.site._registry[model]
    assert not site.has_change_permission(answer.wsgi_request)
    assert not site.has_delete_permission(answer.wsgi_request)


def test_private_session_shows_that_it_exists_and_no_words(operator, stored):
    private, shared = Session.objects.get(native_id="s-2"), Session.objects.get(native_id="s-1")

    assert "shared words" in operator.get(page(Session, "change", shared.pk)).content.decode()
    answer = operator.get(page(Session, "change", private.pk))
    assert answer.status_code == 200
    event = Event.objects.filter(session=private).first()
    assert operator.get(page(Event, "change", event.pk)).status_code == 302
    assert "private words" not in answer.content.decode()


def test_list_costs_the_same_for_few_and_many(operator, dana, shop, django_assert_max_num_queries):
    for n in range(12):
        dana.api.post("/api/v1/events", body(prompt(f"p{n}"), native_id=f"n{n}"), format="json")

    with django_assert_max_num_queries(12):
        operator.get(page(Session, "changelist"))
