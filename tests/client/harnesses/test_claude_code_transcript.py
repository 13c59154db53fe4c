import json

import pytest

from stash_client import ids
from stash_client.events import Compaction, Note, Prompt, Reply, Subagent, Thinking, ToolCall, TurnEnd, Usage
from stash_client.harnesses import read_transcript
from tests.client.harnesses.stories import CASES, SAMPLES, events, transcript

SESSION = "e4bbcf61-f6fb-4587-adc0-dea7d4307be9"
STORY = SAMPLES / "claude-code" / "transcript.jsonl"
CHILD = SAMPLES / "claude-code" / "subagents" / "agent-a7c31f09e2d4.jsonl"


def lines(*records):
    return [json.dumps(record).encode() for record in records]


def user(content, **fields):
    return {"type": "user", "sessionId": "s", "uuid": "u", "message": {"role": "user", "content": content}, **fields}


def assistant(*blocks, message="m", uuid="a", usage=None, **fields):
    body = {"id": message, "role": "assistant", "content": list(blocks), "usage": usage, **fields}
    return {"type": "assistant", "sessionId": "s", "uuid": uuid, "message": body}


def test_story_knows_its_session():
    read, batches = transcript("claude-code", STORY)
    info = read.session
    assert (info.native_id, info.title, info.model, info.branch, info.harness_version, info.cwd) == (
        SESSION, "Retry budget", "claude-opus-5", "feat/retry-budget", "2.1.214", "/home/mika/projects/orchard-api",
    )  # fmt: skip
    assert batches[-1].session == info
    assert not read.skipped
    assert read.ignored == {"permission-mode": 1, "file-history-snapshot": 1, "system turn_duration": 1}


def test_story_has_three_prompts_and_every_answer():
    _, batches = transcript("claude-code", STORY)
    assert [prompt.text for prompt in events(batches, Prompt)] == [
        "Add a retry budget to the HTTP client – the café-inventory sync keeps timing out ☕",
        "Run the test suite, then show me what the staging env file sets",
        "Have a helper look through docs/ for the レート制限 notes, then fix the failing test",
    ]
    assert [prompt.turn_id[:8] for prompt in events(batches, Prompt)] == ["e3738576", "6427abdd", "28d21b4e"]
    assert [reply.text[:20] for reply in events(batches, Reply)] == [
        "I'll read the client", "Added `RETRY_BUDGET_", "One test fails: the ", "Fixed: the loop comp",
    ]  # fmt: skip
    assert len(events(batches, Thinking)) == 2
    assert [end.reason for end in events(batches, TurnEnd)] == ["completed"] * 3


def test_story_counts_the_usage_of_a_split_message_once():
    by_message = {}
    for line in STORY.read_text(encoding="utf-8").splitlines():
        message = json.loads(line).get("message") or {}
        if message.get("usage"):
            by_message[message["id"]] = message["usage"]
    used = [reply.usage for reply in events(transcript("claude-code", STORY)[1], Reply)]
    assert sum(usage.input for usage in used) == sum(u["input_tokens"] for u in by_message.values())
    assert sum(usage.output for usage in used) == sum(u["output_tokens"] for u in by_message.values())
    assert sum(usage.cache_read for usage in used) == sum(u["cache_read_input_tokens"] for u in by_message.values())
    assert sum(usage.cache_write for usage in used) == sum(
        u["cache_creation_input_tokens"] for u in by_message.values()
    )


def test_story_has_tools_with_results():
    calls = {call.call_id: call for call in events(transcript("claude-code", STORY)[1], ToolCall)}
    assert [(call.name, call.family, call.ok, call.exit_code) for call in calls.values()] == [
        ("Read", "read", True, None), ("Edit", "edit", True, None), ("Bash", "shell", False, 1),
        ("Bash", "shell", True, None), ("Agent", "agent", True, None), ("Edit", "edit", True, None),
        ("Bash", "shell", True, None),
    ]  # fmt: skip
    assert calls["toolu_016d78dac37ebf4dbbb7fae4"].diff == (
        "--- a/src/client.py\n+++ b/src/client.py\n@@ -6,1 +6,1 @@\n"
        "-    while state.spent <= budget:\n+    while state.spent < budget:\n"
    )
    assert calls["toolu_01fb21ee0fa1878d807c181b"].output.startswith("Exit code 1\nF.")


def test_story_shows_compaction_and_subagent_once():
    _, batches = transcript("claude-code", STORY)
    (compaction,) = events(batches, Compaction)
    assert (compaction.trigger, compaction.tokens_before, compaction.tokens_after) == ("manual", 41230, 3120)
    assert compaction.text.startswith("The user asked for a retry budget")
    (subagent,) = events(batches, Subagent)
    assert (subagent.agent_id, subagent.agent_type, subagent.state, subagent.call_id) == (
        "a7c31f09e2d4", "Explore", "finished", "toolu_01740ae23d09c716267d1f1b",
    )  # fmt: skip


def test_subagent_file_is_a_child_session_without_prompts():
    read, batches = transcript("claude-code", CHILD)
    assert (read.session.native_id, read.session.parent_native_id) == (f"{SESSION}/a7c31f09e2d4", SESSION)
    assert [type(event) for event in events(batches)] == [Note, ToolCall, Reply]
    assert events(batches)[0].name == "task"


def test_delivery_ids_come_from_record_and_block():
    _, batches = transcript("claude-code", STORY)
    first = events(batches)[0]
    assert first.uid == ids.import_uid("claude-code", SESSION, "db62ea0a-935a-49fb-a70b-053ff863c910:prompt")
    assert [e.uid for e in events(batches)] == [e.uid for e in events(transcript("claude-code", STORY)[1])]
    assert len({event.uid for event in events(batches)}) == len(events(batches))


def test_given_id_wins():
    read, batches = transcript("claude-code", STORY, native_id="mine")
    assert {batch.session.native_id for batch in batches} == {"mine"} == {read.session.native_id}


def test_batches_are_bounded():
    _, batches = transcript("claude-code", STORY, limit=4)
    assert max(len(batch.events) for batch in batches) == 4
    assert [e.uid for e in events(batches)] == [e.uid for e in events(transcript("claude-code", STORY)[1])]


def test_lines_are_read_only_when_asked_for():
    taken = []

    def endless():
        n = 0
        while True:
            n += 1
            taken.append(n)
            yield lines(user(f"prompt {n}", uuid=f"u{n}"))[0]

    next(iter(read_transcript("claude-code", endless(), limit=10)))
    assert len(taken) <= 12


def test_machine_text_is_never_a_prompt():
    expected = json.loads((CASES / "T02.expected.json").read_text())
    read, batches = transcript("claude-code", CASES / "T02.claude.jsonl")
    assert [prompt.text for prompt in events(batches, Prompt)] == expected["human_prompts"]
    assert len(events(batches, Compaction)) == expected["compactions"]
    assert read.session.title is None
    assert [end.reason for end in events(batches, TurnEnd)] == ["completed", "interrupted"]
    assert len({event.uid for event in events(batches)}) == len(events(batches))


def test_odd_records_do_not_end_the_reading():
    expected = json.loads((CASES / "T03.expected.json").read_text())
    read, batches = transcript("claude-code", CASES / "T03.claude.jsonl")
    assert [prompt.text for prompt in events(batches, Prompt)] == expected["prompts"]
    assert [reply.text for reply in events(batches, Reply)] == expected["assistant_texts"]
    assert read.skipped == {"not JSON": 1, "not an object": 3, "no content": 1, "no message": 1}
    assert {note.name for note in events(batches, Note)} == {"block_of_the_future", "pr-link", "record-of-the-future"}
    assert read.session.title == "Invoice totals"


def test_hostile_characters_are_read():
    _, batches = transcript("claude-code", CASES / "T05.hostile-characters.jsonl")
    assert [prompt.text for prompt in events(batches, Prompt)] == ["binary paste \udc9f end", "normal text after it"]
    (call,) = events(batches, ToolCall)
    assert (call.name, call.call_id, call.output) == ("unknown", "toolu_w", "D\0i\0r\0 \x01 \x7f done")
    (reply,) = events(batches, Reply)
    assert events(batches, Prompt)[1].extra == {"key with \0 nul": "x"}
    assert reply.text == "smile 😀 half \ud83d tail, and the six letters \\u0000 typed as text"


def test_slash_command_with_arguments_is_what_the_person_typed():
    text = "<command-message>review</command-message>\n<command-name>/review</command-name>\n"
    text += "<command-args>src/client.py</command-args>"
    (event,) = events(read_transcript("claude-code", lines(user(text))))
    assert event.text == "/review src/client.py"
    assert isinstance(event, Prompt)


def test_prompt_typed_while_busy_is_a_prompt():
    record = {
        "type": "attachment", "sessionId": "s", "uuid": "q",
        "attachment": {"type": "queued_command", "prompt": "also check the tests"},
    }  # fmt: skip
    (event,) = events(read_transcript("claude-code", lines(record)))
    assert (type(event), event.text) == (Prompt, "also check the tests")


def test_task_notification_in_the_queue_is_no_prompt():
    record = {
        "type": "attachment", "sessionId": "s", "uuid": "q",
        "attachment": {"type": "queued_command", "prompt": "<task-notification>done</task-notification>"},
    }  # fmt: skip
    (event,) = events(read_transcript("claude-code", lines(record)))
    assert (type(event), event.name) == (Note, "task-notification")


def test_older_files_mix_subagents_in():
    records = lines(
        user("look around", uuid="u1"),
        user("find it", uuid="c1", isSidechain=True, parentUuid=None),
        {**assistant({"type": "text", "text": "found"}, uuid="c2"), "isSidechain": True, "parentUuid": "c1"},
        assistant({"type": "text", "text": "it is there"}, uuid="a1"),
    )
    batches = list(read_transcript("claude-code", records))
    assert [(b.session.native_id, [e.text for e in b.events]) for b in batches] == [
        ("s", ["look around"]), ("s/c1", ["find it", "found"]), ("s", ["it is there"]),
    ]  # fmt: skip
    assert isinstance(batches[1].events[0], Note)


def test_growing_usage_of_one_message_adds_only_what_is_new():
    def usage(read, written):
        return {"input_tokens": read, "output_tokens": written}

    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}
    records = lines(
        assistant({"type": "text", "text": "one"}, uuid="a1", usage=usage(5, 1)),
        assistant(call, uuid="a2", usage=usage(5, 90)),
        assistant({"type": "text", "text": "two"}, message="m2", uuid="a3", usage=usage(7, 2)),
    )
    replies = events(read_transcript("claude-code", records), Reply)
    assert [reply.usage for reply in replies] == [Usage(5, 1), Usage(7, 91)]


def test_call_without_result_is_told_at_the_end():
    records = lines(assistant({"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "sleep 9"}}))
    (call,) = events(read_transcript("claude-code", records))
    assert (call.call_id, call.ok, call.output) == ("t", None, None)


def test_api_error_ends_the_turn():
    record = {**assistant({"type": "text", "text": "API Error: 529"}), "isApiErrorMessage": True}
    (event,) = events(read_transcript("claude-code", lines(record)))
    assert (type(event), event.reason, event.text) == (TurnEnd, "error", "API Error: 529")


@pytest.mark.parametrize("kinds, title", [
    ({"custom-title": "customTitle", "summary": "summary"}, "custom-title"),
    ({"summary": "summary", "ai-title": "aiTitle"}, "ai-title"),
    ({"ai-title": "aiTitle", "custom-title": "customTitle"}, "custom-title"),
])  # fmt: skip
def test_the_persons_own_title_wins(kinds, title):
    records = [{"type": kind, field: kind, "sessionId": "s"} for kind, field in kinds.items()]
    read = read_transcript("claude-code", lines(user("hello"), *records))
    list(read)
    assert read.session.title == title


def test_picture_in_a_prompt_is_an_attachment():
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}
    (event,) = events(read_transcript("claude-code", lines(user([picture, {"type": "text", "text": "what is this?"}]))))
    assert (event.text, event.attachments) == ("what is this?", ("[image image/png]",))
