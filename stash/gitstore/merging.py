"""Three versions of one text become one, or it is said that they cannot."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from stash.gitstore.commands import TIMEOUT, environment

_LABELS = ("-L", "yours", "-L", "before", "-L", "theirs")


def merged(*, base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Both changes in one text; None where they touch the same lines."""
    if ours == theirs or base == theirs:
        return ours
    if base == ours:
        return theirs
    with tempfile.TemporaryDirectory(prefix="stash-merge-") as folder:
        files = [Path(folder, name) for name in ("ours", "base", "theirs")]
        for file, content in zip(files, (ours, base, theirs), strict=True):
            file.write_bytes(content)
        done = subprocess.run(
            ["git", "merge-file", "-p", "-q", *_LABELS, "--", *map(str, files)],
            capture_output=True, env=environment(), cwd=folder, timeout=TIMEOUT, check=False,
        )  # fmt: skip
    return done.stdout if done.returncode == 0 else None
