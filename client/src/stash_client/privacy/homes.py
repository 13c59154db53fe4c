"""Home directories: whose machine it was is nobody's business, where in the home a file lies often is.

``/home/<user>``, ``/Users/<user>``, ``C:\\Users\\<user>`` (also ``/mnt/c/Users/<user>``, ``/c/Users/<user>``) and the
given home become ``~``; the rest of the path stays as it is, after ``/``. Done for every user, not only the present
one: a log may have been written elsewhere. Parts of an address (``https://host/home/x``) are left alone.
"""

from __future__ import annotations

import re

_UNIX = re.compile(
    r"(?:(?<![\w.~)\]}/\\%-])|(?<=file://)|(?<= -[ILoC]))(?:/(?:mnt/)?[a-z])?"
    r"/(?:home|Users)/(?!Shared\b)[A-Za-z0-9_][\w.@+-]{0,63}(?![\w@+-])"
)
_WINDOWS = re.compile(
    r"(?<![\w.])[A-Za-z]:(?P<sep>\\{1,4}|/)Users(?P=sep)(?!Public\b|Default\b|All Users)"
    r"(?:[^\\/:*?\"<>|\s]{1,64}(?: [^\\/:*?\"<>|\s]{1,32}){0,3}(?P<rest>(?P=sep))|[^\\/:*?\"<>|\s,;)\]}']{1,64})"
)


def shorten_homes(text: str, home: str | None) -> str:
    """``home``: this machine's own home, for the case that it lies elsewhere (``/root``, ``/data/people/dana``)."""
    if home and len(home) > 2 and home in text:
        text = re.sub(rf"(?<![\w.~/-]){re.escape(home.rstrip('/'))}(?![\w.-])", "~", text)
    if "/home/" in text or "/Users/" in text:
        text = _UNIX.sub("~", text)
    if "Users" in text:
        text = _WINDOWS.sub(lambda path: "~/" if path["rest"] else "~", text)
    return text
