"""What a policy leaves out."""

import pytest

from stash_client.events import Attention, Note, ProjectRef, Prompt, Reply, SessionInfo, ToolCall, Usage
from stash_client.privacy import METADATA_ONLY, OPEN, Policy, scrub, stricter

READ = ToolCall(
    uid="u1",
    name="Read",
    family="read",
    input={"file_path": "/home/dana/w/secrets/a.txt"},
    output="x",
    paths=("secrets/a.txt", "b.txt"),
)
IGNORE = Policy.from_mapping({"ignore": ["secrets/**", "*.pem", ".env*"]})


def test_ignored_paths_keep_name_and_number_only():
    clean = scrub(READ, policy=IGNORE).value
    assert (clean.name, clean.uid, clean.input, clean.output, clean.diff) == ("Read", "u1", None, None, None)
    assert clean.paths == ("[ignored]", "b.txt")


@pytest.mark.parametrize(
    "command", ["cat .env.production", "openssl x509 -in certs/a.pem", "cat < ./secrets/deep/er/x"]
)
def test_commands_that_name_an_ignored_path_are_dropped(command):
    call = ToolCall(name="Bash", family="shell", input={"command": command}, output="text")
    assert scrub(call, policy=IGNORE).value == ToolCall(name="Bash", family="shell")
    assert scrub(Attention(command=command, text=command), policy=IGNORE).value.command == "[ignored]"


def test_lines_about_ignored_paths_leave_the_output_of_a_search():
    call = ToolCall(name="Grep", family="search", input={"pattern": "x"}, output="src/a.py:1:x\nsecrets/b.txt:2:x\n")
    assert scrub(call, policy=IGNORE).value.output == "src/a.py:1:x\n[ignored]\n"


def test_prompts_and_output_can_be_switched_off():
    policy = Policy.from_mapping({"prompts": False, "output": False})
    assert scrub(Prompt(uid="u", text="hello", attachments=("a.png",)), policy=policy).value == Prompt(uid="u")
    call = scrub(ToolCall(name="Bash", input={"command": "ls"}, output="x"), policy=policy).value
    assert (call.input, call.output) == ({"command": "ls"}, None)
    assert scrub(SessionInfo(harness="codex", native_id="1", title="hello"), policy=policy).value.title is None


@pytest.mark.parametrize(
    "mapping",
    [[], "x", {"ignore": "x"}, {"ignore": [1]}, {"prompts": "no"}, {"prompt": False}, {"ignore": ["/"]}, {"output": 0}],
)
def test_a_malformed_policy_means_metadata_only(mapping):
    policy = Policy.from_mapping(mapping)
    assert policy == METADATA_ONLY
    assert scrub(Reply(uid="u", text="hello", model="m", usage=Usage(1, 2)), policy=policy).value == Reply(
        uid="u", model="m", usage=Usage(1, 2)
    )
    assert scrub(READ, policy=policy).value.paths == ("[ignored]", "[ignored]")
    assert scrub(Note(name="x", text="y", extra={"z": 1}), policy=policy).value == Note(name="x")


@pytest.mark.parametrize("mapping", [None, {}, {"ignore": []}, {"prompts": True}])
def test_an_empty_policy_captures_everything(mapping):
    assert Policy.from_mapping(mapping) == OPEN


def test_the_stricter_policy_wins_and_survives_the_wire():
    both = stricter(Policy(ignore=("a",), prompts=False), Policy(ignore=("b", "a"), output=False))
    assert both == Policy(ignore=("a", "b"), prompts=False, output=False)
    assert Policy.from_mapping(both.to_mapping()) == both
    assert stricter(OPEN, METADATA_ONLY).metadata_only
    assert OPEN.to_mapping() == {}


def test_scrub_walks_dataclasses():
    info = SessionInfo(
        harness="codex",
        native_id="1",
        cwd="/home/dana/w",
        project=ProjectRef(identities=("a/b/c",), name="x\0"),
        policy={"prompts": False},
    )
    clean = scrub(info).value
    assert (clean.cwd, clean.project.name, clean.project.identities, clean.policy) == (
        "~/w",
        "x",
        ("a/b/c",),
        {"prompts": False},
    )
    assert scrub(Prompt(text="password=hunter2", extra={"token": "zq-lamp"})).redactions == {"password": 1, "token": 1}


def test_scrub_refuses_other_types():
    with pytest.raises(TypeError):
        scrub(object())
