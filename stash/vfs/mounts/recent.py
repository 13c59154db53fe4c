"""/recent.jsonl: where to look first."""

from __future__ import annotations

import json
from collections.abc import Iterator

from sessions_app.filing import path_of
from sessions_app.selectors import state_of
from sessions_app.selectors.filing import recently_filed
from stash.vfs.tree import File

_MOST = 200


class Recent(File):
    derived = True

    def _blocks(self) -> Iterator[bytes]:
        rows = recently_filed(self.reader.actor, limit=_MOST)
        self.reader.budget.read(rows=len(rows))
        for session in rows:
            told = {
                "path": path_of(session),
                "title": session.title,
                "person": session.person.username,
                "harness": session.harness,
                "branch": session.branch,
                "state": state_of(session),
                "last_event_at": session.last_event_at.isoformat(),
                "events": session.events,
            }
            yield json.dumps(told, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
