"""Hooks and session files tell the same story: what both report must be recognisable as the same moment."""

import pytest

from stash_client.events import Note, Prompt, Reply, Subagent, Thinking, ToolCall
from stash_client.harnesses import parse_hook
from tests.client.harnesses.stories import SAMPLES, squeezed, transcript

CURSOR = "040708d4-78ab-4f87-a613-f68954f08c9b"
FILES = {
    "claude-code": [("transcript.jsonl", None), ("subagents/agent-a7c31f09e2d4.jsonl", None)],
    "codex": [("transcript.jsonl", None), ("subagent-rollout.jsonl", None)],
    "cursor": [
        ("transcript.jsonl", CURSOR), ("transcript.with-results.jsonl", CURSOR),
        ("subagents/65051a02-9a2c-461b-ae7e-dfc1c58e8f05.jsonl", f"{CURSOR}/65051a02-9a2c-461b-ae7e-dfc1c58e8f05"),
    ],
}  # fmt: skip
# Calls of which the story's file does not speak: Cursor's file names no ids except the one with results.
ELSEWHERE = {"tool_1292e3abcf9c", "tool_6bc2f9497374"}


def told_by_hooks(harness):
    for path in sorted((SAMPLES / harness).glob("*.json")):
        for batch in parse_hook(harness, path.read_bytes()):
            for event in batch.events:
                yield batch.session.native_id, event


def told_by_files(harness):
    for name, native_id in FILES[harness]:
        for batch in transcript(harness, SAMPLES / harness / name, native_id=native_id)[1]:
            for event in batch.events:
                yield batch.session.native_id, event


@pytest.mark.parametrize("harness", FILES)
@pytest.mark.parametrize("kind", [Prompt, Reply, Thinking])
def test_what_was_said_has_the_same_words(harness, kind):
    files = {(owner, squeezed(event.text)) for owner, event in told_by_files(harness) if type(event) is kind}
    hooks = {
        (owner, squeezed(event.text))
        for owner, event in told_by_hooks(harness)
        if type(event) is kind and event.text != "/review src/client.py"
    }
    assert hooks <= files


@pytest.mark.parametrize("harness", FILES)
def test_tool_calls_have_the_same_id_session_and_output(harness):
    files = {e.call_id: (owner, e) for owner, e in told_by_files(harness) if isinstance(e, ToolCall) and e.call_id}
    compared = 0
    for owner, event in told_by_hooks(harness):
        if isinstance(event, ToolCall) and event.call_id not in ELSEWHERE:
            other_owner, other = files[event.call_id]
            assert (owner, event.name, event.family, squeezed(event.output)) == (
                other_owner, other.name, other.family, squeezed(other.output),
            )  # fmt: skip
            assert (event.paths, event.diff) == (other.paths, other.diff)
            compared += 1
    assert compared == {"claude-code": 4, "codex": 4, "cursor": 1}[harness]


@pytest.mark.parametrize("harness", ["claude-code", "codex"])
def test_prompts_have_the_same_turn(harness):
    turns = {squeezed(e.text): e.turn_id for _, e in told_by_files(harness) if isinstance(e, Prompt)}
    (told,) = [e for _, e in told_by_hooks(harness) if isinstance(e, Prompt) and e.text.startswith("Add a")]
    assert turns[squeezed(told.text)] == told.turn_id


@pytest.mark.parametrize("harness", ["claude-code", "codex"])
def test_reports_of_subagents_are_the_same(harness):
    def finished(events):
        return {
            (owner, e.agent_id, e.agent_type, squeezed(e.text))
            for owner, e in events
            if isinstance(e, Subagent) and e.state == "finished"
        }

    assert finished(told_by_hooks(harness)) == finished(told_by_files(harness)) != set()


def test_tasks_of_subagents_are_notes_on_both_sides():
    tasks = [squeezed(e.text) for told in (told_by_hooks, told_by_files) for _, e in told("cursor")
             if isinstance(e, Note) and e.name == "task"]  # fmt: skip
    assert len(tasks) == 2
    assert len(set(tasks)) == 1
