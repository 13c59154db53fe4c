"""Unified diffs out of what edit tools say: hunks, old and new strings, whole files, apply_patch texts."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Optional

from stash_client.events import JSON
from stash_client.harnesses.content import text_or

MAX_COMPARED_LINES = 1_000
_BEGIN = "*** Begin Patch"
_PAIRS = (
    ("old_string", "new_string"),
    ("oldString", "newString"),
    ("old_str", "new_str"),
    ("oldStr", "newStr"),
    ("oldText", "newText"),
    ("old_text", "new_text"),
    ("old_value", "new_value"),
    ("before", "after"),
    ("old", "new"),
)
_WHOLE = ("content", "contents", "file_text", "fileText")
_PLACED = re.compile(r"@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@")
_OF_A_HUNK = frozenset(("@", " ", "+", "-", "\\"))
_SEARCH = re.compile(r"^[-<]{4,} ?SEARCH>?\s*$")
_MIDDLE = re.compile(r"^={4,}\s*$")
_REPLACE = re.compile(r"^[+>]{4,} ?REPLACE>?\s*$")
_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$")
_MOVE = re.compile(r"^\*\*\* Move to: (.+?)\s*$")


def short_path(path: str, cwd: Optional[str]) -> str:
    """The path inside the working folder with ``/``; others whole."""
    plain = path.replace("\\", "/") if re.match(r"^[A-Za-z]:\\|^\\\\", path) else path
    root = (cwd or "").replace("\\", "/").rstrip("/")
    return plain[len(root) + 1 :] if root and plain.startswith(root + "/") else plain


def diff_of(tool_input: JSON, result: JSON, cwd: Optional[str]) -> Optional[str]:
    """A unified diff of one edit, or None when the harness does not give enough to make one."""
    patch = patch_text(tool_input)
    if patch:
        return patch_diff(patch) or None
    fields = tool_input if isinstance(tool_input, Mapping) else {}
    answer = result if isinstance(result, Mapping) else {}
    named = (fields.get("file_path"), fields.get("path"), fields.get("filePath"), answer.get("filePath"))
    path = next((name for name in named if isinstance(name, str)), None)
    if not path:
        return None
    hunks = _hunks(answer.get("structuredPatch")) or _told_hunks(answer) or _string_hunks(fields)
    hunks = hunks or _block_hunks(text_or(fields.get("diff")))
    if hunks:
        return _headed(short_path(path, cwd), hunks)
    content = next((fields[key] for key in _WHOLE if isinstance(fields.get(key), str)), None)
    return _added(short_path(path, cwd), content) if content else None


def patch_text(tool_input: JSON) -> Optional[str]:
    """The apply_patch text in a tool's input, wherever the harness put it; None for anything else."""
    candidates: Iterable[JSON] = (tool_input,)
    if isinstance(tool_input, Mapping):
        candidates = (tool_input.get(key) for key in ("command", "patch", "input"))
    for candidate in candidates:
        text = candidate[-1] if isinstance(candidate, list) and candidate else candidate
        if isinstance(text, str) and text.lstrip()[:400].find(_BEGIN) >= 0:
            head = text.lstrip()
            if head.startswith((_BEGIN, "apply_patch")):
                return text[text.index(_BEGIN) :]
    return None


def patch_paths(patch: str) -> tuple[str, ...]:
    """Every file an apply_patch text names, new places of moved files included."""
    found = []
    for line in patch.splitlines():
        match = _FILE.match(line)
        moved = _MOVE.match(line)
        if match or moved:
            found.append(match.group(2) if match else moved.group(1) if moved else "")
    return tuple(dict.fromkeys(found))


def patch_diff(patch: str) -> str:
    """The same change as a unified diff. Line numbers are not known there: each hunk counts from 1."""
    files: list[tuple[str, str, list[list[str]]]] = []
    for line in patch.splitlines():
        match, moved = _FILE.match(line), _MOVE.match(line)
        if match:
            old, new = _sides(match.group(1), match.group(2))
            files.append((old, new, [[]]))
        elif moved and files:
            files[-1] = (files[-1][0], f"b/{moved.group(1)}", files[-1][2])
        elif line.startswith("@@") and files:
            files[-1][2].append([])
        elif files and line[:1] in ("+", "-", " "):
            files[-1][2][-1].append(line)
    return "".join(_file_diff(old, new, [h for h in hunks if h]) for old, new, hunks in files)


def _sides(verb: str, path: str) -> tuple[str, str]:
    return ("/dev/null" if verb == "Add" else f"a/{path}", "/dev/null" if verb == "Delete" else f"b/{path}")


def _file_diff(old: str, new: str, hunks: Sequence[Sequence[str]]) -> str:
    lines = [f"--- {old}", f"+++ {new}"]
    for hunk in hunks:
        lines += [_range(hunk, old == "/dev/null"), *hunk]
    return "\n".join(lines) + "\n"


def _range(hunk: Sequence[str], is_new: bool = False) -> str:
    before = sum(1 for line in hunk if line[:1] in ("-", " "))
    after = sum(1 for line in hunk if line[:1] in ("+", " "))
    return f"@@ -{0 if is_new else 1},{before} +1,{after} @@"


def _headed(path: str, hunks: Sequence[str]) -> str:
    name = path.lstrip("/")
    return "\n".join([f"--- a/{name}", f"+++ b/{name}", *hunks]) + "\n"


def _added(path: str, content: str) -> str:
    return _file_diff("/dev/null", f"b/{path.lstrip('/')}", [[f"+{line}" for line in content.splitlines()]])


def _hunks(patch: JSON) -> list[str]:
    """Lines of a structured patch: ``[{oldStart, oldLines, newStart, newLines, lines}]``."""
    lines: list[str] = []
    for hunk in patch if isinstance(patch, list) else ():
        body = hunk.get("lines") if isinstance(hunk, Mapping) else None
        if isinstance(body, list) and body:
            spans = [hunk.get(key, 1) for key in ("oldStart", "oldLines", "newStart", "newLines")]
            lines.append("@@ -{},{} +{},{} @@".format(*spans))
            lines += [line for line in body if isinstance(line, str)]
    return lines


def _told_hunks(answer: Mapping[str, JSON]) -> list[str]:
    """Lines of the diff an agent shows its person, when its hunks say where they belong."""
    for key in ("fileDiff", "diff"):
        lines = text_or(answer.get(key)).splitlines()
        start = next((i for i, line in enumerate(lines) if _PLACED.match(line)), None)
        if start is not None:
            return [line for line in lines[start:] if line[:1] in _OF_A_HUNK]
    return []


def _string_hunks(fields: Mapping[str, JSON]) -> list[str]:
    edits = fields.get("edits")
    lines: list[str] = []
    for edit in edits if isinstance(edits, list) else [fields]:
        for old, new in _PAIRS if isinstance(edit, Mapping) else ():
            if old in edit or new in edit:
                lines += compare(text_or(edit.get(old)), text_or(edit.get(new)))
    return lines


def _block_hunks(text: str) -> list[str]:
    """Hunks of SEARCH and REPLACE blocks, the way models write edits as text."""
    sides: dict[str, list[str]] = {}
    lines: list[str] = []
    side = ""
    for line in text.splitlines():
        if _SEARCH.match(line):
            side, sides = "old", {"old": [], "new": []}
        elif side == "old" and _MIDDLE.match(line):
            side = "new"
        elif side == "new" and _REPLACE.match(line):
            side, lines = "", [*lines, *compare("\n".join(sides["old"]), "\n".join(sides["new"]))]
        elif side:
            sides[side].append(line)
    return lines


def compare(old: str, new: str) -> list[str]:
    """Hunks that turn one text into the other. Long texts are not compared line by line: that takes too long."""
    before, after = old.splitlines(), new.splitlines()
    if len(before) + len(after) > MAX_COMPARED_LINES:
        hunk = [f"-{line}" for line in before] + [f"+{line}" for line in after]
        return [_range(hunk), *hunk]
    return list(difflib.unified_diff(before, after, lineterm=""))[2:]
