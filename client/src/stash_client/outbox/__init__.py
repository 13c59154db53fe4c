"""What has passed the privacy boundary and waits for its server; safe to kill anywhere."""

from stash_client.outbox.boxes import Box, Outbox
from stash_client.outbox.frames import Frame, clean_frame
from stash_client.outbox.queue import Entry, Queue

__all__ = ["Box", "Entry", "Frame", "Outbox", "Queue", "clean_frame"]
