#!/usr/bin/env python3
"""How good search is: questions with known answers, through capture, the indexer and the search of the product.

Two sets, both read from a folder that is not part of this repository (``--sets``): conversations with questions about
them (LoCoMo: a person who knows what was said in which session) and coding sessions with paraphrased questions. Per set
and engine: hit@1, hit@5 (a right session first, among the first five), recall@5 (all right sessions among the first
five), the same for events, the mean reciprocal rank of the right event, and how many questions were answered by meaning
as well (the process with the models is waited for here). ``--without`` switches stages off, one row each; ``--without
none`` asks as it is only.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rig.engines import engine
from rig.servers import ask
from rig.table import show

SETS = Path(__file__).resolve().parent.parent.parent / "shared" / "bench"
STAGES = ("meaning", "typos", "window", "gate", "dates", "authors")


def main() -> None:
    options = _options()
    for name in options.engine:
        with engine(name) as database:
            ask(database, "prepare", people=1)
            for which in options.set:
                found = ask(database, "retrieval", which=which, folder=str(options.sets), without=options.without)
                show(f"{which}, {name}: {found['about']}", found["head"], found["rows"])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", action="append", choices=("sqlite", "postgres"))
    parser.add_argument("--set", action="append", choices=("locomo", "coding"))
    parser.add_argument("--sets", type=Path, default=SETS, help="the folder with the sets")
    parser.add_argument(
        "--without", action="append", choices=(*STAGES, "none"), help="all of them one by one, unless chosen"
    )
    options = parser.parse_args()
    options.engine = options.engine or ["sqlite", "postgres"]
    options.set = options.set or ["locomo", "coding"]
    chosen = STAGES if options.without is None else options.without
    options.without = [stage for stage in chosen if stage != "none"]
    if not options.sets.is_dir():
        print(f"left out: there are no question sets in {options.sets}; say where with --sets")
        options.engine = []
    return options


if __name__ == "__main__":
    main()
