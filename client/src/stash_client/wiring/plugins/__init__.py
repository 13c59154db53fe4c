"""The small JavaScript files that go into agents which take plugins instead of commands."""

from __future__ import annotations

import json
from importlib.resources import files

from stash_client.wiring.commands import hook_path

_PLACE = '"__STASH_HOOK__"'


def source(name: str) -> str:
    """A plugin's text with the hook's path in it."""
    text = files(__name__).joinpath(name).read_text(encoding="utf-8")
    return text.replace(_PLACE, json.dumps(str(hook_path())))
