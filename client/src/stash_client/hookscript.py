"""Writes ``bin/stash-hook``, the script agents call: plain POSIX sh, because any interpreter costs five times as much.

What it must know stands in it: the connected places as a case statement, and what agents want to read back. It is
written anew whenever consent, an account or the installation changes, and says the same for the same facts.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from stash_client import accounts, consent, home, waking
from stash_client.consent import Consents
from stash_client.events import SessionEnd
from stash_client.harnesses import HARNESSES, Harness, hook_answer, parse_hook
from stash_client.hook import PROJECT_VARIABLES

_TEMPLATE = Path(__file__).with_name("stash-hook.sh")
_MOST_LOOKS = 10
_MARK = re.compile("@([a-z]+)@")


def path() -> Path:
    return home.folder() / "bin" / "stash-hook"


def write() -> Path:
    """Bring the script up to date; agents find it whole at any moment. Raises OSError.

    Looks again afterwards: another process may have saved a consent that this one did not know when it began.
    """
    home.made("inbox")
    target = home.made("bin") / "stash-hook"
    for _ in range(_MOST_LOOKS):
        script = text().encode("utf-8", "surrogateescape")
        if _is(target, script):
            break
        partial = target.with_name(f".stash-hook.{os.getpid()}")
        with open(partial, "wb") as file:
            file.write(script)
        partial.chmod(0o755)
        os.replace(partial, target)
    return target


def _is(target: Path, script: bytes) -> bool:
    try:
        return target.read_bytes() == script and os.access(target, os.X_OK)
    except OSError:
        return False


def text() -> str:
    """The script for what is agreed to now. The environment's account is no agreement of tomorrow: left out."""
    consents = _of_this_machine(consent.stored())
    harnesses = HARNESSES.values()
    facts = {
        "home": quoted(os.path.abspath(home.folder())),
        "python": quoted(sys.executable),
        "library": quoted(waking.library()),
        "start": quoted(waking.START),
        "everything": "yes" if any(c.is_everything for c in consents.connections) else "",
        "anything": "yes" if consents.connections else "",
        "places": _lines(_places(consents)),
        "project": " ".join(f'"${name}"' for name in PROJECT_VARIABLES),
        "answers": _lines(_answers(harnesses)),
        "injecting": _patterns((h.name, e) for h in harnesses for e in sorted(h.injects)),
        "ending": _patterns((h.name, e) for h in harnesses for e in h.events if ends(h, e)),
    }
    return _MARK.sub(lambda mark: facts[mark[1]], _TEMPLATE.read_text(encoding="utf-8"))


def _of_this_machine(consents: Consents) -> Consents:
    """Without what nobody could send: a server this machine is not signed in to, the environment's."""
    known = {account.label for account in accounts.load().all if not accounts.is_of_environment(account.label)}
    kept = tuple(c for c in consents.connections if c.server in known)
    return Consents(kept, consents.refused)


def quoted(word: object) -> str:
    """``word`` for a shell, to be taken literally whatever is in it, in patterns as well."""
    return "'" + str(word).replace("'", "'\\''") + "'"


def _lines(lines: Iterable[str]) -> str:
    return "\n    ".join(lines) or "# none"


def _places(consents: Consents) -> Iterator[str]:
    """Branches of the case statement, as ``Consents.for_checkout`` decides: the longest place first.

    Where Python found no git, a place is the folder: the script may find its ``.git`` all the same.
    """
    answers = {**dict.fromkeys(consents.refused, 1), **{c.place: 0 for c in consents.connections}}
    for place in sorted(filter(_can_be_written, answers), key=len, reverse=True):
        inside = quoted(place.rstrip("/"))
        yield f"git{quoted(place)} | git{inside}/.git | dir{quoted(place)} | dir{inside}/*) return {answers[place]} ;;"


def _can_be_written(place: str) -> bool:
    try:
        return bool(place) and b"\0" not in place.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False


def _answers(harnesses: Iterable[Harness]) -> Iterator[str]:
    """Branches that print what an agent reads back when there is nothing to tell it."""
    for harness in harnesses:
        usual = hook_answer(harness.name, "", None)
        for event in harness.events:
            if (said := hook_answer(harness.name, event, None)) != usual:
                yield f"{quoted(f'{harness.name} {event}')}) printf %s {quoted(said.decode())} ;;"
        if usual:
            yield f"{quoted(harness.name + ' ')}*) printf %s {quoted(usual.decode())} ;;"


def _patterns(calls: Iterable[tuple[str, str]]) -> str:
    return " | ".join(quoted(f"{harness} {event}") for harness, event in calls)


def ends(harness: Harness, event: str) -> bool:
    """Whether that hook says that a session is over: its handler is asked."""
    batches = parse_hook(harness.name, {"session_id": "s", "hook_event_name": event}, event=event)
    return any(isinstance(item, SessionEnd) for batch in batches for item in batch.events)
