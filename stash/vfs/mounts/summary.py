"""summary.md: what a session was about, without reading it."""

from __future__ import annotations

from sessions_app.models import Session
from sessions_app.rendering.text import one_line, shown
from sessions_app.selectors import commands, files, state_of
from sessions_app.selectors.filing import first_prompt, last_reply

_MOST_FILES, _MOST_COMMANDS, _TEXT = 40, 20, 2000


def summary_of(session: Session) -> str:
    """Goal, outcome, files, commands: facts only, each of them in the transcript too."""
    parts = [f"# {one_line(session.title) or 'Untitled session'}", _facts(session)]
    parts += _section("Asked first", _quoted(first_prompt(session)))
    parts += _section("Said last", _quoted(last_reply(session)))
    changed = [
        f"- {one_line(f.path)} +{f.lines_added} -{f.lines_removed}" for f in files(session, _MOST_FILES) if f.edits
    ]
    parts += _section("Files changed", "\n".join(changed))
    ran = commands(session).rows[:_MOST_COMMANDS]
    said = [f"- {one_line(row.program)}: {row.times} times, {row.failures} failed, last #{row.last}" for row in ran]
    parts += _section("Commands", "\n".join(said))
    return "\n\n".join(parts) + "\n"


def _facts(session: Session) -> str:
    facts = {
        "Person": session.person.display_name,
        "Agent": session.harness,
        "Project": session.project.name if session.project else "",
        "Branch": session.branch,
        "Time": f"{session.started_at:%Y-%m-%d %H:%M} to {session.last_event_at:%Y-%m-%d %H:%M} UTC",
        "State": state_of(session),
        "Counts": f"{session.prompts} prompts, {session.tool_calls} tool calls, {session.failures} failed",
    }
    return "\n".join(f"- {name}: {one_line(value)}" for name, value in facts.items() if value)


def _section(title: str, text: str) -> list[str]:
    return [f"## {title}", text] if text else []


def _quoted(text: str) -> str:
    said = shown(text[:_TEXT]).strip("\n")
    return "\n".join(f"> {line}" if line else ">" for line in said.split("\n")) if said else ""
