"""The client as this server hands it out: a wheel made from ``client/``, the same bytes for the same source.

Made with the standard library, because a build backend is not part of an installation and would have to be fetched:
the client is pure Python without dependencies, so a wheel of it is a zip of its files with four small ones beside them.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import time
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings

SOURCE = Path(__file__).resolve().parents[1] / "client"
_LEFT_OUT = {"__pycache__"}
_FIRST_DATE = 315532800
"""1 January 1980 in seconds: a zip knows no earlier one."""
_TAG = "py3-none-any"


@dataclass(frozen=True, slots=True)
class Wheel:
    """``address``: below the server's own, different for other bytes, so that it may be cached for ever."""

    path: Path
    version: str
    sha256: str

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def address(self) -> str:
        return f"/client/{self.sha256[:16]}/{self.name}"


def folder() -> Path:
    """Beside the static files: like them it is made once, also when an image is built, and the same for everybody."""
    return Path(settings.STATIC_ROOT) / "client"


def current() -> Wheel | None:
    """The wheel that was made last; None when none was."""
    found = sorted(folder().glob(f"*-{_TAG}.whl"))
    return _known(found[-1], found[-1].stat().st_mtime_ns) if found else None


@lru_cache(maxsize=4)
def _known(path: Path, _changed: int) -> Wheel:
    return Wheel(path, path.name.split("-")[1], hashlib.sha256(path.read_bytes()).hexdigest())


def make() -> bool:
    """Bring the wheel up to date with the source; True when that changed anything."""
    name, content = build(SOURCE)
    target = folder() / name
    if target.exists() and target.read_bytes() == content:
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{name}.{os.getpid()}")
    unfinished.write_bytes(content)
    unfinished.replace(target)
    for older in folder().glob("*.whl"):
        if older != target:
            older.unlink(missing_ok=True)
    return True


def build(source: Path) -> tuple[str, bytes]:
    """(file name, content) of the wheel of the project in this folder. Raises OSError, KeyError for what is no client.

    ``SOURCE_DATE_EPOCH`` sets the time of its files, as with other build tools.
    """
    project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, version = project["name"].replace("-", "_"), project["version"]
    about = f"{name}-{version}.dist-info"
    files = dict(_sources(source / "src"))
    files[f"{about}/METADATA"] = _metadata(project).encode()
    files[f"{about}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: stash\nRoot-Is-Purelib: true\nTag: {_TAG}\n".encode()
    files[f"{about}/entry_points.txt"] = _entry_points(project).encode()
    files[f"{about}/licenses/LICENSE"] = (source / "LICENSE").read_bytes()
    files[f"{about}/RECORD"] = _record(files, f"{about}/RECORD").encode()
    return f"{name}-{version}-{_TAG}.whl", _zipped(files)


def _sources(root: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if path.is_file() and not _LEFT_OUT & set(inside.parts) and not inside.parts[0].endswith(".egg-info"):
            yield inside.as_posix(), path.read_bytes()


def _metadata(project: dict[str, Any]) -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}"]
    lines += [f"Summary: {project.get('description', '')}", f"License: {project.get('license', '')}"]
    lines += [f"Requires-Python: {project['requires-python']}", "License-File: LICENSE"]
    lines += [f"Requires-Dist: {needed}" for needed in project.get("dependencies", ())]
    return "\n".join([*lines, ""])


def _entry_points(project: dict[str, Any]) -> str:
    scripts = sorted(project.get("scripts", {}).items())
    return "\n".join(["[console_scripts]", *(f"{name} = {target}" for name, target in scripts), ""])


def _record(files: dict[str, bytes], itself: str) -> str:
    rows = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(content)}")
    return "\n".join([*rows, f"{itself},,", ""])


def _zipped(files: dict[str, bytes]) -> bytes:
    made = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", _FIRST_DATE)), _FIRST_DATE))[:6]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, made)
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o100644 << 16
            archive.writestr(entry, content)
    return packed.getvalue()
