"""Consent, the marker, and sessions that ran here and never came."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator

from stash_client import connecting, recent
from stash_client.checkout import checkout_of
from stash_client.doctor.findings import NOTE, Check, Finding
from stash_client.history import finding
from stash_client.history.ledger import Ledger
from stash_client.standing import Standing

_LOOK_BACK = 7 * 24 * 3600
_STILL_COMING = 120
_MOST_FILES = 200


def paused(now: Standing) -> Iterator[Finding]:
    if now.paused:
        end = f"until {now.until:%Y-%m-%d %H:%M} UTC" if now.until else "until somebody resumes it"
        yield Finding("paused", f"Capture is paused {end}.", fix="stash resume", weight=NOTE)


def consented(now: Standing) -> Iterator[Finding]:
    known = {account.label for account in now.known.all}
    for connection in now.consents.connections:
        if connection.server not in known:
            what = f"{connection.name or connection.place or 'Everything'} goes to a server you are not signed in to."
            yield Finding("no_account", what, connection.server, "stash signin, or stash disconnect there")
    if now.connection is None and now.known.all and now.checkout.is_git:
        why = "You said no." if now.refused else ""
        yield Finding("not_connected", "Nothing is captured in this repository.", why, "stash connect", weight=NOTE)


def marked(now: Standing) -> Iterator[Finding]:
    marker = now.marker
    if marker.fault:
        fix = "Mend the file; until then sessions here are kept without any text."
        yield Finding("capture_policy", "The capture policy of this repository is malformed.", marker.fault, fix)
    if now.connection is None or now.account is None:
        return
    if marker.server and not connecting.same_server(marker.server, now.account.url):
        what = "The marker of this repository names another server than the one you agreed to; nothing goes there."
        yield Finding("other_server", what, f"{marker.server}, yours is {now.account.url}", weight=NOTE)
    elif marker.project and now.connection.project and marker.project != now.connection.project:
        what = "The marker of this repository names another project than the one you agreed to; it is not used."
        fix = "To look at it and agree anew: stash connect"
        yield Finding(
            "other_project", what, f"{marker.name or marker.project}, yours is {now.connection.slug}", fix, NOTE
        )


def never_captured(now: Standing) -> Iterator[Finding]:
    """Sessions of the last days that agents kept on this machine for this checkout and that no hook told of."""
    if now.connection is None or now.account is None:
        return
    came = {(one.harness, one.native_id) for one in recent.all_recent()}
    missing = sorted({name for name in _ran_here(now) if name not in came})
    if missing:
        shown = ", ".join(f"{harness} {native_id[:12]}" for harness, native_id in missing[:4])
        more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
        what = f"{len(missing)} session{'s' * (len(missing) > 1)} ran here in the last week and never came."
        yield Finding(
            "never_captured", what, shown + more, "stash agents shows who is wired; stash import brings them."
        )


def _ran_here(now: Standing) -> Iterator[tuple[str, str]]:
    place, brought = now.checkout.place, Ledger()
    places: dict[str, str] = {}
    for number, (source, found) in enumerate(finding.files(since=time.time() - _LOOK_BACK)):
        if number >= _MOST_FILES or found.mtime_ns / 1e9 > time.time() - _STILL_COMING:
            continue
        if brought.has(found, place):
            continue
        try:
            sessions = finding.sessions_in(source, found.path)
        except (OSError, sqlite3.Error):
            continue
        for session in sessions:
            folder = session.cwd or ""
            if folder and "/" not in session.native_id and os.path.isdir(folder):
                if folder not in places:
                    places[folder] = checkout_of(folder, "").place
                if places[folder] == place:
                    yield found.harness, session.native_id


CHECKS: tuple[Check, ...] = (paused, consented, marked, never_captured)
