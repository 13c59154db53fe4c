"""What would be sent, before anything is."""

from __future__ import annotations

import json

import pytest

from stash_client import inbox
from tests.client.laptop import Laptop

FAKE = "ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE"


def transcript(laptop: Laptop, *texts: str, cwd=None, name: str = "0a1b2c3d") -> None:
    """As Claude Code keeps it."""
    folder = laptop.user_home / ".claude" / "projects" / "-shop"
    folder.mkdir(parents=True, exist_ok=True)
    records = [
        {"type": "user", "uuid": f"u{i}", "sessionId": name, "cwd": str(cwd or laptop.repository),
         "timestamp": f"2026-11-30T15:00:0{i}Z", "message": {"role": "user", "content": text}}
        for i, text in enumerate(texts)
    ]  # fmt: skip
    (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)) + "\n")


def test_preview_before_consent_reads_the_agents_own_file(laptop):
    transcript(laptop, f"use {FAKE} please", "thanks")
    code, said, err = laptop.run("preview")
    assert (code, err) == (0, "")
    assert "not connected: nothing of this is sent" in said
    assert "use [redacted:" in said
    assert "Taken out: 1 " in said
    assert FAKE not in said
    assert not list(laptop.home.rglob("*FAKE*"))
    facts = laptop.json("preview")
    assert (facts["would_be_sent"], len(facts["events"]), sum(facts["redactions"].values())) == (False, 2, 1)


def test_preview_leaves_out_what_the_model_thought(laptop):
    transcript(laptop, "hello")
    record = {
        "type": "assistant", "uuid": "a1", "sessionId": "0a1b2c3d", "cwd": str(laptop.repository),
        "timestamp": "2026-11-30T15:01:00Z",
        "message": {"id": "m", "role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."},
                                                               {"type": "text", "text": "Good morning."}]},
    }  # fmt: skip
    with (laptop.user_home / ".claude" / "projects" / "-shop" / "0a1b2c3d.jsonl").open("a") as file:
        file.write(json.dumps(record) + "\n")
    assert [event["kind"] for event in laptop.json("preview")["events"]] == ["prompt", "reply"]


def test_preview_shows_what_waits_and_sends_nothing(laptop):
    laptop.signed_in({"label": "lab", "url": "http://127.0.0.1:9", "key": "stash_FAKEfakeFAKEfake"})
    laptop.connected({"server": "lab", "visibility": "private"})
    told = {"stash": 1, "n": 1, "session": "run-1", "event": "prompt", "text": f"key {FAKE}"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STASH_HOME", str(laptop.home))
        inbox.put({"harness": "my-agent", "cwd": str(laptop.repository)}, json.dumps(told).encode())
    said = laptop.run("preview")[1]
    assert "from what waits" in said
    assert "It goes to lab; only you can read it." in said
    assert "key [redacted:" in said
    assert laptop.waiting == 1


def test_preview_obeys_the_policy_and_other_folders_are_not_shown(laptop):
    (laptop.repository / ".stash.toml").write_text("[capture]\nprompts = false\n")
    transcript(laptop, "my plans")
    other = laptop.clone(laptop.folder / "other")
    transcript(laptop, "of another folder", cwd=other, name="ffff0000")
    facts = laptop.json("preview")
    assert facts["policy"] == {"prompts": False}
    assert "my plans" not in json.dumps(facts)
    assert "another folder" not in json.dumps(facts)


def test_preview_of_nothing(laptop):
    code, _, err = laptop.run("preview")
    assert (code, "No session" in err) == (4, True)


def test_redactions_stand_out_on_a_terminal(laptop):
    transcript(laptop, f"use {FAKE} please")
    screen = laptop.terminal("preview")
    assert screen.end() == 0
    assert "[redacted:" in screen.shown
    assert "\x1b" not in screen.shown
