"""Characters first: what a terminal, a database or a reader would choke on never gets further.

Removed: NUL and the other C0/C1 controls and DEL (tab and newline stay), terminal sequences (CSI, OSC, DCS and the
like, with their text), byte-order marks, bidirectional controls and invisible separators (zero width space, word
joiner, invisible operators, tag characters): the text then reads in the order it was typed and no word is split
unseen. Kept: zero width joiner and non-joiner beside a non-ASCII character, because emoji and several
scripts are spelt with them. A lone surrogate becomes U+FFFD, a pair the character it stands for. ``\\r\\n`` and a lone
``\\r`` become a newline; where a line was only redrawn (a progress bar), its last state stays. ``x`` + backspace is
taken back. A sequence that does not end loses its introduction only: what follows may be text.
"""

from __future__ import annotations

import re

_CONTROLS = bytes(b for b in (*range(32), 127) if b not in (9, 10))
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_JOINERS = re.compile("(?<![^\x00-\x7f])[\u200c\u200d]+(?![^\x00-\x7f])")
_LINE_BREAKS = re.compile("\r\n?|[\x85\u2028\u2029]")
_PAIRS = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)(?:[0-9;]{1,64} [@A-Zp-z]|[0-?]{0,64}[!-/]{0,8}[@-~]?)"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])(?:[^\x07\x1b\x80-\x9f\n]{0,4096}(?:\x07|\x1b\\|\x9c))?"
    r"|\x1b [FGLMN]|\x1b[!-/]{1,4}[0-~]?|\x1b[0-~]?"
)
_BACKSPACES = re.compile("[^\n\x08]\x08")


def normalise(text: str) -> str:
    """The same text in characters that can be stored and shown anywhere; see the module for what changes."""
    if text.isascii():
        if len(text.encode("ascii").translate(None, _CONTROLS)) == len(text):
            return text
    elif not _SUSPECT.search(text):
        return text
    return _repaired(text)


def _repaired(text: str) -> str:
    text = _PAIRS.sub(lambda pair: pair.group().encode("utf-16", "surrogatepass").decode("utf-16"), text)
    text = _SURROGATES.sub("\ufffd", text).replace("\x00", "")
    text = _SEQUENCES.sub("", text) if "\x1b" in text or any("\x90" <= c <= "\x9f" for c in set(text)) else text
    text = _taken_back(text)
    text = _redrawn(text.replace("\r\n", "\n")) if "\r" in text else text
    text = _INVISIBLE.sub("", _LINE_BREAKS.sub("\n", text))
    return _JOINERS.sub("", text)


def _taken_back(text: str) -> str:
    """Overstrikes of man pages (``N\\bN``) and typing corrections; a few rounds, the rest of the controls just goes."""
    for _ in range(4):
        if "\x08" not in text:
            break
        text = _BACKSPACES.sub("", text)
    return text


def _redrawn(text: str) -> str:
    """Of neighbours on one line separated by ``\\r`` that begin alike, only the last."""
    lines = []
    for line in text.split("\n"):
        states = [state for state in line.split("\r") if state.strip()] if "\r" in line else [line]
        lines += [now for now, after in zip(states, [*states[1:], ""]) if not _same_bar(now, after)] or [""]
    return "\n".join(lines)


def _same_bar(now: str, after: str) -> bool:
    return bool(after) and (now.strip()[:4] == after.strip()[:4] or ("%" in now and "%" in after))
