"""The home folder, what agents call, what a shell finds."""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from stash_client import __version__, accounts, home, hookscript
from stash_client.doctor.findings import Check, Finding
from stash_client.standing import Standing

_FOR_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_VERSION = re.compile(r"\d+(?:\.\d+)+\S*")


def writable() -> Iterator[Finding]:
    folder = home.folder()
    try:
        home.made()
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as fault:
        fix = f"Make {folder} yours and writable, or set STASH_HOME to another folder."
        yield Finding("home_not_writable", "This machine cannot keep anything for Stash.", f"{folder}: {fault}", fix)


def closed(_: Standing) -> Iterator[Finding]:
    """Keys and what waits are for this person alone. A closed folder closes all that is in it."""
    if sys.platform == "win32":
        return
    opened = [path for path in (home.folder(), accounts.path()) if path.exists() and path.stat().st_mode & _FOR_OTHERS]
    if not opened:
        return
    shown = ", ".join(f"{path} ({stat.S_IMODE(path.stat().st_mode):o})" for path in opened)

    def mend() -> str:
        for path in opened:
            path.chmod(0o700 if path.is_dir() else 0o600)
        return "Closed to others."

    yield Finding("too_open", "Others on this machine may read what is yours.", shown, "stash doctor --fix", mend=mend)


def hook_is_there(now: Standing) -> Iterator[Finding]:
    if not now.known.all or sys.platform == "win32":
        return
    script = hookscript.path()
    try:
        current = script.read_text(encoding="utf-8", errors="surrogateescape") == hookscript.text()
        runs = os.access(script, os.X_OK)
    except OSError:
        current = runs = False
    if current and runs:
        return

    def mend() -> str:
        return f"Wrote {hookscript.write()} anew."

    what = "The script that agents call is missing, or not of today."
    yield Finding("hook_stale", what, str(script), "stash doctor --fix", mend=mend)


def one_stash(_: Standing) -> Iterator[Finding]:
    """Another installation that comes first on the path answers when a person types ``stash``."""
    found = shutil.which("stash")
    if found is None:
        fix = f"Add {_folder_of_commands()} to your PATH: your shell's profile is the place."
        yield Finding("not_on_path", "Your shell does not find stash.", os.environ.get("PATH", ""), fix, weight="note")
        return
    version = _version_of(found)
    if version and version != __version__:
        evidence = f"{found} is {version}; this is {__version__} ({sys.executable})"
        fix = "Remove one of them, or put the right one first on your PATH."
        yield Finding("two_versions", "Two versions of stash are installed.", evidence, fix)


def _folder_of_commands() -> Path:
    """Where an installer has put the command for people, else where it is."""
    usual = Path.home() / ".local" / "bin"
    here = Path(sys.executable).parent
    try:
        return usual if (usual / "stash").samefile(here / "stash") else here
    except OSError:
        return here


def _version_of(program: str) -> str:
    import subprocess

    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if _VERSION.fullmatch(done.stdout.strip()) else ""


def fault(now: Standing) -> Iterator[Finding]:
    if now.fault is None:
        return
    path = home.folder() / "fault.txt"

    def mend() -> str:
        path.unlink(missing_ok=True)
        return "Put it away."

    what = "Something went wrong where nobody could be told."
    fix = f"{path} has the whole of it. Seen it? stash doctor --fix puts it away."
    yield Finding("fault", what, now.fault[1], fix, weight="note", mend=mend)


CHECKS: tuple[Check, ...] = (closed, hook_is_there, one_stash, fault)
