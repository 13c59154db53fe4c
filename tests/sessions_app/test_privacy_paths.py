"""What a person marked private, and what nobody should see, is in no table after any way in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.apps import apps
from django.core import serializers

from accounts.models import Connection
from tests.sessions_app.wire import body, edit, event, prompt, reply, shell

pytestmark = pytest.mark.django_db
CASES = Path(__file__).parent.parent / "cases"
WORD = "orchid-secret-77"
PRIVATE = [case["in"] for case in json.loads((CASES / "R07.private.json").read_text())["cases"]]


def everything_stored() -> str:
    """All rows of all tables, as text."""
    return "".join(
        serializers.serialize("json", model._default_manager.all())
        for model in apps.get_models(include_auto_created=True)
    )


def hook(name: str, **fields) -> dict:
    return {"session_id": "s-1", "hook_event_name": name, "cwd": "/home/dana/work/shop", **fields}


def raw_posts(text: str) -> list[dict]:
    return [
        hook("UserPromptSubmit", prompt=text),
        hook("PostToolUse", tool_name="Bash", tool_use_id="t1", tool_input={"command": text}, tool_response="ok"),
        hook(
            "PostToolUse",
            tool_name="Bash",
            tool_use_id="t2",
            tool_input={"command": "ls"},
            tool_response={"stdout": text, "stderr": text},
        ),
        hook("PermissionRequest", tool_name="Bash", tool_input={"command": text}),
        hook("PreToolUse", tool_name="Bash", tool_input={"command": text}),
        hook("SomethingNew", note=text),
        hook("Stop", last_assistant_message=text),
    ]


@pytest.mark.parametrize("text", PRIVATE)
def test_private_passage_is_stored_nowhere(dana, shop, text):
    Connection.objects.update(raw_hooks=True)
    headers = {"X-Stash-Project": "git.example.test/acme/shop"}
    for payload in raw_posts(text):
        answer = dana.api.post("/api/v1/hooks/claude-code", payload, format="json", headers=headers)
        assert answer.status_code == 200, answer.content
    said = dana.api.post(
        "/api/v1/events",
        body(
            prompt(text),
            reply(text),
            shell(text, text),
            edit("a.py", f"--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+{text}\n"),
            event("attention", text=text, command=text),
            event("note", name="x", text=text, extra={"k": [text]}),
            event("activity", text=text),
            native_id="s-2",
            branch="main",
            title=text,
        ),
        format="json",
    )
    assert said.json()["rejected"] == []
    line = {"type": "user", "sessionId": "s-3", "uuid": "u1", "message": {"role": "user", "content": text}}
    dana.api.post(
        "/api/v1/transcripts?harness=claude-code",
        json.dumps(line).encode(),
        content_type="application/octet-stream",
        headers={"Stash-Session": json.dumps({"project": {"identities": ["git.example.test/acme/shop"]}})},
    )

    stored = everything_stored()
    assert "s-1" in stored
    assert "s-2" in stored
    assert "s-3" in stored
    assert WORD not in stored


def test_own_key_in_output_is_recognised(dana, shop):
    said = dana.api.post(
        "/api/v1/events", body(shell("env", f"STASH={dana.secret}"), prompt(dana.secret)), format="json"
    )

    assert sum(said.json()["redactions"].values()) == 2
    assert dana.secret not in everything_stored()


def test_every_known_token_shape_is_gone_and_the_words_around_it_stay(dana, shop):
    lines = [line for line in (CASES / "R02.tokens.txt").read_text().splitlines() if "FAKE" in line]
    dana.api.post("/api/v1/events", body(*[prompt(line) for line in lines]), format="json")

    stored = everything_stored()
    assert "FAKE" not in stored
    assert stored.count(" end") >= 10


def test_structured_tool_input_loses_its_secrets(dana, shop):
    Connection.objects.update(raw_hooks=True)
    answer = dana.api.post(
        "/api/v1/hooks/claude-code",
        json.loads((CASES / "R06.structured-hook.json").read_text()),
        format="json",
        headers={"X-Stash-Project": "git.example.test/acme/shop"},
    )

    assert answer.status_code == 200
    stored = everything_stored()
    for secret in ("fake-structured-1", "fake-structured-2", "corgi-lamp-5", "ZGFuYTpmYWtl"):
        assert secret not in stored
