"""The OpenAPI document says what the server does."""

from __future__ import annotations

from dataclasses import fields

import pytest
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from stash_client.events import KINDS, SessionInfo
from tests.sessions_app.wire import body


@pytest.fixture(scope="module")
def document():
    return SchemaGenerator().get_schema(request=None, public=True)


@pytest.fixture(scope="module")
def told(document):
    return document["paths"]["/api/v1/events"]["post"]["requestBody"]["content"]["application/json"]["schema"]


def test_the_document_is_valid(document):
    validate_schema(document)


@pytest.mark.parametrize("path", ["events", "hooks/{harness}", "transcripts"])
def test_what_takes_a_body_says_so(document, path):
    assert document["paths"][f"/api/v1/{path}"]["post"]["requestBody"]["content"]


def test_every_kind_is_described_with_all_its_fields(told):
    kinds = {item["properties"]["kind"]["enum"][0]: item for item in told["properties"]["events"]["items"]["oneOf"]}
    assert kinds.keys() == KINDS.keys()
    for kind, item in kinds.items():
        assert set(item["properties"]) == {"kind", *(field.name for field in fields(KINDS[kind]))}
    assert set(told["properties"]["session"]["properties"]) == {field.name for field in fields(SessionInfo)}
    assert told["properties"]["session"]["required"] == ["harness", "native_id"]


@pytest.mark.django_db
@pytest.mark.parametrize("kind", KINDS)
def test_what_the_document_allows_is_accepted(told, dana, shop, kind):
    """One event of each kind that says everything the document lets it say."""
    examples = {"string": "2026-11-24T09:15:00+00:00", "integer": 1, "boolean": True, "array": [], "object": {}}
    items = told["properties"]["events"]["items"]["oneOf"]
    (item,) = [one for one in items if one["properties"]["kind"]["enum"] == [kind]]
    event = {name: examples.get(one.get("type")) for name, one in item["properties"].items()}
    for nothing in (None, event):
        said = nothing or {"uid": "u0", "kind": kind}
        answer = dana.api.post("/api/v1/events", body({**said, "kind": kind}), format="json").json()
        assert (answer["accepted"], answer["rejected"]) == (1, []), said
