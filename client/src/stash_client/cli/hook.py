"""``stash hook``: never breaks the agent. Whatever happens, exit 0 and print nothing; faults are kept in a file."""

from __future__ import annotations

import subprocess
import sys
import traceback
from argparse import ArgumentParser, Namespace

from stash_client import accounts, inbox
from stash_client.cli.output import Output


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("harness")
    parser.add_argument("event", nargs="?", default="")


def run(chosen: Namespace, out: Output) -> None:
    try:
        payload = sys.stdin.buffer.read()
        if accounts.load().main is not None:
            inbox.put({"harness": chosen.harness, "event": chosen.event}, payload)
            _send_detached()
    except Exception:
        inbox.note_fault(traceback.format_exc())


def _send_detached() -> None:
    command = [sys.executable, "-m", "stash_client", "send"]
    nowhere = subprocess.DEVNULL
    subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)
