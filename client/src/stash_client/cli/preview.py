"""``stash preview``: what would be sent of the last session here, before anything is; redactions stand out."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from stash_client import accounts, consent, previewing
from stash_client.api.event import Event
from stash_client.checkout import checkout_of
from stash_client.cli.moments import counted
from stash_client.cli.output import NOT_FOUND, Failed, Output, plain
from stash_client.cli.rendering import event_lines
from stash_client.consent import Connection
from stash_client.previewing import REDACTED, Preview

_USUAL = 40
_WHERE = "Run it in the repository where an agent has worked; stash agents shows which agents Stash knows here."

EXAMPLES = ("stash preview", "stash preview --full", "stash preview --json")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--full", action="store_true", help="every event, and texts whole")


def run(chosen: Namespace, out: Output) -> None:
    main = accounts.load().main
    checkout = checkout_of(os.getcwd(), main.machine if main else "")
    connection = consent.load().for_checkout(checkout)
    preview = previewing.last(checkout, connection)
    if preview is None:
        name = checkout.name or checkout.place
        raise Failed(
            f"No session that ran in {name} was found.", hint=_WHERE, code="no_session_here", exit_code=NOT_FOUND
        )
    out.result(_facts(preview, connection), *_lines(chosen, out, preview, connection))


def _facts(preview: Preview, connection: Connection | None) -> dict[str, object]:
    return {
        "source": preview.source,
        "path": preview.path or None,
        "would_be_sent": connection is not None,
        "session": preview.session,
        "events": preview.events,
        "redactions": dict(preview.redactions),
        "policy": preview.policy.to_mapping(),
    }


def _lines(chosen: Namespace, out: Output, preview: Preview, connection: Connection | None) -> list[str]:
    shown = preview.events if chosen.full else preview.events[-_USUAL:]
    lines = [out.styled(_head(preview), "bold"), plain(_fate(connection))]
    if preview.policy.to_mapping():
        lines.append("The capture policy of this repository is applied.")
    if len(shown) < len(preview.events):
        lines.append(f"The last {len(shown)} of {counted(len(preview.events), 'event')}; all: stash preview --full")
    for number, wire in enumerate(shown, len(preview.events) - len(shown) + 1):
        event = Event.from_wire({"seq": number, "number": number, **wire})
        lines += [_marked(line, out) for line in event_lines(event, out, full=chosen.full)]
    return [*lines, "", _counts(preview)]


def _head(preview: Preview) -> str:
    session = preview.session
    of = f"{session.get('harness', '')} {str(session.get('native_id', ''))[:12]}"
    return plain(f"{of}, from {preview.source}{f' ({preview.path})' if preview.path else ''}")


def _fate(connection: Connection | None) -> str:
    if connection is None:
        return "This repository is not connected: nothing of this is sent. If it were, it would look like this."
    whom = "only you can read it" if connection.visibility == "private" else "its project can read it"
    return f"It goes to {connection.server}; {whom}."


def _marked(line: str, out: Output) -> str:
    return REDACTED.sub(lambda found: out.styled(found.group(), "yellow"), line)


def _counts(preview: Preview) -> str:
    found = preview.redactions
    if not found:
        return "Nothing was found that had to be taken out."
    types = ", ".join(f"{count} {what}" for what, count in found.most_common())
    return f"Taken out: {types}."
