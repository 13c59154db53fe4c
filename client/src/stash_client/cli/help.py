"""``stash help``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from stash_client.cli.commands import COMMANDS, GROUPS
from stash_client.cli.output import EXIT_CODES, USAGE, Failed, Output
from stash_client.cli.parsing import parser_of

EXAMPLES = ("stash help sessions", "stash help exit-codes")
_CODES = "exit-codes"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("topic", nargs="?", metavar="COMMAND", help=f"a command, or {_CODES}")


def run(chosen: Namespace, out: Output) -> None:
    topic = chosen.topic
    if topic is None:
        out.result({"commands": {name: c.help for name, c in COMMANDS.items() if not c.hidden}}, *_overview(out))
    elif topic == _CODES:
        rows = [[str(code), meaning] for code, meaning in EXIT_CODES]
        out.result({str(code): meaning for code, meaning in EXIT_CODES}, *out.table(rows))
    elif topic in COMMANDS:
        text = parser_of(topic).format_help().rstrip()
        out.result({"command": topic, "help": text}, text)
    else:
        raise Failed(f"There is no help on {topic!r}.", hint="Run: stash help", code="usage", exit_code=USAGE)


def _overview(out: Output) -> list[str]:
    lines = ["usage: stash COMMAND [--json] [--yes] [--server LABEL] ..."]
    for group in GROUPS:
        shown = {name: c.help for name, c in COMMANDS.items() if c.group == group and not c.hidden}
        if shown:
            lines += ["", out.styled(group, "bold"), *(f"  {name:<12} {text}" for name, text in shown.items())]
    return [*lines, "", "stash help COMMAND says more, stash help exit-codes what a script can rely on."]
