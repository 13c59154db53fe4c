"""The ``stash`` command."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import traceback
from collections.abc import Sequence

from stash_client import __version__, account, api, inbox
from stash_client.checkout import checkout_of
from stash_client.cli.snippets import SNIPPETS
from stash_client.sender import drain
from stash_client.signin import NotSignedIn, sign_in


def main(argv: Sequence[str] | None = None) -> int:
    """Exit codes: 0 done, 1 could not be done (the reason is on stderr), 2 wrong words."""
    parser = argparse.ArgumentParser(prog="stash", description="Connects coding agents on this machine to Stash.")
    parser.add_argument("--version", action="version", version=__version__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    signin = verbs.add_parser("signin", help="sign this machine in; a person confirms in the browser")
    signin.add_argument("url", help="the server, as http://host:port")
    signin.add_argument("--name", help="what to call this machine")
    connect = verbs.add_parser("connect", help="let sessions in this repository be captured")
    connect.add_argument("--private", action="store_true", help="new sessions are for your eyes only")
    hooks = verbs.add_parser("hooks", help="show what to put into an agent's settings")
    hooks.add_argument("harness", choices=sorted(SNIPPETS))
    hook = verbs.add_parser("hook", help="called by an agent: keeps the payload on stdin and sends it")
    hook.add_argument("harness")
    hook.add_argument("event", nargs="?", default="")
    verbs.add_parser("send", help="send what waits")
    chosen = parser.parse_args(argv)
    return {"signin": _signin, "connect": _connect, "hooks": _hooks, "hook": _hook, "send": _send}[chosen.verb](chosen)


def _signin(chosen: argparse.Namespace) -> int:
    def tell(address: str, code: str) -> None:
        print(f"Open {address}\nand confirm the code {code}. Waiting ...", flush=True)

    try:
        signed_in = sign_in(chosen.url, tell=tell, machine_name=chosen.name)
    except (NotSignedIn, api.Unreachable, api.Refused) as error:
        print(f"Not signed in: {error}.", file=sys.stderr)
        return 1
    path = account.save(signed_in)
    print(f"Signed in as {signed_in.user} ({signed_in.team}); the key is in {path}.")
    print("Next, inside a repository: stash connect; then: stash hooks claude-code")
    return 0


def _connect(chosen: argparse.Namespace) -> int:
    mine = account.load()
    if mine is None:
        print("This machine is not signed in. Run: stash signin URL", file=sys.stderr)
        return 1
    where = checkout_of(os.getcwd(), mine.machine)
    wish = {"identities": list(where.identities), "visibility": "private" if chosen.private else "project"}
    try:
        api.post(f"{mine.url}/api/v1/projects/connect", wish, key=mine.key)
    except (api.Unreachable, api.Refused) as error:
        print(f"Not connected: {error}.", file=sys.stderr)
        return 1
    seen_by = "only you" if chosen.private else "everybody who can see the project"
    print(f"Connected {where.name or where.identities[0]}. New sessions here can be seen by {seen_by}.")
    return 0


def _hooks(chosen: argparse.Namespace) -> int:
    path, text = SNIPPETS[chosen.harness]
    print(f"Merge this into {path}:\n\n{text}")
    return 0


def _hook(chosen: argparse.Namespace) -> int:
    """Never breaks the agent: whatever happens, exit 0 and print nothing; what went wrong is kept in a file."""
    try:
        payload = sys.stdin.buffer.read()
        if account.load() is not None:
            inbox.put(chosen.harness, chosen.event, payload)
            _send_detached()
    except Exception:
        inbox.note_fault(traceback.format_exc())
    return 0


def _send_detached() -> None:
    command = [sys.executable, "-m", "stash_client", "send"]
    nowhere = subprocess.DEVNULL
    subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)


def _send(_: argparse.Namespace) -> int:
    drain()
    return 0
