"""A command line from text to outcome: pipelines of generators, each pulling from the one before."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field

from stash.actors import Actor
from stash.vfs.budget import Budget, Stopped
from stash.vfs.errors import Failure, GrammarError
from stash.vfs.mounts import root_of
from stash.vfs.shell.commands import COMMANDS, unknown
from stash.vfs.shell.globs import expand
from stash.vfs.shell.grammar import Command, Redirect, Step, Word, parse
from stash.vfs.shell.process import Process
from stash.vfs.tree import File, Folder, Reader, find, normal

_NULL = "/dev/null"
_OUT_OF_BUDGET, _NOT_FOUND, _USAGE = 124, 127, 2
_MOST_WORDS, _MOST_ERRORS = 20_000, 200


@dataclass(frozen=True)
class Outcome:
    """``truncated``: something ran out, and stderr says what; what came before it is right."""

    stdout: bytes
    stderr: str
    exit_code: int
    cwd: str
    truncated: bool = False


@dataclass
class Shell:
    root: Folder
    reader: Reader
    cwd: str
    status: int = 0
    errors: list[str] = field(default_factory=list)

    def say(self, lines: Sequence[str]) -> None:
        room = _MOST_ERRORS - len(self.errors)
        self.errors += lines[:room]


def run_line(actor: Actor, line: str, *, cwd: str = "/", budget: Budget | None = None) -> Outcome:
    """Run a command line as this person sees the tree. Never raises for anything that was typed."""
    reader = Reader(actor, budget or Budget())
    return run_in(root_of(reader), reader, line, cwd=cwd)


def run_in(root: Folder, reader: Reader, line: str, *, cwd: str = "/") -> Outcome:
    """The same over any tree."""
    shell = Shell(root, reader, _existing(root, cwd))
    output = bytearray()
    stopped = False
    try:
        _refuse_what_no_file_holds(line)
        for step in parse(line):
            if _is_next(step, shell.status) and not _collect(shell, step, output):
                break
    except GrammarError as error:
        shell.say([f"stash: {error}"])
        shell.status = _USAGE
    except (Stopped, RecursionError):
        stopped = True
    return _outcome(shell, output, stopped)


def _refuse_what_no_file_holds(line: str) -> None:
    if "\0" in line or any("\ud800" <= c <= "\udfff" for c in line):
        raise GrammarError("a command line is text without NUL and surrogates")


def _existing(root: Folder, cwd: str) -> str:
    """Where to start; the root when that folder is gone."""
    path = normal(cwd.replace("\0", "")) if cwd.isprintable() else "/"
    return path if path == "/" or isinstance(find(root, path), Folder) else "/"


def _is_next(step: Step, status: int) -> bool:
    return step.joint == ";" or (step.joint == "&&") == (status == 0)


def _collect(shell: Shell, step: Step, output: bytearray) -> bool:
    """Run a pipeline into ``output``; False when that is full."""
    stream = pipeline(shell, step.pipeline)
    most = shell.reader.budget.output
    try:
        for piece in stream:
            output += piece
            if len(output) > most:
                del output[_last_line_end(output, most) :]
                shell.reader.budget.spent = shell.reader.budget.spent or f"{most:,} bytes of output"
                return False
    finally:
        stream.close()
    return True


def _last_line_end(output: bytearray, most: int) -> int:
    return output.rfind(b"\n", 0, most) + 1 or most


def _outcome(shell: Shell, output: bytearray, stopped: bool) -> Outcome:
    budget = shell.reader.budget
    spent = budget.spent or (f"{budget.seconds:g} seconds" if stopped else "")
    status = shell.status
    if spent:
        shell.errors.append(f"stash: stopped after {spent}: this is not all. Name a narrower path, or use head.")
        status = _OUT_OF_BUDGET
    stderr = "".join(f"{line}\n" for line in shell.errors)
    return Outcome(bytes(output), stderr, status, shell.cwd, bool(spent))


def pipeline(shell: Shell, commands: Sequence[Command]) -> Generator[bytes, None, None]:
    """The output of the last; its status is the shell's."""
    stream: Generator[bytes, None, None] | None = None
    alone = len(commands) == 1
    for position, command in enumerate(commands):
        is_last = position == len(commands) - 1
        stream = _process(shell, command, stream, is_last=is_last, alone=alone)
    assert stream is not None
    return stream


def _process(
    shell: Shell, command: Command, stdin: Generator[bytes, None, None] | None, *, is_last: bool, alone: bool
) -> Generator[bytes, None, None]:
    process: Process | None = None
    plan = _Plan()
    try:
        process = Process("", [], shell.root, shell.reader, shell.cwd, stdin, before=shell.status)
        yield from _output(shell, process, command, plan)
    finally:
        if stdin is not None:
            stdin.close()
        if process is not None:
            shell.say([] if plan.errors == _NULL else process.errors)
            if is_last:
                shell.status = process.status
            if alone:
                shell.cwd = process.cwd


@dataclass
class _Plan:
    """Where the two outputs go: on (empty), to nowhere, or to each other."""

    output: str = ""
    errors: str = ""


def _output(shell: Shell, process: Process, command: Command, plan: _Plan) -> Iterator[bytes]:
    try:
        process.name, *process.args = _words(shell, command.words)
        for redirect in command.redirects:
            _redirect(shell, process, redirect, plan)
        run = COMMANDS.get(process.name)
        if run is None:
            raise Failure(unknown(process.name), _NOT_FOUND)
        for piece in run(process):
            yield from _told(process, plan)
            if plan.output == "":
                yield piece
            elif plan.output == "2":
                process.errors.append(piece.decode("utf-8", "replace").rstrip("\n"))
    except Failure as failure:
        process.say(failure.message)
        process.status = failure.status
    yield from _told(process, plan)


def _told(process: Process, plan: _Plan) -> Iterator[bytes]:
    """With 2>&1, what was said so far."""
    if plan.errors == "1" and process.errors:
        said, process.errors[:] = "".join(f"{line}\n" for line in process.errors), []
        yield said.encode("utf-8", "replace")


def _words(shell: Shell, words: Sequence[Word]) -> list[str]:
    found: list[str] = []
    for word in words:
        for text in expand(word, shell.root, shell.cwd, shell.status):
            found.append(text)
            if len(found) > _MOST_WORDS:
                raise Failure(f"a pattern matches more than {_MOST_WORDS:,} paths; use find or rg", _USAGE)
    return found


def _redirect(shell: Shell, process: Process, redirect: Redirect, plan: _Plan) -> None:
    if redirect.target is None:
        _copy(redirect, plan)
        return
    path = _words(shell, [redirect.target])[0]
    absolute = normal(path, process.cwd)
    if redirect.fd == 0:
        _read_from(process, path, absolute)
    elif absolute != _NULL:
        there = find(shell.root, absolute)
        raise Failure(f"{path}: {'Is a directory' if isinstance(there, Folder) else 'Read-only file system'}")
    elif redirect.fd == 1:
        plan.output = _NULL
    else:
        plan.errors = _NULL


def _copy(redirect: Redirect, plan: _Plan) -> None:
    """At the place where the other one goes at this moment, as in a shell."""
    if redirect.fd == 2:
        plan.errors = _NULL if plan.output == _NULL else "1"
    else:
        plan.output = _NULL if plan.errors == _NULL else "2"


def _read_from(process: Process, path: str, absolute: str) -> None:
    if absolute == _NULL:
        process.stdin = iter(())
        return
    node = find(process.root, absolute)
    if not isinstance(node, File):
        raise Failure(f"{path}: {'Is a directory' if node is not None else 'No such file or directory'}")
    process.stdin = node.blocks()
