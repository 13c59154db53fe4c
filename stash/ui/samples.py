"""Made-up content of the gallery: a harbour, its ferries and the people who write their software."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

KEY_ERROR = "This key is too short. Paste the whole line."
VISIBILITY = [("private", "Only me"), ("project", "Everybody who can see the project")]
SURFACES = ["canvas", "surface", "sunken", "line", "line-2", "control", "ink-3", "ink-2", "ink"]
SIGNALS = ["accent", "accent-soft", "ok", "warn", "bad"]
TRACE = "prtttssssretfeterterptfteterttctrteertw"
RAIL = {
    "badges": {"needs_you": 2, "running": 6, "handoffs": 3},
    "projects": [
        {"name": "ferry-api", "url": "#", "running": 2},
        {"name": "tidewatch", "url": "#", "running": 2},
        {"name": "quay-web", "url": "#", "running": 2},
        {"name": "harbour-infra", "url": "#", "running": 0},
    ],
}


def safe(html: str) -> SafeString:
    return mark_safe(html)  # noqa: S308 - constants of this file


def _row(kind: str, old: int | None, new: int | None, html: str) -> dict[str, Any]:
    return {"kind": kind, "old": old, "new": new, "html": safe(html)}


DIFF = {
    "files": [
        {
            "path": "payments/webhooks.py",
            "hunks": [
                {
                    "header": "@@ −31,7 +31,9 @@ def handle_charge_succeeded",
                    "rows": [
                        _row("same", 31, 31, "@transaction.atomic"),
                        _row("same", 32, 32, "def handle_charge_succeeded(event: dict) -> None:"),
                        _row("del", 33, None, '    booking = Booking.objects<del>.get(ref=event["booking_ref"])</del>'),
                        _row("del", 34, None, "    if <del>booking.paid_at is None</del>:"),
                        _row("add", None, 33, "    booking = <ins>(</ins>"),
                        _row("add", None, 34, "        Booking.objects"),
                        _row(
                            "add",
                            None,
                            35,
                            '        <ins>.select_for_update(<mark class="current">of=</mark>("self",))</ins>',
                        ),
                        _row("add", None, 36, '        .get(ref=event["booking_ref"])'),
                        _row("add", None, 37, "    )"),
                        _row("same", 37, 38, '    audit.record("charge.succeeded", booking, event["id"])'),
                    ],
                }
            ],
        }
    ]
}
OUTPUT = {
    "head": safe(
        "..F                                                                  [100%]\n"
        "<b>____________________ test_retry_while_first_is_in_flight ____________________</b>"
    ),
    "folded": 46,
    "middle": "…",
    "tail": safe(
        '<span class="err">E   django.db.utils.NotSupportedError: FOR UPDATE cannot be applied to the\n'
        "E   nullable side of an outer join</span>\n"
        "payments/tests/test_webhooks.py:88: NotSupportedError\n1 failed, 2 passed in 3.41s"
    ),
}
CALLS = [
    {"icon": "search", "name": "Grep", "argument": "mark_paid\\(", "result": "6 matches", "state": "passed", "ms": 200},
    {
        "icon": "file-text",
        "name": "Read",
        "file": "payments/webhooks.py",
        "result": "1–140",
        "state": "passed",
        "ms": 90,
    },
    {
        "icon": "file-text",
        "name": "Read",
        "file": "booking/models.py",
        "result": "210–288",
        "state": "passed",
        "ms": 80,
    },
]
REPLY = safe(
    "<p>Two workers can both pass the <code>paid_at is None</code> check before either commits. In order:</p>"
    "<ol><li>reproduce it with two connections,</li><li>lock the booking with <code>select_for_update</code>,</li>"
    "<li>let a unique <code>charge_id</code> on <code>Receipt</code> decide who won.</li></ol>"
)
CODE_REPLY = safe(
    "<p>Tests pass and the commit is pushed. I’d build the index concurrently:</p>"
    '<pre class="hl" tabindex="0"><code><span class="k">class</span> Migration(migrations.Migration):\n'
    '    atomic = <span class="kc">False</span>  <span class="c1"># refuses a transaction</span>\n'
    '    operations = [AddIndexConcurrently(<span class="s2">"receipt"</span>, Receipt.by_charge)]</code></pre>'
)
ASK = {"agent": "claude-code", "branch": "fix/webhook-retry", "machine": "mbp-mara", "resume": "claude --resume 7f3c"}


def session(now: datetime) -> dict[str, Any]:
    kinds = [("all", "All", True), ("prompt", "Prompts", False), ("reply", "Replies", False), ("edit", "Edits", False)]
    return {
        "title": "Stop double receipts on webhook retry",
        "at": now - timedelta(minutes=64),
        "since": now - timedelta(minutes=4),
        "tape": "prssssssterreteffttertetefteterttttteprtrtttfrtfertttteertefttttterteeftttterrtteteftttprssstf"
        + TRACE,
        "kinds": [{"value": v, "label": label, "url": "#", "current": on} for v, label, on in kinds]
        + [{"value": "failed", "label": "Failures", "url": "#", "count": 9, "glyph": "failed"}],
        "prompt_html": safe(
            "<p>The retry still creates a second receipt if the first webhook is in flight. Lock the booking row, and "
            "make the receipt the thing that decides. Don’t touch the partner endpoints.</p>"
        ),
        "reply_html": REPLY,
        "code_html": CODE_REPLY,
        "calls": CALLS,
        "report": safe(f"<p>Three callers. The default manager adds <code>{escape('select_related()')}</code>.</p>"),
        "output": OUTPUT,
        "diff": DIFF,
        "ask": ASK,
        "files": [
            {"path": "payments/webhooks.py", "added": 11, "removed": 4},
            {"path": "payments/migrations/0031_charge_uniq.py", "added": 18},
            {"path": "payments/tests/integration/test_webhooks.py", "added": 47, "removed": 13},
        ],
        "commands": [
            {"text": "uv run pytest payments", "state": "passed", "times": 7},
            {"text": "uv run pytest payments/tests/test_webhooks.py -x -q", "state": "failed", "times": 9},
            {"text": "manage.py migrate", "state": "needs_you", "times": 1},
        ],
        "facts": [
            ("Machine", "mbp-mara", True),
            ("Tokens", "1.2 M in, 48 k out", False),
            ("Visibility", "ferry-api", False),
        ],
        "turns": [
            {"number": 1, "words": "The partner says some guests got two receipts", "at": now, "tools": 22},
            {"number": 104, "words": "The retry still creates a second receipt", "at": now, "tools": 9, "failures": 1},
        ],
    }


def _listed(now: datetime, line: tuple[Any, ...]) -> dict[str, Any]:
    status, title, project, branch, person, agent, tail, files, minutes, ago, doing = line
    return {
        "status": status,
        "title": title,
        "project": project,
        "branch": branch,
        "person": person,
        "mine": person.startswith("Mara"),
        "agent": agent,
        "tail": tail,
        "files": files,
        "length": minutes * 60,
        "at": now - timedelta(seconds=ago),
        "doing": doing,
        "url": "#",
    }


# fmt: off
LISTED = [
    ("needs_you", "Stop double receipts on webhook retry", "ferry-api", "fix/webhook-retry", "Mara Lindqvist",
     "claude-code", "sssrtfteteetrtptetrteftrctrteertw", 5, 60, 250, "Waiting for permission"),
    ("working", "Partial refunds for cancelled crossings", "ferry-api", "feat/partial-refunds", "Mara Lindqvist",
     "claude-code", "pttrtteertftteterttrteertetrtee", 11, 48, 2, "Editing payments/refunds.py"),
    ("working", "Backfill tide readings by month", "tidewatch", "feat/monthly-parts", "Tomás Oyelaran",
     "codex", "ertttetttttetttttttttttttttttttt", 4, 125, 1, "Copying 2025-08, part 41 of 60"),
    ("working", "Timetable grid: keyboard selection with a title that is far too long for its column in any list",
     "quay-web", "feat/grid-keys-and-roving-focus", "Jun Takeda", "claude-code", "prttrpttetrteeptertefttrt", 8, 40,
     4, "Reading src/grid/useRovingFocus.ts"),
    ("failed", "Nightly: flaky test triage", "ferry-api", "main", "Mara Lindqvist", "codex", "prttftfttfttf", 0, 14,
     2340, "Stopped, rate limit at 13:52"),
    ("idle", "Rotate the object-store keys", "harbour-infra", "ops/rotate-keys", "Elif Sorensen", "claude-code",
     "prttrtttptte", 2, 91, 3060, "Idle, last prompt 13:40"),
    ("done", "Seed data for the harbour demo", "ferry-api", "chore/demo-seed", "Mara Lindqvist", "codex",
     "prtteetetterttet", 6, 35, 5000, "Finished, 2 commits pushed"),
    ("ended", "Try a Rust port of the fare parser", "ferry-api", "spike/rust-fares", "Priya Nandakumar", "opencode",
     "prttteetftf", 7, 28, 100000, "Ended"),
]
# fmt: on


def lists(now: datetime) -> dict[str, Any]:
    return {
        "listed": [_listed(now, line) for line in LISTED],
        "ask": ASK,
        "since": now - timedelta(minutes=11),
        "checks": [
            {"state": "passed", "what": "Server", "seen": "https://stash.harbour.example", "end": "41 ms"},
            {"state": "passed", "what": "Key", "seen": "…d03b seen 20 s ago", "end": "200"},
            {"state": "passed", "what": "Claude Code hook", "seen": "~/.claude/settings.json, 5 hooks", "end": "ok"},
            {"state": "idle", "what": "First event", "seen": "nothing has arrived yet"},
        ],
    }
