"""Everything that changes a wiki."""

from wiki.services.pages import (
    Saved,
    append_to_page,
    create_page,
    delete_page,
    move_page,
    pin_page,
    protect_page,
    restore_page,
    save_page,
    undelete_page,
)
from wiki.services.repositories import rebuild_index, sweep
from wiki.services.writing import Desk, Draft, Version, write

__all__ = [
    "Desk",
    "Draft",
    "Saved",
    "Version",
    "append_to_page",
    "create_page",
    "delete_page",
    "move_page",
    "pin_page",
    "protect_page",
    "rebuild_index",
    "restore_page",
    "save_page",
    "sweep",
    "undelete_page",
    "write",
]
