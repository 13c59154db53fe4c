"""``.stash.toml`` at the top of a repository: which project it proposes to be, and what capture leaves out.

It comes with a clone, so it decides nothing: where events, keys and briefings go stands in the consents of the person.
Only its ``[capture]`` counts at once, because it can but leave more out. What cannot be read leaves out everything.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stash_client import toml
from stash_client.privacy.policy import METADATA_ONLY, OPEN, Policy

NAME = ".stash.toml"
_MOST_BYTES = 64 * 1024
_LONGEST = 300
_OURS = {"server", "project", "name"}
_MALFORMED = (
    f"[capture] in {NAME} is malformed; it may have: ignore (a list of globs), prompts, output, metadata_only (true or"
    " false). Until it is mended, sessions here are kept without any text."
)
_ABOUT = "# This repository is known to Stash. Nothing is captured before a person has agreed on their own machine."


@dataclass(frozen=True)
class Marker:
    """``server``: an address; ``project``: the server's id of it; ``name``: what people call it. All may be "".

    ``fault``: what is wrong with the file, in words; then ``policy`` allows metadata only.
    """

    server: str = ""
    project: str = ""
    name: str = ""
    policy: Policy = OPEN
    fault: str = ""

    @property
    def proposes(self) -> bool:
        """Whether it names where to go."""
        return bool(self.server or self.project)


def path(root: str) -> Path:
    return Path(root) / NAME


def read(root: str) -> Marker:
    """The marker of the folder; an empty one where there is no file."""
    try:
        text = _text(path(root))
        return _marker(_mapping(text)) if text is not None else Marker()
    except (OSError, ValueError) as fault:
        return Marker(policy=METADATA_ONLY, fault=f"{NAME} cannot be read: {fault}")


def parse(text: str) -> Marker:
    """As ``read``, from the file's text."""
    try:
        return _marker(_mapping(text))
    except ValueError as fault:
        return Marker(policy=METADATA_ONLY, fault=f"{NAME} cannot be read: {fault}")


def _text(file: Path) -> str | None:
    """None where there is none. A pipe or device in a clone must not make anybody wait. Raises OSError, ValueError."""
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    with os.fdopen(descriptor, "rb") as opened:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("it is not a file")
        data = opened.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ValueError("it is larger than 64 KiB")
    return data.decode("utf-8-sig")


def _mapping(text: str) -> dict[str, Any]:
    """Raises ValueError."""
    try:
        import tomllib
    except ImportError:  # before Python 3.11
        return toml.parse(text).value
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _marker(document: dict[str, Any]) -> Marker:
    ours = document.get("stash", {})
    if not isinstance(ours, dict):
        ours = {}
    policy = Policy.from_mapping(document.get("capture"))
    # The very object stands for a table that could not be understood; who asks for metadata only gets an equal one.
    fault = _MALFORMED if policy is METADATA_ONLY else ""
    return Marker(_word(ours, "server").rstrip("/"), _word(ours, "project"), _word(ours, "name"), policy, fault)


def _word(table: dict[str, Any], key: str) -> str:
    """A short text of one line that may be shown on a terminal: it was written by who knows whom."""
    value = table.get(key, "")
    return "".join(c for c in value if c.isprintable()).strip()[:_LONGEST] if isinstance(value, str) else ""


def with_project(text: str, *, server: str, project: str, name: str) -> str:
    """The file's text with these in its ``[stash]`` table and everything else as it was. Raises toml.Malformed."""
    wanted = {"server": server, "project": project, "name": name}
    bom, body = text[: text.startswith("\ufeff")], text.removeprefix("\ufeff") if text else ""
    newline = "\r\n" if "\r\n" in body else "\n"
    table = toml.parse(body).table("stash")
    if table is None:
        lines = [_ABOUT, "[stash]", *(f"{key} = {toml.quoted(value)}" for key, value in wanted.items() if value)]
        gap = newline if body else ""
        return bom + body + gap + newline.join([*lines, ""])
    missing = [f"{k} = {toml.quoted(v)}{newline}" for k, v in wanted.items() if v and k not in table.value]
    at = table.end
    lead = newline if missing and at and body[at - 1 : at] != "\n" else ""
    body = body[:at] + lead + "".join(missing) + body[at:]
    for key in sorted((k for k in wanted if k in table.spans), key=lambda k: -table.spans[k][0]):
        start, end = table.spans[key]
        if table.value[key] != wanted[key] and wanted[key]:
            body = body[:start] + toml.quoted(wanted[key]) + body[end:]
    return bom + body


def without_project(text: str) -> str:
    """The file's text without what ``with_project`` writes; "" when nothing else was in it. Raises toml.Malformed."""
    bom, body = text[: text.startswith("\ufeff")], text.removeprefix("\ufeff")
    table = toml.parse(body).table("stash")
    if table is None:
        return text
    if set(table.value) - _OURS:
        for start, end in sorted((table.lines[key] for key in _OURS & set(table.lines)), reverse=True):
            body = body[:start] + body[end:]
        return bom + body
    before, after = body[: table.start], body[table.end :]
    for newline in ("\r\n", "\n"):
        before = before.removesuffix(_ABOUT + newline)
    if not after:
        before = _without_gap(before)
    return bom + before + after if (before + after).strip() else ""


def _without_gap(before: str) -> str:
    """The line break that separates what we append goes with it."""
    return before.removesuffix("\r\n") if before.endswith("\r\n") else before.removesuffix("\n")
