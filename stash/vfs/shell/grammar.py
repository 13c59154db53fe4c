"""A command line as words, pipelines and lists, by the grammar of the POSIX shell.

What is not done here (variables, substitution, subshells, background) is an error that says so: an agent must never
believe that something was searched which was not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from stash.vfs.errors import GrammarError

MOST_BYTES = 64 * 1024
_OPERATORS = ("&&", "||", ">>", "<<", ";;", ">&", "&>", "|&", "|", "&", ";", ">", "<", "(", ")", "\n")
_REFUSED = {
    "&": "there are no background jobs",
    "(": "there are no subshells; quote ( and )",
    ")": "there are no subshells; quote ( and )",
    "<<": "there are no here-documents",
    ";;": "there is no case",
    "|&": "write 2>&1 |",
}
_RESERVED = frozenset("if then else elif fi for while until do done case esac function select { } [[ !".split())  # noqa: SIM905
_SPECIAL = frozenset("@*#?$!-_{(")


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a word. ``quoted``: its characters stand for themselves; ``status``: it is ``$?``."""

    text: str
    quoted: bool = False
    status: bool = False


Word = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Redirect:
    """``fd`` 1 or 2 (0 reads). ``target``: a word, or None for the copy ``2>&1`` (``copy`` is the other one)."""

    fd: int
    target: Word | None
    append: bool = False
    copy: int = 0


@dataclass(frozen=True, slots=True)
class Command:
    words: Sequence[Word]
    redirects: Sequence[Redirect] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """``joint``: how it follows the one before: ``;``, ``&&`` or ``||``."""

    joint: str
    pipeline: Sequence[Command]


@dataclass(slots=True)
class _Building:
    words: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)

    def done(self, near: str) -> Command:
        if not self.words:
            raise GrammarError(f"syntax error: a command is missing {near}")
        return Command(self.words, self.redirects)


def parse(line: str) -> list[Step]:
    """Raises GrammarError."""
    if len(line.encode()) > MOST_BYTES:
        raise GrammarError(f"a command line may have at most {MOST_BYTES} bytes")
    marks = list(_marks(line))
    steps: list[Step] = []
    joint, pipeline, command = ";", list[Command](), _Building()
    at = 0
    while at < len(marks):
        mark = marks[at]
        at += 1
        if not isinstance(mark, str):
            command.words.append(mark)
            continue
        if mark in ("|", "&&", "||"):
            pipeline.append(command.done(f"before {mark}"))
            command = _Building()
            if mark != "|":
                steps.append(Step(joint, pipeline))
                joint, pipeline = mark, []
        elif mark in (";", "\n"):
            if mark == "\n" and not command.words and (pipeline or joint != ";"):
                continue  # a line may break after an operator
            if pipeline or command.words or command.redirects or joint != ";":
                steps.append(Step(joint, [*pipeline, command.done(f"before {mark.strip() or 'the line ends'}")]))
            elif mark == ";":
                raise GrammarError("syntax error: a command is missing before ;")
            joint, pipeline, command = ";", [], _Building()
        else:
            at = _redirect(command, mark, marks, at)
    if pipeline or command.words or command.redirects or joint != ";":
        steps.append(Step(joint, [*pipeline, command.done("at the end")]))
    _check_reserved(steps)
    return steps


def _redirect(command: _Building, mark: str, marks: list[Word | str], at: int) -> int:
    """``mark`` is a descriptor and an operator, as ``2>>``."""
    digits = mark.rstrip("<>&")
    operator, descriptor = mark[len(digits) :], digits or ""
    target = marks[at] if at < len(marks) else ""
    if isinstance(target, str):
        raise GrammarError(f"syntax error: {mark} needs a file")
    if operator == ">&":
        command.redirects.append(_copy(int(descriptor or 1), target))
        return at + 1
    fd = 0 if operator == "<" else int(descriptor or 1)
    if fd > 2:
        raise GrammarError(f"{mark}: only descriptors 0, 1 and 2 are here")
    command.redirects.append(Redirect(fd, target, append=operator == ">>"))
    if operator == "&>":
        command.redirects.append(Redirect(2, None, copy=1))
    return at + 1


def _copy(fd: int, target: Word) -> Redirect:
    other = "".join(piece.text for piece in target)
    if fd not in (1, 2) or other not in ("1", "2"):
        raise GrammarError(f"{fd}>&{other}: only 2>&1 and 1>&2 are here")
    return Redirect(fd, None, copy=int(other))


def _check_reserved(steps: Sequence[Step]) -> None:
    for step in steps:
        for command in step.pipeline:
            first = command.words[0]
            name = first[0].text if len(first) == 1 and not first[0].quoted else ""
            if name in _RESERVED:
                raise GrammarError(f"{name}: there are no loops, conditions or functions here, only commands")


def _marks(line: str) -> Iterator[Word | str]:
    """Words, and operators as strings (redirections with their descriptor in front)."""
    at, size = 0, len(line)
    while at < size:
        char = line[at]
        if char in " \t\r" or line.startswith("\\\n", at):
            at += 2 if char == "\\" else 1
        elif char == "#":
            at = line.find("\n", at) if "\n" in line[at:] else size
        elif operator := _operator(line, at):
            if operator.lstrip("0123456789") in _REFUSED:
                raise GrammarError(f"{operator.strip()}: {_REFUSED[operator.lstrip('0123456789')]}")
            yield operator
            at += len(operator)
        else:
            word, at = _word(line, at)
            yield word


def _operator(line: str, at: int) -> str:
    digits = at
    while digits < len(line) and line[digits].isascii() and line[digits].isdigit():
        digits += 1
    if digits > at:
        return line[at:digits] + _operator(line, digits) if digits < len(line) and line[digits] in "<>" else ""
    return next((operator for operator in _OPERATORS if line.startswith(operator, at)), "")


def _word(line: str, at: int) -> tuple[Word, int]:
    pieces: list[Piece] = []
    plain = ""
    while at < len(line) and line[at] not in " \t\r\n|&;<>()":
        char = line[at]
        if char == "\\":
            if line.startswith("\\\n", at):
                at += 2
                continue
            pieces += [Piece(plain)] if plain else []
            plain = ""
            pieces.append(Piece(line[at + 1 : at + 2] or "\\", quoted=True))
            at += 2
        elif char in "'\"":
            pieces += [Piece(plain)] if plain else []
            plain = ""
            found, at = _single(line, at) if char == "'" else _double(line, at)
            pieces += found
        elif char == "$" and (kind := _expansion(line, at, quoted=False)):
            pieces += [Piece(plain)] if plain else []
            plain = ""
            pieces.append(kind)
            at += 2
        else:
            _refuse(line, at)
            plain += char
            at += 1
    pieces += [Piece(plain)] if plain else []
    return tuple(pieces), at


def _single(line: str, at: int) -> tuple[list[Piece], int]:
    end = line.find("'", at + 1)
    if end < 0:
        raise GrammarError("syntax error: a ' is not closed")
    return [Piece(line[at + 1 : end], quoted=True)], end + 1


def _double(line: str, at: int) -> tuple[list[Piece], int]:
    at += 1
    pieces: list[Piece] = []
    text = ""
    while at < len(line) and line[at] != '"':
        if line[at] == "\\" and at + 1 < len(line) and line[at + 1] in '$`"\\\n':
            text += "" if line[at + 1] == "\n" else line[at + 1]
            at += 2
        elif line[at] == "$" and (kind := _expansion(line, at, quoted=True)):
            pieces += [Piece(text, quoted=True), kind]
            text = ""
            at += 2
        elif line[at] == "`":
            raise GrammarError("`: there is no command substitution; quote it with '...'")
        else:
            text += line[at]
            at += 1
    if at >= len(line):
        raise GrammarError('syntax error: a " is not closed')
    return [*pieces, Piece(text, quoted=True)], at + 1


def _expansion(line: str, at: int, *, quoted: bool) -> Piece | None:
    """``$?`` is known; another ``$`` that a shell would expand is refused; one that it would leave is a character."""
    after = line[at + 1 : at + 2]
    if after == "?":
        return Piece("$?", quoted=True, status=True)
    if after in ("'", '"') and not quoted:
        raise GrammarError(f"${after}: this quoting is not known here; use '...'")
    if after and ((after.isascii() and after.isalnum()) or after in _SPECIAL):
        raise GrammarError(f"${after}: nothing is expanded here except $?; quote it with '...'")
    return None


def _refuse(line: str, at: int) -> None:
    char = line[at]
    if char == "`":
        raise GrammarError("`: there is no command substitution; quote it with '...'")
    if char == "{":
        end = line.find("}", at)
        inside = line[at + 1 : end] if end > 0 else ""
        if ("," in inside or ".." in inside) and not set(inside) & set(" \t\n'\""):
            raise GrammarError(f"{{{inside}}}: braces are not expanded here; write the words out or quote them")
