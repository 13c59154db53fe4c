"""What hangs where. A mount is a class that is made with (reader, name); a new one needs a line in a table here."""

from stash.vfs.mounts.root import root_of

__all__ = ["root_of"]
