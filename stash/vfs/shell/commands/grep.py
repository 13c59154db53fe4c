"""grep, egrep and fgrep: basic syntax, -E, -F, -P; the longest match, as GNU has it."""

from __future__ import annotations

from collections.abc import Iterator

from stash.vfs.regex import Dialect, Wish, matcher
from stash.vfs.shell.globs import matches
from stash.vfs.shell.options import Given, Options, given
from stash.vfs.shell.process import Process
from stash.vfs.shell.searching import Search, patterns_of, style_of
from stash.vfs.shell.walking import Met, walk
from stash.vfs.tree import File, Folder

_GREP = Options(
    "inlLcvowxqhHrRsEFGPa",
    "emABC",
    {
        "ignore-case": "i", "line-number": "n", "files-with-matches": "l", "files-without-match": "L", "count": "c",
        "invert-match": "v", "only-matching": "o", "word-regexp": "w", "line-regexp": "x", "quiet": "q", "silent": "q",
        "no-filename": "h", "with-filename": "H", "recursive": "r", "dereference-recursive": "r", "no-messages": "s",
        "extended-regexp": "E", "fixed-strings": "F", "basic-regexp": "G", "perl-regexp": "P", "regexp=": "e",
        "max-count=": "m", "after-context=": "A", "before-context=": "B", "context=": "C", "include=": "include",
        "exclude=": "exclude", "exclude-dir=": "exclude-dir", "text": "a",
    },
    harmless=frozenset({"color", "color=", "colour", "colour=", "line-buffered"}),
    numeric="C",
    status=2,
)  # fmt: skip
_DIALECTS = {"E": Dialect.EXTENDED, "F": Dialect.FIXED, "G": Dialect.BASIC, "P": Dialect.PERL}
_BY_NAME = {"egrep": Dialect.EXTENDED, "fgrep": Dialect.FIXED}


def grep(process: Process) -> Iterator[bytes]:
    asked = given(_GREP, process.args)
    patterns, paths = patterns_of(asked, "usage: grep [options] pattern [path ...]")
    wish = Wish(
        patterns,
        _DIALECTS.get(asked.last("EFGP")) or _BY_NAME.get(process.name, Dialect.BASIC),
        fold="i" in asked,
        words="w" in asked,
        lines="x" in asked,
        longest=asked.last("EFGP") != "P",
    )
    recursive = "r" in asked or "R" in asked
    search = Search(
        matcher(wish), style_of(asked, names=_names(process, asked, paths, recursive), zero_counts=True, without="L")
    )
    before = len(process.errors)
    for shown, node in _files(process, asked, paths, recursive):
        yield from search.node(shown, node) if node is not None else search.file(shown, process.input())
        if search.found and "q" in asked:
            process.status = 0
            return
    if "s" in asked:
        del process.errors[before:]
    if not process.status:
        process.status = 0 if search.found else 1


def _names(process: Process, asked: Given, paths: list[str], recursive: bool) -> bool:
    choice = asked.last("hH")
    if choice:
        return choice == "H"
    if len(paths) > 1:
        return True
    return recursive and (not paths or isinstance(process.node(paths[0]), Folder))


def _files(process: Process, asked: Given, paths: list[str], recursive: bool) -> Iterator[tuple[str, File | None]]:
    """Each file with the name it is shown by; None is stdin."""
    if not paths and not recursive:
        yield "(standard input)", None
        return
    for path in paths or ["."]:
        if path == "-":
            yield "(standard input)", None
            continue
        node = process.existing(path, 2)
        if isinstance(node, Folder) and not recursive:
            process.say(f"{path}: Is a directory", 2)
        elif node is not None:
            for met in walk(Met(path, node), enter=lambda met: _is_entered(met, asked)):
                if isinstance(met.node, File) and _is_wanted(met, asked):
                    yield met.path if paths else met.path.removeprefix("./"), met.node


def _is_entered(met: Met, asked: Given) -> bool:
    return not met.depth or not any(matches(pattern, met.node.name) for pattern in asked.values("exclude-dir"))


def _is_wanted(met: Met, asked: Given) -> bool:
    name = met.node.name
    if any(matches(pattern, name) for pattern in asked.values("exclude")):
        return False
    wanted = asked.values("include")
    return not wanted or any(matches(pattern, name) for pattern in wanted)
