"""Tools that look: the same search, files and briefing as everywhere, as text an agent reads at once."""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse

from sessions_app.filing import path_of
from sessions_app.services.editing import note_opening
from stash.actors import Actor
from stash.recall import selectors
from stash.recall.briefing import DEFAULT_BUDGET, brief
from stash.recall.searching import Hit, heading, search
from stash.vfs.shell import run_line

_MOST_SESSIONS = 20


def search_text(actor: Actor, *, query: str, project: str = "", limit: int = 5) -> str:
    """A paragraph for each session: title, who and when, its best passages, each with its address."""
    filters = {"project": project} if project else {}
    answer = search(actor, query, filters=filters, limit=min(max(limit, 1), _MOST_SESSIONS))
    for hit in answer.hits:
        note_opening(actor=actor, session=hit.session)
    parts = [_paragraph(hit, actor.team_slug) for hit in answer.hits] or [answer.note]
    if answer.ignored:
        parts.append(f"Not understood, left out: {', '.join(answer.ignored)}")
    return "\n\n".join(parts)


def _paragraph(hit: Hit, team: str) -> str:
    session = hit.session
    where = session.project.slug if session.project else "no project"
    facts = f"{session.person.display_name} · {session.harness} · {where} · {session.started_at:%Y-%m-%d %H:%M} UTC"
    path = path_of(session)
    address = settings.URL + reverse("sessions:detail", kwargs={"team": team, "session_id": session.pk})
    lines = [f"- {one.event.kind} #{one.event.number}: {one.passage.text}" for one in hit.units]
    more = [f"- {hit.more} more here"] if hit.more else []
    return "\n".join([heading(hit), facts, address, *([f"{path}/transcript.md"] if path else []), *lines, *more])


def read_files(actor: Actor, *, command: str, cwd: str = "/") -> str:
    """What the command printed, then its complaints and exit code where there are some."""
    outcome = run_line(actor, command, cwd=cwd)
    parts = [outcome.stdout.decode("utf-8", "replace")]
    if outcome.stderr:
        parts.append(f"[stderr]\n{outcome.stderr}")
    if outcome.exit_code:
        parts.append(f"[exit code {outcome.exit_code}]")
    return "\n".join(part.rstrip("\n") for part in parts if part) or "(nothing)"


def brief_text(actor: Actor, *, project: str, budget: int = DEFAULT_BUDGET) -> str:
    return brief(selectors.question_about(actor, project), budget=budget).text
