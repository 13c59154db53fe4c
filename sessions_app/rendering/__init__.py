"""Turns stored events into inert HTML, markdown and JSON. Nothing here reads the database."""

from sessions_app.rendering.events import EventView, view_of

__all__ = ["EventView", "view_of"]
