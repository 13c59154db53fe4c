"""A full outbox drops what matters least, and says so where it is missing."""

from __future__ import annotations

import pytest

from stash_client.outbox import Outbox
from tests.client.outbox.frames import prompt, tool_call


@pytest.fixture
def outbox(stash_home, monkeypatch) -> Outbox:
    """With room for 64 KiB."""
    monkeypatch.setenv("STASH_OUTBOX_MIB", "0.0625")
    return Outbox()


def append(outbox: Outbox, *frames) -> None:
    outbox.append(list(frames))
    outbox.publish()


def waiting(outbox: Outbox, server: str = "lab") -> list:
    return [entry.frame for entry in outbox.box(server).queue.entries()]


def kinds(outbox: Outbox) -> dict[str, int]:
    found: dict[str, int] = {}
    for frame in waiting(outbox):
        found[frame.kind] = found.get(frame.kind, 0) + 1
    return found


def test_output_goes_before_anything_else(outbox):
    for number in range(20):
        append(outbox, prompt(f"prompt {number}"), tool_call("x y " * 1500))
    assert outbox.size <= outbox.most_bytes
    assert (kinds(outbox)["prompt"], kinds(outbox)["tool_call"]) == (20, 20)
    cut = [frame for frame in waiting(outbox) if frame.cut]
    assert cut
    assert all("output" not in frame.event for frame in cut)


def test_then_tool_calls_and_prompts_last(outbox):
    for number in range(100):
        append(outbox, prompt(f"prompt {number} " + "w " * 200), tool_call("ok"))
    assert outbox.size <= outbox.most_bytes
    assert kinds(outbox)["prompt"] > 50
    assert kinds(outbox).get("tool_call", 0) < 50


def test_even_prompts_go_when_there_is_nothing_else(outbox):
    for number in range(100):
        append(outbox, prompt(f"prompt {number} " + "w " * 1000))
    assert outbox.size <= outbox.most_bytes
    kept = [frame.event["text"] for frame in waiting(outbox) if frame.kind == "prompt"]
    assert kept[-1].startswith("prompt 99 ")
    assert len(kept) > 10


def test_each_session_that_lost_something_says_what(outbox):
    for _ in range(8):
        append(outbox, tool_call("x y " * 1500, session="a"), tool_call("x y " * 1500, session="b"))
    notes = {f.key[1]: f.event["text"] for f in waiting(outbox) if f.event.get("name") == "spool_full"}
    assert set(notes) == {"a", "b"}
    assert "outputs" in notes["a"]


def test_the_limit_is_of_all_servers_together(outbox):
    for _ in range(10):
        append(outbox, tool_call("x y " * 1500), tool_call("x y " * 1500, server="other"))
    assert outbox.size <= outbox.most_bytes
    assert any(frame.cut for frame in waiting(outbox, "other"))


def test_what_is_on_its_way_is_left_alone(outbox):
    append(outbox, tool_call("x y " * 1500))
    outbox.box("lab").queue.waiting(most=10, most_bytes=1 << 20)
    for _ in range(10):
        append(outbox, tool_call("x y " * 1500))
    assert not waiting(outbox)[0].cut


@pytest.mark.parametrize(
    "told, size", [("1", 1 << 20), ("0.5", 1 << 19), ("nonsense", 256 << 20), ("inf", 256 << 20), (None, 256 << 20)]
)
def test_the_limit_is_a_setting(stash_home, monkeypatch, told, size):
    if told is not None:
        monkeypatch.setenv("STASH_OUTBOX_MIB", told)
    assert Outbox().most_bytes == size
    monkeypatch.delenv("STASH_OUTBOX_MIB", raising=False)
    stash_home.mkdir()
    (stash_home / "settings.json").write_text('{"outbox_mib": 3}')
    assert Outbox().most_bytes == 3 << 20


@pytest.mark.parametrize("label", ["127.0.0.1:8000", "a/b", "..", ".", "ü ", "lab"])
def test_any_label_of_a_server_has_its_own_folder(stash_home, label):
    outbox = Outbox()
    append(outbox, prompt("x", server=label))
    again = Outbox()
    assert [frame.server for frame in waiting(again, label)] == [label]
    assert list(again.boxes) == [label]
    assert len(list((stash_home / "outbox").iterdir())) == 1
