"""The small JavaScript files that go into agents which take plugins instead of commands."""

from __future__ import annotations

import json
from pathlib import Path

from stash_client.wiring.commands import hook_path

_PLACE, _SHARED = '"__STASH_HOOK__"', "// @include calling.js\n"


def source(name: str, harness: str = "") -> str:
    """A plugin's text with the hook's path, and what all of them share, in it: agents load it as one file."""
    text = _read(name).replace(_SHARED, _read("calling.js"))
    return text.replace(_PLACE, json.dumps(str(hook_path()))).replace("__HARNESS__", harness)


def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
