"""HTML pages and fragments: gate, validate, one service, render."""

from sessions_app.views.downloads import events_jsonl, raw_output, transcript_md
from sessions_app.views.editing import confirm_delete, delete, rename, set_visibility
from sessions_app.views.lists import session_list
from sessions_app.views.page import commands, detail, event_window, find, output_middle, side, subagent, turns

__all__ = [
    "commands",
    "confirm_delete",
    "delete",
    "detail",
    "event_window",
    "events_jsonl",
    "find",
    "output_middle",
    "raw_output",
    "rename",
    "session_list",
    "set_visibility",
    "side",
    "subagent",
    "transcript_md",
    "turns",
]
