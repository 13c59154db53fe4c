"""How fast and how exact the privacy boundary is.

    python benchmarks/privacy.py [--megabytes 8] [files...]

Prints MB/s of CPU time for ``scrub`` over ordinary text (the given files, else the sources of the standard library in
events of about 1 kB and as whole files), the ratio to a floor measured in the same run (one ``str.translate`` and one
regular expression over the same text), recall over planted secrets, findings per MB of ordinary source, and how the
time grows on hostile input, with the worst repeated unit last.
"""

from __future__ import annotations

import argparse
import re
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "client" / "src"))

from stash_client.privacy import scrub  # noqa: E402

CORPORA = ROOT / "tests" / "client" / "privacy" / "corpora"
FLOOR = re.compile(r"(?i)[a-z0-9_-]{0,40}(?:password|secret|token|api_?key)[\"']?\s*[:=]\s*\S+")
CONTROLS = {code: None for code in range(32) if code not in (9, 10)}
HOSTILE = (
    "password=", "a;password=b;", "://a:b@", "eyJ", "?sig=", "token ", "token: ", "<private ", " -p", '\\"',
    "API_KEY=a ",
    "API_KEY=a\n", 'secrets: ["a", ', "authorization:", "curl -u a:b ", "mysql -pa ", "$1$", "KEY_", "pw",
    "password is a1b2c ", "sk-", "ghp_", "-----BEGIN ", "cookie: a=bcdef; ", "[redacted:key]", "\x1b]",
    "a\x08", "\u200b", "/home/a", "a ", "a\n",
)  # fmt: skip


def ordinary(paths: list[str], megabytes: float) -> list[str]:
    files = [Path(path) for path in paths] or sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    texts, size = [], 0
    for file in files:
        texts.append(file.read_text(errors="replace"))
        size += len(texts[-1])
        if size >= megabytes * 1e6:
            break
    return texts


def pieces(texts: list[str], length: int = 1000) -> list[str]:
    return [text[at : at + length] for text in texts for at in range(0, len(text), length)]


def seconds(work: Callable[[str], object], texts: list[str]) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        for text in texts:
            work(text)
        best = min(best, time.process_time() - start)
    return best


def floor(text: str) -> int:
    return len(FLOOR.findall(text.translate(CONTROLS)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=8)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    texts = ordinary(options.files, options.megabytes)
    size = sum(map(len, texts)) / 1e6
    for name, sample in (("whole files", texts), ("events of 1 kB", pieces(texts))):
        ours, theirs = seconds(scrub, sample), seconds(floor, sample)
        print(f"{name:16} {size / ours:6.1f} MB/s   floor {size / theirs:6.1f} MB/s   ratio {ours / theirs:.2f}")
    found: Counter[str] = sum((Counter(scrub(text).redactions) for text in texts), Counter())
    print(f"ordinary source  {sum(found.values()) / size:6.2f} findings per MB  {dict(found)}")
    for path in sorted(CORPORA.glob("R0*.txt")):
        lines = path.read_text().splitlines()
        print(f"{path.name:16} {sum(bool(scrub(line).redactions) for line in lines)} of {len(lines)} lines changed")
    hostile()


def hostile() -> None:
    """Repeated units, slowest first."""
    rows = []
    for unit in HOSTILE:
        small, large = (seconds(scrub, [unit * (count // len(unit))]) for count in (30_000, 120_000))
        rows.append((0.12 / large, large / max(small, 1e-6), unit))
    for speed, growth, unit in sorted(rows):
        print(f"hostile {unit!r:22} {speed:7.2f} MB/s   4 times the text takes {growth:.1f} times")
    print(f"worst unit {min(rows)[2]!r}: {min(rows)[0]:.2f} MB/s")


if __name__ == "__main__":
    main()
