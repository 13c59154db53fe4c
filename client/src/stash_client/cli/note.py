"""``stash note``: a remark into the session that runs here."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from stash_client.cli.here import running_here
from stash_client.cli.output import NOT_ALLOWED, USAGE, Failed, Output
from stash_client.emitting import Emitter, folder_of

EXAMPLES = ('stash note "The flaky test is the clock, not the network."', "git log -1 --format=%s | stash note -")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("text", nargs="+", help="what to remember; - reads it from stdin")


def run(chosen: Namespace, out: Output) -> None:
    """It goes the way of the hooks: kept here at once, cleaned, sent when the server can be reached."""
    text = sys.stdin.read() if chosen.text == ["-"] else " ".join(chosen.text)
    if not text.strip():
        raise Failed("There is nothing to note.", code="usage", exit_code=USAGE)
    here, folder, emitter = running_here(), folder_of(None), Emitter()
    if obstacle := emitter.obstacle(folder):
        raise Failed(f"{obstacle}.", hint="Run: stash connect", code="not_connected", exit_code=NOT_ALLOWED)
    fields = {"session": here.native_id, "event": "note", "name": "note", "text": text.strip()}
    emitter.put(here.harness, fields, folder)
    out.result(
        {
            "harness": here.harness,
            "native_id": here.native_id,
            "session": here.session or None,
            "url": here.url or None,
        },
        f"Noted in the {here.harness} session{f' {here.url}' if here.url else ''}.",
    )
