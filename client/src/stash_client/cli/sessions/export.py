"""``stash sessions export``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path

from stash_client import home
from stash_client.api.client import Stash
from stash_client.cli.here import session_here
from stash_client.cli.output import FAILED, Failed, Output


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("session", nargs="?", help="its id, whole or short; left out, the one that ran here last")
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of to stdout")
    parser.add_argument("--format", choices=("jsonl", "md"), default="jsonl", help="jsonl (the usual) or md")


def run(chosen: Namespace, out: Output) -> None:
    with Stash() as stash:
        whole = stash.full_id(chosen.session or session_here())
        pieces = stash.export(whole) if chosen.format == "jsonl" else iter([stash.transcript(whole).encode()])
        if chosen.output:
            size = _write(Path(chosen.output), pieces, out)
            out.result({"session": whole, "file": chosen.output, "bytes": size}, f"{chosen.output}: {size:,} bytes")
        elif out.as_json:
            out.result({"session": whole, chosen.format: b"".join(pieces).decode("utf-8", "replace")})
        else:
            for piece in pieces:
                out.raw(piece)


def _write(path: Path, pieces: Iterable[bytes], out: Output) -> int:
    """Whole or not at all, for this person's eyes only; asks before it replaces a file."""
    if path.exists() and not out.ask(f"Replace {path}?", default=False):
        raise Failed(f"{path} is there already.", hint="Give --yes to replace it.", code="exists", exit_code=FAILED)
    data = b"".join(pieces)
    home.write_private(path, data)
    return len(data)
