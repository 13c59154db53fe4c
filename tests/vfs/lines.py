# ruff: noqa: E501 - tables read better than columns
"""Command lines as agents write them, made up at random over the paths of a tree."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

WORDS = [
    "the",
    "Fix",
    "failed",
    "shop",
    "round",
    "zebra",
    "totals",
    "TimeoutError",
    "retry",
    "A",
    "12.0",
    "caf",
    "é",
    "処理",
    "uid",
]
BASIC = [
    *WORDS, r"failed\|retry", r"to[a-z]*s", r"^##* ", r"[0-9]\{2,\}", r"\(re\)*try", r"s$", r"\<to", r"ed\>", r"\bthe\b",
    r"a.*e", "A|B", r"\w\+", r"1\+", r"*", "^", "$", r"[[:upper:]][[:lower:]]*", r"[^a-z ]", r"\.", "x*", r"^.\{0,12\}$", "[]a]",
    r"\s\S", r"a\?b", "(", r"\(", "[", "a{1", r"no\|one\|here",
]  # fmt: skip
EXTENDED = [
    *WORDS, "failed|retry", "to[a-z]*s", "^#+ ", "[0-9]{2,}", "(re)*try", "s$", r"\<to", r"\bthe\b", "a.*e", r"A\|B", r"\w+",
    "(a|ab)(c|bcd)*", "x*", "^(.)", "[[:digit:]]+", "(re|retry) ", "e{2}|o{2}", "(", ")", "a|", r"[^[:space:]]+$", "[a",
]  # fmt: skip
RUST = [
    *WORDS, "failed|retry", r"to\w*s", "^#+ ", r"\d{2,}", "(?:re)*try", "s$", r"\bthe\b", "a.*?e", r"A\|B", r"\w+", "(a|ab)",
    r"(?i)fix", "[[:upper:]][a-z]+", r"\.", r"[^\s]+$", r"\S+é", r"\bna\wve\b", r"処\w", r"\p{Lu}\w", "(", "a{", "[a-", r"x\y",
    r"re(try)?", r"\x41", "e$|^f", r"\bé", "[^a-z]é",
]  # fmt: skip


def some(flags: Sequence[str], most: int = 3) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(flags), max_size=most, unique=True).map(" ".join)


@dataclass(frozen=True)
class Line:
    """``how`` the two outputs are compared: bytes, or sorted (for what comes in no order)."""

    text: str
    how: str = "bytes"


def lines(files: Sequence[str], folders: Sequence[str]) -> st.SearchStrategy[Line]:
    one = st.sampled_from(files).map(shlex.quote)
    few = st.lists(st.sampled_from([*files, *files, *files, "no/such"]), min_size=1, max_size=3).map(
        lambda paths: " ".join(map(shlex.quote, paths))
    )
    folder = st.sampled_from(folders).map(shlex.quote)
    filters = st.one_of(*_readers(), *_filters(), _grep("grep", "", st.just("")), _rg("", st.just("")))
    named = st.one_of(*(st.tuples(command, few).map(" ".join) for command in [*_readers(), *_filters()]))
    unique = some(["-c", "-d", "-u", "-i"], 2).map(lambda flags: f"uniq {flags}")
    filters = st.one_of(filters, filters, filters, unique)
    named = st.one_of(named, named, named, st.tuples(unique, one).map(" ".join))
    sources = st.one_of(named, _grep("grep", "", few), _rg("", few), _rg("", folder), _ls(folder))
    piped = st.tuples(sources, st.lists(filters, max_size=2)).map(lambda made: " | ".join([made[0], *made[1]]))
    joined = st.tuples(piped, st.sampled_from(["&&", "||", ";"]), piped).map(" ".join)
    ordered = st.one_of(piped, piped, piped, joined, _ls(folder)).map(Line)
    loose = st.one_of(_find(folder, one), _grep("grep", "-r", folder)).map(lambda text: Line(text, "sorted"))
    through_sort = loose.map(lambda line: Line(f"{line.text} | sort | head -n 20"))
    return st.one_of(ordered, ordered, ordered, loose, through_sort)


def _readers() -> list[st.SearchStrategy[str]]:
    number = st.integers(0, 40).map(str)
    return [
        st.sampled_from(["cat", "cat -n", "cat -b", "cat -s"]),
        st.tuples(
            st.sampled_from(["head -n", "head -", "head -c", "head -n -", "head -q -n", "head -v -n"]), number
        ).map(_tight),
        st.tuples(st.sampled_from(["tail -n", "tail -c", "tail -n +", "tail -c +"]), number).map(_tight),
        some(["-l", "-w", "-c", "-m"], 2).map(lambda flags: f"wc {flags}"),
    ]


def _tight(made: tuple[str, str]) -> str:
    return "".join(made)


def _filters() -> list[st.SearchStrategy[str]]:
    ranges = st.sampled_from(["1", "2", "1,3", "2-", "-2", "1-3,5", "4", "2-3,1"])
    keys = st.sampled_from(["-k2", "-k2,2", "-k1,1n", "-t: -k2", "-t / -k3,3r", "-k2.2,2.4", "-k3n -k1", "-t- -k1,1"])
    places = st.sampled_from(
        [
            "1p",
            "$p",
            "2,5p",
            "5,2p",
            "3,$p",
            "/the/p",
            "/^#/,/^$/p",
            "2,/e/p",
            "/[0-9]/,4p",
            "2!p",
            "1p;3p",
            "p",
            "/a/,+1p",
            "4,1!p",
        ]
    )
    return [
        st.tuples(st.just("cut -d"), st.sampled_from([":", " ", "/", "e"]), st.just(" -f"), ranges, st.sampled_from(["", " -s"])).map(
            lambda made: f"{made[0]}{shlex.quote(made[1])}{made[2]}{made[3]}{made[4]}"
        ),
        st.tuples(st.sampled_from(["cut -c", "cut -b", "cut -c "]), ranges).map("".join),
        st.tuples(some(["-n", "-r", "-u", "-s", "-f", "-b"]), keys | st.just("")).map(lambda made: f"sort {made[0]} {made[1]}"),
        places.filter(lambda text: "+" not in text).map(lambda text: f"sed -n {shlex.quote(text)}"),
    ]  # fmt: skip


def _grep(command: str, always: str, paths: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    flags = some(["-i", "-n", "-l", "-L", "-c", "-v", "-o", "-w", "-x", "-h", "-H", "-q", "-m2", "-s"])
    context = st.sampled_from(["", "", "", "-A1", "-B 2", "-C1", "-A 2 -B1"])
    basic = st.tuples(st.just(""), st.sampled_from(BASIC))
    extended = st.tuples(st.just("-E"), st.sampled_from(EXTENDED))
    fixed = st.tuples(st.just("-F"), st.sampled_from([*WORDS, "A|B", "a.*", "[", "."]))
    made = st.tuples(flags, context, st.one_of(basic, extended, fixed), paths).filter(_is_comparable)
    return made.map(
        lambda one: f"{command} {always} {one[2][0]} {one[0]} {one[1]} -e {shlex.quote(one[2][1])} {one[3]}"
    )


def _rg(always: str, paths: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    flags = some(["-i", "-n", "-l", "-c", "-v", "-o", "-w", "-x", "-I", "-H", "-q", "-m2", "-S", "-F", "-g '*.md'",
                  "-g '!summary.md'", "-g '*.{json,jsonl}'", "-tmd"])  # fmt: skip
    context = st.sampled_from(["", "", "", "-A1", "-B 2", "-C1"])
    made = st.tuples(flags, context, st.tuples(st.just(""), st.sampled_from(RUST)), paths).filter(_is_comparable)
    return made.map(lambda one: f"rg {always} {one[0]} {one[1]} -e {shlex.quote(one[2][1])} {one[3]}")


def _is_comparable(made: tuple) -> bool:
    """Combinations whose meaning nobody relies on (and which the tools themselves change with their versions)."""
    flags, context = made[0].split(), made[1]
    shows = {"-l", "-L", "-c", "-o", "-q"} & set(flags)
    return len(shows) <= 1 and not (context and (shows or "-m2" in flags)) and not ("-o" in flags and "-v" in flags)


def _ls(folder: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(some(["-1", "-r", "-R", "-p", "-d"], 2), folder, folder | st.just("")).map(
        lambda made: f"ls {' '.join(made)}"
    )


def _find(folder: st.SearchStrategy[str], one: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    test = st.one_of(
        st.sampled_from(
            ["-name '*.md'", "-iname '*FIX*'", "-type f", "-type d", "-path '*2026-11-25*'", "-mtime +1", "-mtime -3", "-name '[st]*'",
             "-not -name '*.md'", "! -type f", "-name '*.md' -o -name '*.json'", "'(' -type d -o -name '*y*' ')'", "-name 's?mmary.md'"]
        ),
        one.map(lambda path: f"-newer {path}"),
    )  # fmt: skip
    depth = st.sampled_from(["", "", "-maxdepth 1", "-maxdepth 3", "-mindepth 2", "-maxdepth 0"])
    return st.tuples(folder, depth, test, test | st.just("")).map(lambda made: f"find {' '.join(made)}")
