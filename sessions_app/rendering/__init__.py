"""Turns stored events into inert HTML, markdown and JSON. Nothing here reads the database."""
