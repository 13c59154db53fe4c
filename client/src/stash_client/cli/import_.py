"""``stash import``: the history of this machine's agents."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
import webbrowser
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from datetime import datetime, timezone

from stash_client import accounts, api, client_config, consent
from stash_client.checkout import Checkout
from stash_client.cli.output import NOT_ALLOWED, UNREACHABLE, Failed, Output
from stash_client.events import SessionInfo
from stash_client.harnesses import HARNESSES
from stash_client.history import plan as planning
from stash_client.history.card import Card
from stash_client.history.ledger import Ledger
from stash_client.history.plan import Job, Plan
from stash_client.history.progress import Progress, size
from stash_client.history.reading import Wishes
from stash_client.history.workers import Done
from stash_client.history.workers import run as run_workers
from stash_client.ids import canonical_harness

_AGO = re.compile(r"(\d+)\s*([dhwm])")
_SECONDS = {"h": 3600, "d": 86400, "w": 7 * 86400, "m": 30 * 86400}

EXAMPLES = ("stash import --dry-run", "stash import --harness claude-code --since 30d", "stash import --project .")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--harness", action="append", default=[], help="only this agent's; may be repeated")
    parser.add_argument("--since", default="", help="30d, 2w, 6m or a date: only files changed since")
    parser.add_argument("--project", default="", help="a folder, or the name of a connected project")
    parser.add_argument("--dry-run", action="store_true", help="show what would be imported")
    parser.add_argument("--share", action="store_true", help="visible as the connection says, instead of private")
    parser.add_argument("--thinking", action="store_true", help="with what the models thought")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)")
    parser.add_argument("--patience", type=float, default=300, help="seconds to wait for a server that is away")
    parser.add_argument("--open", action="store_true", help="open the sessions in the browser afterwards")


def run(chosen: Namespace, out: Output) -> int:
    signed_in = accounts.load()
    if signed_in.main is None:
        raise Failed(
            "This machine is not signed in.", hint="Run: stash signin URL", code="not_signed_in", exit_code=NOT_ALLOWED
        )
    ledger = Ledger()
    plan = _plan(chosen, out, ledger, signed_in.main.machine)
    jobs = plan.jobs()
    if chosen.dry_run or not jobs:
        out.result(_as_json(plan), *_overview(plan, out), *([] if jobs else ["", "Nothing new to import."]))
        return 0
    out.say(*_overview(plan, out), "")
    if not out.ask(f"Import {_new(plan)} sessions?", default=True):
        return 0
    card, fault = _import(jobs, {a.label: a for a in signed_in.all}, chosen, out, ledger)
    out.result({**card.as_json(), "unreachable": fault}, *card.lines(private=not chosen.share))
    _show(chosen, out, signed_in.main)
    if fault:
        out.aside(f"Stopped: {fault}.\nRun stash import again: it goes on here.")
        return UNREACHABLE
    return 1 if card.incomplete or card.rejected else 0


def _plan(chosen: Namespace, out: Output, ledger: Ledger, machine: str) -> Plan:
    harnesses = [canonical_harness(name) for name in chosen.harness]
    unknown = [name for name in harnesses if name not in HARNESSES]
    if unknown:
        raise Failed(f"No agent is called {unknown[0]!r}.", hint=f"Known: {', '.join(sorted(HARNESSES))}.")
    return planning.make(
        consents=consent.load(),
        ledger=ledger,
        machine=machine,
        harnesses=harnesses,
        since=since(chosen.since),
        wanted=_scope(chosen.project),
        tell=_looking(out),
    )


def _looking(out: Output) -> Callable[[int], None]:
    """Shows how many files were looked at, where somebody looks on; with thousands of them it takes a while."""
    if out.as_json or not sys.stderr.isatty():
        return lambda files: None

    def tell(files: int) -> None:
        if files % 50 == 0:
            print(f"\r{files} session files looked at", end="\r", file=sys.stderr, flush=True)

    return tell


def since(text: str) -> float:
    """Seconds since 1970 for ``30d`` (h, d, w, m for months of 30 days) or a date. Raises Failed."""
    if not text:
        return 0
    if ago := _AGO.fullmatch(text.strip()):
        return time.time() - int(ago.group(1)) * _SECONDS[ago.group(2)]
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        raise Failed(f"{text!r} is no time.", hint="Write 30d, 2w or a date as 2026-11-30.") from None
    return (at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp()


def _scope(project: str) -> planning.Wanted:
    """A folder where it looks like one or exists, else the name of a connected project."""
    if not project:
        return lambda session, checkout: True
    if os.sep in project or project.startswith((".", "~")) or os.path.isdir(project):
        inside = planning.scope_of(project)
        return lambda session, checkout: bool(session.cwd) and inside(session.cwd or "")
    consents = consent.load()

    def named(session: SessionInfo, checkout: Checkout) -> bool:
        connection = consents.for_checkout(checkout)
        return connection is not None and project in (connection.slug, connection.name, checkout.name)

    return named


def _import(
    jobs: list[Job], known: dict[str, accounts.Account], chosen: Namespace, out: Output, ledger: Ledger
) -> tuple[Card, str]:
    """(what came of it, why it stopped early or "")."""
    card, fault = Card(), ""
    for account in known.values():
        with contextlib.suppress(api.Unreachable, api.Refused, OSError):
            client_config.refresh(account)
    wishes = Wishes(chosen.thinking, chosen.share, chosen.patience)
    progress = Progress(out, sum(job.found.size for job in jobs), len(jobs))
    try:
        for message in run_workers(jobs, known, wishes, workers=chosen.workers):
            if not isinstance(message, Done):
                progress.add(message.size)
                continue
            card.add(message.tally)
            if message.complete:
                ledger.finished(message.job.found, message.job.allowed)
            progress.finished_file()
    except api.Unreachable as unreachable:
        fault = str(unreachable)
    finally:
        progress.end()
    return card, fault


def _new(plan: Plan) -> int:
    return sum(folder.sessions - folder.done for folder in plan.wanted)


def _overview(plan: Plan, out: Output) -> list[str]:
    found = ", ".join(f"{n} of {HARNESSES[name].label}" for name, n in sorted(plan.harnesses.items()))
    lines = [f"Sessions on this machine: {found or 'none found'}."]
    rows = [
        (f"  {folder.name}", f"{folder.sessions - folder.done} new", f"{folder.done} known", size(folder.size))
        for folder in sorted(plan.wanted, key=lambda f: -f.sessions)
    ]
    lines += out.table(rows)
    if plan.left_out:
        lines += ["", "Left out, because nobody connected them (stash connect, in the folder):"]
        rows_out = [(f"  {folder.place or folder.name}", f"{folder.sessions} sessions") for folder in plan.left_out]
        lines += out.table(rows_out[:20])
        lines += [f"  and {len(rows_out) - 20} more folders"] if len(rows_out) > 20 else []
    lines += [f"Cannot be read: {path} ({reason})" for path, reason in plan.unreadable]
    return lines


def _as_json(plan: Plan) -> dict[str, object]:
    def told(folder: planning.Folder) -> dict[str, object]:
        return {"name": folder.name, "place": folder.place, "sessions": folder.sessions,
                "known": folder.done, "bytes": folder.size}  # fmt: skip

    return {
        "harnesses": plan.harnesses,
        "import": [told(folder) for folder in plan.wanted],
        "not_connected": [told(folder) for folder in plan.left_out],
        "unreadable": [{"file": path, "reason": reason} for path, reason in plan.unreadable],
    }


def _show(chosen: Namespace, out: Output, account: accounts.Account) -> None:
    if not account.team:
        return
    url = f"{account.url}/t/{account.team}/sessions/?by={account.user}"
    out.say("", f"See them: {url}")
    if chosen.open:
        webbrowser.open(url)
