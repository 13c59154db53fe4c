"""Live streams: one reader per session (or team) per process, the same bytes for everybody who watches it."""

from sessions_app.feeds.session import SessionFeed, join_session
from sessions_app.feeds.team import TeamFeed, TeamWatcher, join_team
from sessions_app.feeds.watcher import GONE, NOT_VISIBLE, Watcher

__all__ = [
    "GONE",
    "NOT_VISIBLE",
    "SessionFeed",
    "TeamFeed",
    "TeamWatcher",
    "Watcher",
    "join_session",
    "join_team",
]
