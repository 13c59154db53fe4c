"""The plugins for agents that take no commands, run by Node as the agent would: samples in, hook calls out."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from stash_client import accounts, consent, home, hookscript, wiring
from stash_client.accounts import Account
from stash_client.checkout import checkout_of
from stash_client.consent import Connection

SAMPLES = Path(__file__).parents[2] / "harness_samples"
HOOK = """#!/bin/sh
# stash-hook: keeps what it is called with
cat > "$STASH_CALLS/body-$$"
{ printf '%s\\n' "$1" "$2" "$PWD"; cat "$STASH_CALLS/body-$$"; } > "$STASH_CALLS/.call-$$"
mv "$STASH_CALLS/.call-$$" "$STASH_CALLS/call-$(date +%s%N)-$$"
rm "$STASH_CALLS/body-$$"
case $2 in experimental.chat.system.transform | before_prompt_build) printf %s "$STASH_ANSWER" ;; esac
"""
OPENCODE = """
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
const { plugin, steps } = JSON.parse(readFileSync(0, "utf8"))
const made = await import(pathToFileURL(plugin))
const hooks = await Object.values(made)[0]({ directory: process.cwd() })
for (const step of steps) {
  const started = Date.now()
  const given = step.name === "event" ? [{ event: step.event }] : [step.input, step.output]
  const answer = await hooks[step.name](...given)
  console.log(JSON.stringify({ answer: answer ?? null, ms: Date.now() - started, output: step.output ?? null }))
}
"""
OPENCLAW = """
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
const { plugin, steps } = JSON.parse(readFileSync(0, "utf8"))
const handlers = {}
const made = (await import(pathToFileURL(plugin))).default
made.register({ on: (name, handler) => (handlers[name] = handler) })
for (const { name, event, ctx } of steps) {
  const answer = handlers[name](event, ctx)
  const promised = answer instanceof Promise
  console.log(JSON.stringify({ answer: (await answer) ?? null, promised }))
}
"""


@pytest.fixture
def calls(person, tmp_path):
    """The folder with what a hook that only takes notes was called with."""
    folder = tmp_path / "calls"
    folder.mkdir()
    return folder


def installed(harness: str, name: str) -> str:
    wiring.apply(wiring.plan(harness))
    (home.folder() / "bin" / "stash-hook").write_text(HOOK)
    return next(file for file in wiring.state(harness).files if file.endswith(name))


def run(script: str, plugin: str, steps: list, calls: Path, *, cwd: Path, answer: str = "") -> list[dict]:
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script],
        input=json.dumps({"plugin": plugin, "steps": steps}),
        cwd=cwd,
        env={"PATH": _node_path(), "STASH_CALLS": str(calls), "STASH_ANSWER": answer},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def _node_path() -> str:
    return "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def called(calls: Path) -> list[tuple[str, str, dict]]:
    """(event, folder, payload) of each call, in order."""
    made = []
    for path in sorted(calls.glob("call-*")):
        _, event, folder, body = path.read_text().split("\n", 3)
        made.append((event, folder, json.loads(body)))
    return made


def opencode_steps(folder: Path, *names: str) -> list[dict]:
    steps = []
    for name in names:
        payload = json.loads((SAMPLES / "opencode" / f"{name}.json").read_text())
        if name.startswith("event."):
            info = payload["properties"].get("info")
            if info and "directory" in info:
                info["directory"] = str(folder)
            steps.append({"name": "event", "event": payload})
        else:
            steps.append({"name": name.removeprefix("hook.").removesuffix(".secret"), **payload})
    return steps


def openclaw_steps(folder: Path, *names: str) -> list[dict]:
    steps = []
    for name in names:
        payload = json.loads((SAMPLES / "openclaw" / f"{name}.json").read_text())
        if "workspaceDir" in payload["ctx"]:
            payload["ctx"]["workspaceDir"] = str(folder)
        steps.append({"name": name.split(".")[0], **payload})
    return steps


def test_opencode_hands_on_what_happens_in_order(calls, tmp_path):
    plugin = installed("opencode", "stash.js")
    names = ["event.session.created", "hook.chat.message", "hook.tool.execute.before", "hook.tool.execute.after",
             "event.message.updated.user", "event.message.part.updated", "event.session.status", "event.session.idle",
             "event.session.compacted", "event.session.deleted"]  # fmt: skip
    told = run(OPENCODE, plugin, opencode_steps(tmp_path, *names), calls, cwd=tmp_path)

    assert {answer["answer"] for answer in told} == {None}
    made = called(calls)
    assert [event for event, _, _ in made] == [
        "session.created", "chat.message", "tool.execute.before", "tool.execute.after", "message.part.updated",
        "session.idle", "session.compacted", "session.deleted",
    ]  # fmt: skip
    assert {folder for _, folder, _ in made} == {str(tmp_path)}
    assert {body["hook"] for _, _, body in made} == {event for event, _, _ in made}
    prompt = made[1][2]
    assert prompt["output"]["parts"][0]["text"].endswith("☕") or "é" in json.dumps(prompt, ensure_ascii=False)
    assert made[3][2]["turn"] == prompt["output"]["message"]["id"]


def test_the_real_hook_keeps_what_a_plugin_hands_on(calls, tmp_path):
    plugin = installed("opencode", "stash.js")
    accounts.save(
        accounts.load().with_account(Account("lab", "http://127.0.0.1:9", "k", "m", "laptop", "dana", "harbour"))
    )
    place = checkout_of(str(calls), "m").place
    consent.save(consent.load().with_connection(Connection("lab", place)))
    hookscript.write()
    run(OPENCODE, plugin, opencode_steps(calls, "hook.chat.message", "event.session.idle"), calls, cwd=calls)
    kept = [path for path in (home.folder() / "inbox").iterdir() if not path.name.startswith(".")]
    said = [path.read_text() for path in sorted(kept, key=lambda path: path.stat().st_mtime_ns)]
    assert [json.loads(record.split("\n\n", 1)[1])["hook"] for record in said] == ["chat.message", "session.idle"]
    assert all("harness=opencode\n" in record and f"cwd={calls}\n" in record for record in said)


def test_opencode_tells_a_tool_that_threw_and_says_whose_a_child_is(calls, tmp_path):
    plugin = installed("opencode", "stash.js")
    part = {"id": "p", "sessionID": "ses_ba7a99277ba9ffe79895e93fda", "type": "tool", "state": {"status": "error"}}
    failed = {"name": "event", "event": {"type": "message.part.updated", "properties": {"part": part}}}
    steps = [*opencode_steps(tmp_path, "event.session.created.subagent"), failed]
    run(OPENCODE, plugin, steps, calls, cwd=tmp_path)
    event, _, body = called(calls)[1]
    assert (event, body["parentID"]) == ("message.part.updated", "ses_d337ad990003ffefb2c7b13ce3")


def test_opencode_puts_the_briefing_before_every_request_and_asks_once(calls, tmp_path):
    plugin = installed("opencode", "stash.js")
    steps = opencode_steps(tmp_path, *["hook.experimental.chat.system.transform"] * 2)
    told = run(OPENCODE, plugin, steps, calls, cwd=tmp_path, answer='{"context": "what we know"}')
    assert [answer["output"]["system"][-1] for answer in told] == ["what we know"] * 2
    assert len(called(calls)) == 1


def test_opencode_hands_on_what_waits_when_its_process_ends(calls, tmp_path):
    plugin = installed("opencode", "stash.js")
    names = ["event.session.created", "hook.chat.message", "hook.tool.execute.after", "event.session.idle"]
    run(OPENCODE + "process.exit(0)", plugin, opencode_steps(tmp_path, *names), calls, cwd=tmp_path)
    until = time.monotonic() + 20
    while len(called(calls)) < 4 and time.monotonic() < until:
        time.sleep(0.05)
    assert [event for event, _, _ in called(calls)] == [
        "session.created",
        "chat.message",
        "tool.execute.after",
        "session.idle",
    ]


@pytest.mark.parametrize("fault", ["missing", "failing", "deaf"])
def test_opencode_never_notices_a_hook_that_does_not_work(calls, tmp_path, fault):
    plugin = installed("opencode", "stash.js")
    hook = tmp_path / "stash" / "bin" / "stash-hook"
    if fault == "missing":
        hook.unlink()
    else:
        hook.write_text("#!/bin/sh\nexit 3\n" if fault == "failing" else "#!/bin/sh\nexec sleep 2\n")
    names = ["event.session.created", "hook.experimental.chat.system.transform", "event.session.idle"]
    steps = [*opencode_steps(tmp_path, *names), {"name": "event"}, {"name": "chat.message"}]
    told = run(OPENCODE, plugin, steps, calls, cwd=tmp_path)
    assert [answer["answer"] for answer in told] == [None] * 5
    assert told[1]["output"]["system"] == ["(provider prompt)", "(environment block)"]


def test_openclaw_hands_on_what_happens_once_the_folder_is_known(calls, tmp_path):
    plugin = installed("openclaw", "index.js")
    names = ["session_start", "before_prompt_build", "before_message_write.user", "before_tool_call",
             "after_tool_call.exec_failing", "before_message_write.assistant", "agent_end", "session_end"]  # fmt: skip
    told = run(OPENCLAW, plugin, openclaw_steps(tmp_path, *names), calls, cwd=tmp_path)

    assert [answer["promised"] for answer in told] == [name == "before_prompt_build" for name in names]
    assert {json.dumps(answer["answer"]) for answer in told} == {"null"}
    made = [(event, body) for event, folder, body in called(calls) if folder == str(tmp_path)]
    assert [event for event, _ in made if event != "before_prompt_build"] == [
        "session_start", "before_message_write", "before_tool_call", "after_tool_call", "before_message_write",
        "agent_end", "session_end",
    ]  # fmt: skip
    for event, body in made:
        assert body["hook"] == event
        assert body["ctx"]["sessionId"] == "ce183f09-256d-4f09-a93a-4df0c23f2a9e"


def test_openclaw_adds_the_briefing_to_the_prompt(calls, tmp_path):
    plugin = installed("openclaw", "index.js")
    steps = openclaw_steps(tmp_path, "before_prompt_build", "before_prompt_build")
    told = run(OPENCLAW, plugin, steps, calls, cwd=tmp_path, answer='{"appendSystemContext": "what we know"}')
    assert [answer["answer"] for answer in told] == [{"appendSystemContext": "what we know"}] * 2
    assert len(called(calls)) == 1


@pytest.mark.parametrize("fault", ["missing", "failing"])
def test_openclaw_never_notices_a_hook_that_does_not_work(calls, tmp_path, fault):
    plugin = installed("openclaw", "index.js")
    hook = tmp_path / "stash" / "bin" / "stash-hook"
    hook.unlink() if fault == "missing" else hook.write_text("#!/bin/sh\nexit 3\n")
    steps = [*openclaw_steps(tmp_path, "before_prompt_build", "agent_end"), {"name": "session_start"}]
    told = run(OPENCLAW, plugin, steps, calls, cwd=tmp_path)
    assert [answer["answer"] for answer in told] == [None] * 3


def test_openclaw_finds_the_plugin_as_it_wants_it(calls, person):
    folder = Path(installed("openclaw", "index.js")).parent
    manifest, package = (json.loads((folder / name).read_text()) for name in ("openclaw.plugin.json", "package.json"))
    config = json.loads((person / ".openclaw" / "openclaw.json").read_text())
    assert config["plugins"]["entries"][manifest["id"]]["hooks"] == {"allowConversationAccess": True}
    assert [(folder / entry).exists() for entry in package["openclaw"]["extensions"]] == [True]
    assert manifest["configSchema"]["type"] == "object"
