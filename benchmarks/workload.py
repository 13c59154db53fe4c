"""Made-up sessions of coding agents from real text of this machine: manual pages, documentation, source code.

Seeded: the same machine gives the same events. 300 to 3,000 characters each (about 1,000 on average), one prompt in
twelve, a quarter replies, the rest tool calls: diffs, log lines, greps, test runs, file excerpts.
"""

from __future__ import annotations

import glob
import gzip
import json
import os
import random
import re
import sys
import sysconfig
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, uuid5

CACHE = Path(__file__).resolve().parent / ".cache" / "corpus.json"
Code = tuple[str, int, list[str]]
Corpus = tuple[list[str], list[Code]]
_FAMILY = {"Bash": "shell", "Edit": "edit", "Read": "read", "Grep": "search", "Write": "edit"}
_START = datetime(2026, 1, 1, tzinfo=UTC)


def corpus() -> Corpus:
    """(sentences, pieces of code), built once."""
    if CACHE.exists():
        sentences, code = json.loads(CACHE.read_text())
        return sentences, [tuple(piece) for piece in code]
    rng = random.Random(7)
    sentences = sorted({*_manual_sentences(rng), *_topic_sentences()})
    rng.shuffle(sentences)
    built = sentences[:40_000], _code(rng)
    CACHE.parent.mkdir(exist_ok=True)
    CACHE.write_text(json.dumps(built))
    return built


def _manual_sentences(rng: random.Random) -> Iterator[str]:
    pages = sorted(glob.glob("/usr/share/man/man[1-8]/*.gz"))
    rng.shuffle(pages)
    for page in pages[:800]:
        try:
            with gzip.open(page, "rt", errors="replace") as file:
                yield from _sentences(_without_roff(file.read(60_000)))
        except OSError:
            continue


def _topic_sentences() -> Iterator[str]:
    from pydoc_data.topics import topics

    for text in topics.values():
        yield from _sentences(text)


def _without_roff(text: str) -> str:
    text = re.sub(r"^[.'].*$", "", text, flags=re.M)
    text = re.sub(r"\\f[BIRP]|\\f\(..|\\&|\\,|\\/|\\c", "", text)
    text = text.replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\")
    return re.sub(r"\\\(..|\\\[[^]]*\]|\\.", " ", text)


def _sentences(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        for sentence in re.split(r"(?<=[.!?]) +", " ".join(paragraph.split())):
            if 40 < len(sentence) < 260 and sum(c.isalpha() or c == " " for c in sentence) > 0.75 * len(sentence):
                yield sentence


def _code(rng: random.Random) -> list[Code]:
    import django

    library = sysconfig.get_path("stdlib")
    package = os.path.dirname(django.__file__)
    files = sorted([*glob.glob(f"{package}/**/*.py", recursive=True), *glob.glob(f"{library}/*.py")])
    rng.shuffle(files)
    pieces: list[Code] = []
    for name in files[:1000]:
        lines = Path(name).read_text(errors="replace").splitlines()
        short = os.path.relpath(name, os.path.dirname(package if name.startswith(package) else library))
        for at in range(0, min(len(lines), 1200), 14):
            block = lines[at : at + 14]
            if sum(map(len, block)) > 150:
                pieces.append((short, at + 1, block))
    rng.shuffle(pieces)
    return pieces[:15_000]


class Session:
    """One made-up session; iterating gives its events in the wire form of the HTTP contract."""

    def __init__(self, index: int, length: int, *, seed: int = 1, source: Corpus | None = None) -> None:
        self._rng = random.Random(seed * 1_000_003 + index)
        self._sentences, self._pieces = source or corpus()
        self._seed, self._index, self._length = seed, index, length
        self._at = _START + timedelta(minutes=15 * index)
        self.native_id = str(uuid5(NAMESPACE_OID, f"session {seed}-{index}"))
        self.repository = self._rng.choice(["web", "api", "infra", "mobile", "data-jobs", "docs-site"])
        self.harness = self._rng.choice(["claude-code", "codex", "cursor"])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for number in range(self._length):
            self._at += timedelta(seconds=self._rng.randint(2, 40))
            common = {
                "uid": str(uuid5(NAMESPACE_OID, f"event {self._seed}-{self._index}-{number}")),
                "n": number + 1,
                "occurred_at": self._at.isoformat(),
            }
            yield common | self._happening(number)

    def block(self) -> dict[str, Any]:
        """The session block of a request."""
        return {
            "harness": self.harness,
            "native_id": self.native_id,
            "project": {"identities": [f"git.example.test/acme/{self.repository}"]},
            "cwd": f"~/src/{self.repository}",
            "branch": "main",
            "machine": "bench",
            "client_version": "0.1.0",
        }

    def _happening(self, number: int) -> dict[str, Any]:
        rng = self._rng
        if number % 12 == 0:
            return {"kind": "prompt", "text": self._prose(300, 900)}
        if rng.random() < 0.25:
            usage = {"input": rng.randint(1, 4000), "output": rng.randint(1, 900), "cache_read": rng.randint(0, 90_000)}
            return {"kind": "reply", "text": self._prose(300, 1500), "model": "claude-sonnet-4-5", "usage": usage}
        return self._tool_call()

    def _tool_call(self) -> dict[str, Any]:
        rng = self._rng
        name = rng.choice(list(_FAMILY))
        path = rng.choice(self._pieces)[0]
        call = {
            "kind": "tool_call",
            "name": name,
            "family": _FAMILY[name],
            "call_id": f"toolu_{rng.getrandbits(96):024x}",
        }
        call |= {"ok": rng.random() < 0.9, "duration_ms": rng.randint(5, 9000)}
        if _FAMILY[name] == "edit":
            return call | {"input": {"file_path": path}, "paths": [path], "diff": self._diff(path)}
        if name == "Read":
            return call | {"input": {"file_path": path}, "paths": [path], "output": self._excerpt()}
        if name == "Grep":
            return call | {"input": {"pattern": rng.choice(self._sentences)[:20]}, "output": self._log()}
        command = f"pytest -q {os.path.dirname(path)}"
        return call | {"input": {"command": command}, "output": self._test_run(), "exit_code": rng.choice([0, 0, 0, 1])}

    def _prose(self, least: int, most: int) -> str:
        wanted, said = self._rng.randint(least, most), ""
        while len(said) < wanted:
            said += self._rng.choice(self._sentences) + " "
        return said.strip()

    def _diff(self, path: str) -> str:
        rng = self._rng
        _, line, block = rng.choice(self._pieces)
        other = rng.choice(self._pieces)[2]
        rows = [f"--- a/{path}", f"+++ b/{path}", f"@@ -{line},{len(block)} +{line},{len(block)} @@"]
        for old, new in zip(block, other, strict=False):
            rows += [f"-{old}", f"+{new}"] if rng.random() < 0.3 else [f" {old}"]
        return self._sized("\n".join(rows))

    def _excerpt(self) -> str:
        pieces = self._rng.sample(self._pieces, 2)
        return self._sized(
            "\n".join(f"{line + i:6}\t{text}" for _, line, block in pieces for i, text in enumerate(block))
        )

    def _log(self) -> str:
        rng, at, rows = self._rng, self._at, []
        for _ in range(rng.randint(4, 16)):
            at += timedelta(milliseconds=rng.randint(1, 4000))
            path, line, _ = rng.choice(self._pieces)
            level = rng.choice(["INFO", "INFO", "DEBUG", "WARNING", "ERROR"])
            said = rng.choice(self._sentences)[:120]
            rows.append(f"{at:%Y-%m-%d %H:%M:%S} {level} {path}:{line} req={rng.getrandbits(32):08x} {said}")
        return self._sized("\n".join(rows))

    def _test_run(self) -> str:
        rng = self._rng
        path, _, block = rng.choice(self._pieces)
        words = re.findall(r"[a-z]{4,}", " ".join(block))[:12]
        rows = [f"{path}::test_{word} {rng.choice(['PASSED', 'PASSED', 'PASSED', 'FAILED'])}" for word in words]
        rows.append(f"E   AssertionError: {rng.choice(self._sentences)[:150]}")
        rows.append(f"=== {rng.randint(1, 9)} failed, {rng.randint(1, 400)} passed in {rng.random() * 90:.2f}s ===")
        return self._sized("\n".join(rows))

    def _sized(self, text: str) -> str:
        return (text if len(text) >= 300 else f"{text}\n{self._prose(300, 600)}")[:3000]


def sessions(count: int, length: int, *, seed: int = 1) -> Iterator[Session]:
    source = corpus()
    for index in range(count):
        yield Session(index, length, seed=seed, source=source)


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    for session in sessions(-(-wanted // 60), 60):
        for event in session:
            print(json.dumps({"session": session.native_id, **event}))
