"""A believable team for a look around: who they are, what their agents did, and how it gets in.

The sessions are plain text in ``sessions/`` (``script`` explains the form). They enter as every event does: through the
privacy boundary and ``append_events``.
"""
