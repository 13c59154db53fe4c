"""``stash emit``: events of any agent, as JSON lines on stdin."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Any

from stash_client.cli.output import FAILED, NOT_ALLOWED, Output
from stash_client.emitting import Emitter, folder_of
from stash_client.harnesses.emitted import kind_of, problem_of

EXAMPLES = (
    """echo '{"session": "run-17", "event": "prompt", "text": "Which are flaky?"}' | stash emit --harness my-agent""",
    "my-agent --events | stash emit --harness my-agent",
)
_MOST_BYTES = 64 * 1024 * 1024
_MOST_TOLD = 1000


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--harness", metavar="NAME", default="", help='the agent\'s name; or "harness" in each line')
    parser.add_argument("--cwd", metavar="FOLDER", help='where it works; or "cwd" in a line (the folder it runs in)')
    parser.add_argument("--session", metavar="ID", default="", help='for lines that have no "session" of their own')


def run(chosen: Namespace, out: Output) -> int:
    """A line that is wrong is named by its number and holds up nothing behind it."""
    emitter, rejected, number, blocked = Emitter(), [], 0, False
    defaults = {"harness": chosen.harness, "session": chosen.session, "cwd": chosen.cwd or ""}
    while line := sys.stdin.buffer.readline(_MOST_BYTES):
        number += 1
        problem, code = _take(line, emitter, defaults)
        if problem:
            blocked = blocked or code == "not_connected"
            out.aside(f"line {number}: {problem}")
            rejected.append({"line": number, "code": code, "detail": problem})
    emitter.wake(now=True)
    told = {"accepted": emitter.kept, "rejected": len(rejected), "problems": rejected[:_MOST_TOLD]}
    out.result(told, f"{emitter.kept} kept, {len(rejected)} rejected" if rejected else f"{emitter.kept} kept")
    return NOT_ALLOWED if blocked and not emitter.kept else FAILED if rejected else 0


def _take(line: bytes, emitter: Emitter, defaults: Mapping[str, str]) -> tuple[str, str]:
    """("", "") when it is kept or empty; else what is wrong, and its code."""
    text = line.decode("utf-8", "replace").lstrip("\ufeff").strip()
    if not text:
        return "", ""
    try:
        told: Any = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return "not JSON", "not_json"
    if isinstance(told, dict):
        told = {**{name: value for name, value in defaults.items() if value}, **told}
    if problem := problem_of(told):
        return problem, "invalid_event"
    harness = told.pop("harness", "")
    if not isinstance(harness, str) or not harness:
        return 'no "harness": name the agent with --harness', "invalid_event"
    folder = folder_of(told.get("cwd") if isinstance(told.get("cwd"), str) else None)
    if obstacle := emitter.obstacle(folder):
        return f"{obstacle}: {folder}", "not_connected"
    emitter.put(harness, {**told, "event": kind_of(told["event"]), "cwd": folder}, folder)
    return "", ""
