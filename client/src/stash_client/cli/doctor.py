"""``stash doctor``: what is wrong on this machine, what was seen, and what to do; ``--fix`` does what is safe."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from stash_client import doctor
from stash_client.cli.moments import counted
from stash_client.cli.output import DONE, FAILED, Output, plain
from stash_client.doctor import NOTE, Finding

EXAMPLES = ("stash doctor", "stash doctor --fix")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--fix", action="store_true", help="mend what can be mended without asking you anything")


def run(chosen: Namespace, out: Output) -> int:
    """The findings are the answer; the exit code says whether one keeps Stash from working and was not mended."""
    facts, lines, left = [], [], 0
    for finding in doctor.examine():
        mended, trouble = _mended(finding) if chosen.fix and finding.mend else ("", "")
        left += finding.weight != NOTE and not mended
        facts.append({
            "code": finding.code, "weight": finding.weight, "what": finding.what, "evidence": finding.evidence,
            "fix": finding.fix, "can_fix": finding.mend is not None, "fixed": mended or None,
        })  # fmt: skip
        lines += _said(out, finding, mended, trouble)
    if not facts:
        lines = ["Nothing is wrong."]
    out.result({"healthy": not left, "findings": facts}, *lines)
    if left:
        out.aside(f"{counted(left, 'thing keeps', 'things keep')} Stash from working as it should.")
    return FAILED if left else DONE


def _mended(finding: Finding) -> tuple[str, str]:
    """(what was done, why it could not be). One that fails keeps no other from being mended."""
    assert finding.mend is not None
    try:
        return finding.mend(), ""
    except Exception as fault:
        return "", f"{type(fault).__name__}: {fault}"


def _said(out: Output, finding: Finding, mended: str, trouble: str) -> list[str]:
    mark = out.styled("note", "dim") if finding.weight == NOTE else out.styled("problem", "red")
    lines = [f"{mark}  {plain(finding.what)}"]
    lines += [f"    seen: {plain(finding.evidence)}"] if finding.evidence else []
    if mended:
        lines.append(f"    {out.styled('mended:', 'green')} {plain(mended)}")
    elif trouble:
        lines.append(f"    could not be mended: {plain(trouble)}")
    elif finding.fix:
        lines.append(f"    to do: {plain(finding.fix)}")
    return [*lines, ""]
