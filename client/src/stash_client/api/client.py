"""``Stash``: what a server offers, as methods."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Optional
from urllib.parse import urlencode

from stash_client import accounts
from stash_client.api.errors import Ambiguous, NoAccount, Refused
from stash_client.api.http import Answer, Request, Transport, json_request
from stash_client.api.models import Me, Session

if TYPE_CHECKING:
    from stash_client.api.event import Event

_WHOLE = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}")
_SHORT = re.compile(r"[0-9a-f-]{4,35}")
_PAGE, _EVENTS = 200, 500
_LOOKED_THROUGH = 1000
"""Sessions that a short id is looked for in, last event first."""
_DOWNLOAD = 3600.0


class Stash:
    """A server, as whoever the key belongs to. For one thread at a time; usable in a ``with`` statement.

    Without ``url`` and ``key``: the account this machine is signed in to (of that ``server`` label, where several
    are), or ``STASH_URL`` and ``STASH_KEY``. Raises NoAccount where there is none. Methods raise ``Unreachable`` when
    no answer comes in ``seconds`` (reads are tried again meanwhile) and ``Refused`` when the server says no.
    """

    def __init__(
        self, url: Optional[str] = None, key: Optional[str] = None, *, server: Optional[str] = None, seconds: float = 20
    ) -> None:
        if url is None or key is None:
            known = accounts.load()
            account = known.named(server) if server else known.main
            if account is None:
                raise NoAccount(server)
            url, key = url or account.url, key or account.key
        self.url, self._key, self.seconds = url.rstrip("/"), key, seconds
        self._transport = Transport()

    def __enter__(self) -> Stash:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def me(self) -> Me:
        return Me.from_wire(self.call("GET", "me"))

    def sessions(
        self,
        *,
        project: Optional[str] = None,
        by: Optional[str] = None,
        harness: Optional[str] = None,
        status: Optional[str] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        q: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Iterator[Session]:
        """Sessions you may see, last event first; pages are fetched as they are needed.

        ``by``: a username or ``me``. ``status``: working, running, needs_you, idle, ended, failed or done. ``since``,
        ``until``: RFC 3339. ``q``: words in title, branch or a file's path. ``limit``: at most so many.
        """
        query = {"project": project, "by": by, "harness": harness, "status": status}
        query.update({"since": since, "until": until, "q": q, "limit": str(min(limit or _PAGE, _PAGE))})
        return _first(limit, (Session.from_wire(row) for row in self._pages("sessions", query, "cursor")))

    def session(self, session_id: str) -> Session:
        return Session.from_wire(self.call("GET", f"sessions/{self.full_id(session_id)}"))

    def full_id(self, given: str) -> str:
        """The whole id of one that was given short: a unique beginning, or an end of eight digits or more.

        Short ids are looked for among the last 1,000 sessions you may see. Raises Ambiguous, or Refused (404).
        """
        text = given.strip().lower()
        if _WHOLE.fullmatch(text):
            bare = text.replace("-", "")
            return "-".join((bare[:8], bare[8:12], bare[12:16], bare[16:20], bare[20:]))
        bare, found = text.replace("-", ""), {}
        if _SHORT.fullmatch(text):
            for session in self.sessions(limit=_LOOKED_THROUGH):
                whole = session.id.replace("-", "")
                if len(bare) >= 8 and whole.endswith(bare):
                    return session.id
                if whole.startswith(bare):
                    found[session.id] = session
        if len(found) > 1:
            raise Ambiguous(given, sorted(found))
        if not found:
            raise Refused(404, {"code": "not_found", "detail": f"There is no session {given!r} that you may see."})
        return next(iter(found))

    def events(
        self, session_id: str, *, after: int = 0, kinds: Iterable[str] = (), limit: Optional[int] = None
    ) -> Iterator[Event]:
        """Events in order of arrival, those after that ``seq``; one that was completed comes again with a new seq."""
        from stash_client.api.event import Event

        query = {"after": str(after), "kind": ",".join(kinds), "limit": str(min(limit or _EVENTS, _EVENTS))}
        path = f"sessions/{self.full_id(session_id)}/events"
        return _first(limit, (Event.from_wire(row) for row in self._pages(path, query, "after")))

    def tail(self, session_id: str, *, after: Optional[int] = None) -> Iterator[Event]:
        """Events as they come, for ever; a lost connection is made again. ``after``: None begins with the next one.

        Raises Refused when the session cannot be seen, or not any more.
        """
        from stash_client.api.tail import tail

        whole = self.full_id(session_id)
        return tail(self, whole, self.session(whole).last_seq if after is None else after)

    def transcript(self, session_id: str) -> str:
        """The session as markdown."""
        return b"".join(self.download(f"sessions/{self.full_id(session_id)}/transcript.md")).decode("utf-8", "replace")

    def export(self, session_id: str) -> Iterator[bytes]:
        """Every event as one line of JSON, in pieces of any size."""
        return self.download(f"sessions/{self.full_id(session_id)}/events.jsonl")

    def projects(self) -> Iterator[Mapping[str, Any]]:
        return self._pages("projects", {"limit": str(_PAGE)}, "cursor")

    def rename(self, session_id: str, title: str) -> Session:
        """An empty title gives the session its own again."""
        return self._change(session_id, {"title": title})

    def set_visibility(self, session_id: str, visibility: str) -> Session:
        """``private``, or ``project`` for everybody who may see the project."""
        return self._change(session_id, {"visibility": visibility})

    def delete(self, session_id: str) -> None:
        self.call("DELETE", f"sessions/{self.full_id(session_id)}")

    def forget(self, session_id: str, *, since: Optional[str] = None) -> int:
        """Remove what happened since then (RFC 3339), or everything; how many events that were."""
        body = {"since": since} if since else {}
        return int(self.call("POST", f"sessions/{self.full_id(session_id)}/forget", body).get("forgotten", 0))

    def search(self, question: str, *, limit: int = 20, group: str = "session") -> dict[str, Any]:
        """One question over all you may see: ``results`` best first, ``note``, ``ignored``, ``mode``; see docs/api.md.

        Filters stand in the question (``by:me since:last-week``). ``group``: session, or none for single events.
        """
        query = {"q": question, "limit": str(limit), "group": group}
        return self.call("GET", f"search?{urlencode(query)}")

    def vfs(self, command: str, *, cwd: str = "/") -> dict[str, Any]:
        """A command line over the memory as files: ``stdout``, ``stderr``, ``exit_code``, ``cwd``, ``truncated``.

        It changes nothing. ``stdout_base64`` is there where the output is no UTF-8.
        """
        return self.call("POST", "vfs", {"command": command, "cwd": cwd})

    def connect(
        self, identities: Iterable[str], *, visibility: str = "private", name: str = "", raw_hooks: bool = False
    ) -> Mapping[str, Any]:
        """Let this project's sessions be captured; joins the project, or makes it. Answers project and connection."""
        wish = {"identities": list(identities), "visibility": visibility, "name": name, "raw_hooks": raw_hooks}
        return self.call("POST", "projects/connect", wish)

    def call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """Any call of the API; ``path`` is relative to ``/api/v1/``. Raises Unreachable or Refused."""
        return self.send(self.request(method, path, body)).object()

    def send(self, request: Request) -> Answer:
        """One that was made by hand. Raises Unreachable or Refused."""
        return self._transport.send(request, seconds=self.seconds)

    def request(self, method: str, path: str, body: Any = None) -> Request:
        return json_request(method, f"{self.url}/api/v1/{path}", body, key=self._key)

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._key}"}

    def download(self, path: str) -> Iterator[bytes]:
        """A file in pieces, as long as it takes."""
        request = Request("GET", f"{self.url}/api/v1/{path}", {**self.headers(), "Accept": "*/*"})
        with self._transport.stream(request, until=time.monotonic() + _DOWNLOAD) as (_, _headers, pieces):
            yield from pieces

    def _change(self, session_id: str, change: Mapping[str, str]) -> Session:
        return Session.from_wire(self.call("PATCH", f"sessions/{self.full_id(session_id)}", dict(change)))

    def _pages(self, path: str, query: Mapping[str, Optional[str]], cursor: str) -> Iterator[dict[str, Any]]:
        asked = {name: value for name, value in query.items() if value}
        while True:
            page = self.call("GET", f"{path}?{urlencode(asked)}")
            yield from page.get("results") or ()
            if not page.get("next"):
                return
            asked[cursor] = str(page["next"])


def _first(limit: Optional[int], rows: Iterator[Any]) -> Iterator[Any]:
    if limit is None:
        yield from rows
        return
    for count, row in enumerate(rows, 1):
        yield row
        if count >= limit:
            return
