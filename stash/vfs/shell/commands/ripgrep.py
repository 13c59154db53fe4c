"""rg: below folders it searches what tells something first, in the order of paths; names and globs ask for more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from stash.vfs.errors import Failure
from stash.vfs.regex import Dialect, Wish, matcher
from stash.vfs.regex.perl import letters_of
from stash.vfs.shell.globs import compiled
from stash.vfs.shell.options import Given, Options, given
from stash.vfs.shell.process import Process
from stash.vfs.shell.searching import Search, patterns_of, style_of
from stash.vfs.shell.walking import Met, is_elsewhere, walk
from stash.vfs.tree import File, Folder, normal

_RG = Options(
    "inNlcvowxqHIFSsuLUa.p",
    "emABCgtT",
    {
        "ignore-case": "i", "line-number": "n", "no-line-number": "N", "files-with-matches": "l", "count": "c",
        "files-without-match": "W", "invert-match": "v", "only-matching": "o", "word-regexp": "w", "line-regexp": "x",
        "quiet": "q", "with-filename": "H", "no-filename": "I", "fixed-strings": "F", "smart-case": "S",
        "case-sensitive": "s", "unrestricted": "u", "no-ignore": "u", "hidden": ".", "regexp=": "e", "max-count=": "m",
        "after-context=": "A", "before-context=": "B", "context=": "C", "glob=": "g", "type=": "t", "type-not=": "T",
        "files": "files", "iglob=": "iglob",
    },
    harmless=frozenset(
        {"color", "color=", "no-heading", "heading", "sort", "sort=", "follow", "line-buffered",
         "no-config", "text", "no-column", "threads="}
    ),
    status=2,
)  # fmt: skip
_TYPES = {
    "md": ("*.md", "*.markdown"), "markdown": ("*.md", "*.markdown"), "json": ("*.json",), "jsonl": ("*.jsonl",),
    "txt": ("*.txt",), "py": ("*.py",), "js": ("*.js",), "yaml": ("*.yaml", "*.yml"),
    "toml": ("*.toml",), "sh": ("*.sh",),
}  # fmt: skip


def rg(process: Process) -> Iterator[bytes]:
    asked = given(_RG, process.args)
    if "U" in asked or "p" in asked:
        raise Failure("-U and -p: not here; lines are searched one by one", 2)
    if "files" in asked:
        yield from _list(process, asked)
        return
    patterns, paths = patterns_of(asked, "usage: rg [options] pattern [path ...]")
    wish = Wish(
        patterns,
        Dialect.FIXED if "F" in asked else Dialect.PERL,
        fold=_folds(asked, patterns),
        words="w" in asked,
        lines="x" in asked,
    )
    search = Search(matcher(wish), style_of(asked, names=_names(process, asked, paths), zero_counts=False, without="W"))
    listed = False
    for shown, node in _sources(process, asked, paths):
        for piece in search.file(shown, process.input()) if node is None else search.node(shown, node):
            listed = True
            yield piece
        if search.found and "q" in asked:
            process.status = 0
            return
    if not process.status:
        process.status = 0 if (listed if search.style.show == "without" else search.found) else 1


def _folds(asked: Given, patterns: Sequence[str]) -> bool:
    choice = asked.last("isS")
    if choice != "S":
        return choice == "i"
    return not any(c.isupper() for pattern in patterns for c in letters_of(pattern))


def _names(process: Process, asked: Given, paths: list[str]) -> bool:
    choice = asked.last("HI")
    if choice:
        return choice == "H"
    if not paths:
        return process.stdin is None
    return len(paths) > 1 or isinstance(process.node(paths[0]) if paths[0] != "-" else None, Folder)


def _list(process: Process, asked: Given) -> Iterator[bytes]:
    process.status = 1
    for shown, node in _below(process, asked, asked.operands):
        if node is not None:
            process.status = min(process.status, 0)
            yield f"{shown}\n".encode("utf-8", "replace")


def _sources(process: Process, asked: Given, paths: list[str]) -> Iterator[tuple[str, File | None]]:
    if not paths and process.stdin is not None:
        yield "<stdin>", None
    else:
        yield from _below(process, asked, paths)


def _below(process: Process, asked: Given, paths: list[str]) -> Iterator[tuple[str, File | None]]:
    """Each file with the name it is shown by; a file that is named is searched whatever it is."""
    filters = Filters.from_options(asked)
    for path in paths or ["."]:
        if path == "-":
            yield "<stdin>", None
            continue
        node = process.existing(path, 2)
        if node is None:
            continue
        enter = partial(_is_entered, start=normal(path, process.cwd), cwd=process.cwd, filters=filters)
        for met in walk(Met(path, node), enter=enter):
            if isinstance(met.node, File) and (not met.depth or filters.takes(met, process.cwd)):
                yield met.path if paths else met.path.removeprefix("./"), met.node


def _is_entered(met: Met, *, start: str, cwd: str, filters: Filters) -> bool:
    if not met.depth:
        return True
    if not filters.everything and is_elsewhere(met.node, normal(met.path, cwd), start):
        return False
    return filters.glob_says(met, cwd) is not False


@dataclass(frozen=True)
class Filters:
    """``globs``: (glob, whether it lets in, whether case is ignored); the last one that matches decides."""

    globs: tuple[tuple[str, bool, bool], ...]
    types: tuple[str, ...]
    without: tuple[str, ...]
    everything: bool

    @classmethod
    def from_options(cls, asked: Given) -> Filters:
        globs = tuple(
            (glob.removeprefix("!"), not glob.startswith("!"), name == "iglob")
            for name, glob in asked.order
            if name in ("g", "iglob") and glob
        )
        return cls(
            globs,
            tuple(glob for name in asked.values("t") for glob in _globs_of(name)),
            tuple(glob for name in asked.values("T") for glob in _globs_of(name)),
            "u" in asked,
        )

    def takes(self, met: Met, cwd: str) -> bool:
        said = self.glob_says(met, cwd)
        if said is not None:
            return said
        if any(lets_in for _, lets_in, _ in self.globs) or _any(self.without, met):
            return False
        if self.types:
            return _any(self.types, met)
        return self.everything or not met.node.derived

    def glob_says(self, met: Met, cwd: str) -> bool | None:
        """None: no glob speaks of it."""
        path = normal(met.path, cwd)
        here = path.removeprefix(cwd.rstrip("/") + "/").lstrip("/")
        for glob, lets_in, fold in reversed(self.globs):
            if _glob_matches(glob, here, is_folder=met.node.is_folder, fold=fold):
                return lets_in
        return None


def _any(globs: tuple[str, ...], met: Met) -> bool:
    return any(_glob_matches(glob, met.node.name, is_folder=False) for glob in globs)


def _globs_of(name: str) -> tuple[str, ...]:
    if name not in _TYPES:
        raise Failure(f"unrecognized file type: {name}; there are {' '.join(_TYPES)}", 2)
    return _TYPES[name]


def _glob_matches(glob: str, path: str, *, is_folder: bool, fold: bool = False) -> bool:
    """As in .gitignore: without a slash it is about names, with one about the path from here."""
    if glob.endswith("/"):
        if not is_folder:
            return False
        glob = glob.rstrip("/")
    anchored = "/" in glob
    for one in _alternatives(glob.lstrip("/")):
        subject = path if anchored else path.rpartition("/")[2]
        if compiled(one, fold=fold, slashes=False).search(subject) is not None:
            return True
    return False


def _alternatives(glob: str) -> list[str]:
    match = re.search(r"\{([^{}]*)\}", glob)
    if not match:
        return [glob]
    return [
        whole
        for option in match.group(1).split(",")[:50]
        for whole in _alternatives(glob[: match.start()] + option + glob[match.end() :])
    ][:200]
