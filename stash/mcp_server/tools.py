"""What an agent may call. Inputs are flat: strings, whole numbers and booleans, no references and no unions, since some
agents refuse a tool, and with it the server, over anything else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stash.actors import Actor
from stash.errors import Forbidden, Invalid
from stash.mcp_server import noting, reading

_TYPES: Mapping[str, type] = {"string": str, "integer": int, "boolean": bool}


@dataclass(frozen=True, slots=True)
class Field:
    """One input. ``type``: string, integer or boolean."""

    about: str
    type: str = "string"
    required: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """``scope``: what the key must allow; ``reads``: it changes nothing. ``run`` answers with text for the agent."""

    name: str
    title: str
    about: str
    scope: str
    fields: Mapping[str, Field]
    run: Callable[..., str]
    reads: bool = True

    def schema(self) -> dict[str, Any]:
        """Its input as JSON Schema."""
        properties = {name: {"type": one.type, "description": one.about} for name, one in self.fields.items()}
        required = [name for name, one in self.fields.items() if one.required]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


TOOLS: Sequence[Tool] = (
    Tool(
        "search",
        "Search the team's memory",
        "Find earlier work of people and their agents: what was tried, decided, fixed or failed. Ask in plain words; "
        "narrow with project: by: kind: file: commit: since: until: in the query. Search before you start on a bug.",
        "read",
        {
            "query": Field("Plain words, an error message, an identifier, or a question.", required=True),
            "project": Field("Only this project (its slug)."),
            "limit": Field("How many sessions at most, 1 to 20; 5 unless told.", "integer"),
        },
        reading.search_text,
    ),
    Tool(
        "read",
        "Read the memory as files",
        "Run a shell line over the memory as files, with pipes: ls cat head tail tree find stat wc grep rg sort uniq "
        "cut sed. Start with `cat /README.md`; sessions are /projects/<project>/sessions/<date>/…/transcript.md.",
        "read",
        {
            "command": Field("Such as: rg -n 'lock timeout' /projects/shop | head", required=True),
            "cwd": Field("The folder to start in; / unless told."),
        },
        reading.read_files,
    ),
    Tool(
        "brief",
        "What to know before starting",
        "What a project is, who works on what at the moment, and what was done lately, in a few thousand bytes.",
        "read",
        {
            "project": Field("The project's slug.", required=True),
            "budget": Field("Bytes at most; 6000 unless told.", "integer"),
        },
        reading.brief_text,
    ),
    Tool(
        "note",
        "Leave a note",
        "Write down a finding, a decision or a dead end for whoever comes next. It goes into your person's latest "
        "session of the project. Say what, why, and how it was found out.",
        "capture",
        {
            "text": Field("The note itself.", required=True),
            "project": Field("The project's slug.", required=True),
            "session": Field("Id of the session it belongs to, if it is known."),
        },
        noting.note,
        reads=False,
    ),
)
_BY_NAME = {tool.name: tool for tool in TOOLS}


def offered(actor: Actor) -> list[Tool]:
    """Those that the key allows."""
    return [tool for tool in TOOLS if tool.scope in actor.scopes]


def call(actor: Actor, name: str, given: Mapping[str, Any]) -> str:
    """Raises Invalid for what is not an input of it, Forbidden for a key without the scope, and what services raise."""
    tool = _BY_NAME.get(name)
    if tool is None:
        raise Invalid(f"There is no tool {name[:60]!r}. There are: {', '.join(_BY_NAME)}.", code="unknown_tool")
    if tool.scope not in actor.scopes:
        raise Forbidden(f"This key does not allow {tool.name}; it needs the scope {tool.scope}.")
    return tool.run(actor, **_checked(tool, given))


def _checked(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(given) - set(tool.fields))
    if unknown:
        raise Invalid(f"{tool.name} takes {', '.join(tool.fields)}; not {', '.join(unknown)[:200]}.")
    values = {name: _mended(value) for name, value in given.items() if value is not None}
    for name, field in tool.fields.items():
        if field.required and name not in values:
            raise Invalid(f"{tool.name} needs {name}: {field.about}")
        if name in values and type(values[name]) is not _TYPES[field.type]:
            raise Invalid(f"{name} is to be of type {field.type}.")
    return values


def _mended(value: Any) -> Any:
    """Text without NUL, which PostgreSQL does not take."""
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value
