"""Who a commit is of, and what its trailers tell."""

from __future__ import annotations

import json
from collections.abc import Iterable

from accounts.models import User
from stash.actors import Actor
from stash.gitstore.history import Logged
from stash.gitstore.store import Author

COMMITTER = Author("Stash", "stash@stash.invalid")
"""Signs what this server commits. A push that brings commits signed so is refused: trailers are believed by it."""
MOVED = "Stash-Moved"


def author_of(actor: Actor) -> tuple[Author, str]:
    """The person as git names people, and the username; of the system no username."""
    known = User.objects.filter(pk=actor.user_id).values_list("username", "email").first()
    if known is None:
        return COMMITTER, ""
    username, email = known
    return Author(actor.user_name, email or f"{username}@stash.invalid"), username


def message_of(
    actor: Actor, username: str, subject: str, *, session: str = "", moved: Iterable[tuple[str, str]] = ()
) -> str:
    """Subject and trailers. Nothing a writer says can look like a trailer: it stays on the first line."""
    lines = [f"Stash-Person: {username}"] if username else []
    lines += [f"Stash-Harness: {_line(actor.harness)}"] if actor.harness else []
    lines += [f"Stash-Session: {_line(session)}"] if session else []
    lines += [f"Stash-Channel: {actor.channel}"]
    lines += [f"{MOVED}: {json.dumps(one)}" for one in moved]
    return f"{_line(subject)[:200] or 'Change pages'}\n\n" + "\n".join(lines) + "\n"


def _line(text: str) -> str:
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def moves_of(commit: Logged) -> list[tuple[str, str]]:
    """Pages that a commit of this server moved: from, to."""
    if MOVED not in commit.message or commit.committer_email != COMMITTER.email:
        return []
    found = []
    for line in commit.message.splitlines():
        if line.startswith(f"{MOVED}: "):
            old, new = json.loads(line.partition(": ")[2])
            found.append((str(old), str(new)))
    return found
