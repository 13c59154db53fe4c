#!/usr/bin/env python3
"""Search beside the floor: the same words of the same events in a bare SQLite FTS5 table, asked the same questions.

Three kinds of questions: three rare words, one of the commonest words, and eight words as they come in sentences. The
floor answers with the 200 best row numbers by BM25; Stash with 20 sessions, their passages and everything their reader
may see. Also how fast the indexer is alone, how large both are, and what bounding the postings of a question costs: how
many of the first five sessions stay the same. ``--fuzz N`` asks N random strings and counts what is not answered well.
"""

from __future__ import annotations

import argparse

from rig.engines import engine
from rig.servers import ask
from rig.table import show, verdict

HEAD = ["question", "p50 ms", "p99 ms", "floor p50", "floor p99", "p50 ÷ floor", "CPU ÷ floor", "same first 5"]


def main() -> None:
    options = _options()
    if options.fuzz:
        _fuzz(options)
        return
    for name in options.engine:
        for events in options.events:
            with engine(name) as database:
                ask(database, "prepare", people=2)
                found = ask(database, "search_speed", events=events, questions=options.questions)
            rows = [_row(kind, found["asked"][kind]) for kind in found["asked"]]
            rate = verdict(found["rate"], 600, at_least=True)
            size = f"index {found['bytes'] / 1e6:.1f} MB (FTS5 {found['floor_bytes'] / 1e6:.1f} MB)"
            show(f"search: {name}, {events:,} events; indexer {rate} events/s of CPU; {size}", HEAD, rows)


def _fuzz(options: argparse.Namespace) -> None:
    rows = []
    for name in options.engine:
        with engine(name) as database:
            secret = ask(database, "prepare", people=2)["people"][1]["secret"]
            found = ask(database, "search_fuzz", secret=secret, count=options.fuzz)
        rows.append([name, f"{options.fuzz:,}", str(found["other"]), found["p50"], found["slowest"]])
    show("random bytes as questions", ["engine", "asked", "not answered with 200", "p50 ms", "slowest ms"], rows)


def _row(kind: str, one: dict[str, float]) -> list[object]:
    ratio = verdict(one["p50"] / one["floor_p50"], 2.5)
    times = [one[name] for name in ("p50", "p99", "floor_p50", "floor_p99")]
    return [kind, *times, ratio, one["cpu"] / one["floor_cpu"], f"{100 * one['same']:.0f} %"]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", action="append", choices=("sqlite", "postgres"))
    parser.add_argument("--events", action="append", type=int, help="10,000 and 100,000")
    parser.add_argument("--questions", type=int, default=60, help="of each kind")
    parser.add_argument("--fuzz", type=int, default=0, metavar="N")
    options = parser.parse_args()
    options.engine = options.engine or ["sqlite", "postgres"]
    options.events = options.events or [10_000, 100_000]
    return options


if __name__ == "__main__":
    main()
