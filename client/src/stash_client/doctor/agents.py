"""Whether the agents on this machine call Stash: all of them, once, and a script that is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from stash_client import wiring
from stash_client.doctor.findings import NOTE, Check, Finding
from stash_client.standing import Standing
from stash_client.wiring import State
from stash_client.wiring.agents import DOUBLE, NOT, PARTLY, UNREADABLE, WIRED

_HOOK = re.compile(r"""((?:[A-Za-z]:)?[/\\~][^\s"'`|;]*stash-hook(?:\.cmd|\.exe)?)""")


def wired(now: Standing) -> Iterator[Finding]:
    if not now.known.all:
        return
    for agent in wiring.detected():
        state = wiring.state(agent.harness)
        yield from _standing(agent.label, state)
        yield from _lost(agent.label, state)


def _standing(label: str, state: State) -> Iterator[Finding]:
    where = ", ".join(state.files)
    if state.wiring in (NOT, PARTLY):
        what = f"{label} is {'not wired' if state.wiring == NOT else 'wired in part'}; its sessions are not captured."
        yield Finding("not_wired", what, where, state.todo, weight=NOTE if state.wiring == NOT else "trouble")
    elif state.wiring == DOUBLE:
        what = f"{label} calls Stash twice for one event."
        yield Finding("double_hooks", what, where, state.todo, mend=lambda: _rewire(state.harness))
    elif state.wiring == UNREADABLE:
        yield Finding("settings_unreadable", f"The settings of {label} could not be read surely.", where, state.todo)
    elif state.trusted is False:
        what = f"{label} is wired, but no event of it has come: it may not trust the commands yet."
        yield Finding("untrusted_hooks", what, where, state.todo)
    if state.also and state.wiring == WIRED:
        others = ", ".join(wiring.INSTALLERS[name].label for name in state.also)
        what = f"{label} also reads the hooks of {others}; the server knows such pairs and keeps one."
        yield Finding("also_reads", what, where, weight=NOTE)


def _rewire(harness: str) -> str:
    wiring.apply(wiring.removal(harness))
    wiring.apply(wiring.plan(harness))
    return "Wired it once."


def _lost(label: str, state: State) -> Iterator[Finding]:
    """Paths of a hook script that is no longer there: an older installation, or another home folder."""
    gone = set()
    for name in state.files:
        try:
            text = Path(name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        gone |= {path for path in _HOOK.findall(text) if not Path(path).expanduser().exists()}
    if gone:
        what = f"{label} calls a script that is not there."
        fix = f"stash hooks uninstall {state.harness}, then stash hooks install {state.harness}"
        yield Finding("hook_gone", what, ", ".join(sorted(gone)), fix, mend=lambda: _rewire(state.harness))


CHECKS: tuple[Check, ...] = (wired,)
