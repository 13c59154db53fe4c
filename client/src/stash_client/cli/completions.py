"""``stash completions``: what a shell needs to complete commands, options, agents and sessions."""

from __future__ import annotations

import argparse
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from stash_client.cli.commands import COMMANDS
from stash_client.cli.output import Output
from stash_client.cli.parsing import parser_of

EXAMPLES = (
    'bash:  eval "$(stash completions bash)" in ~/.bashrc',
    'zsh:   eval "$(stash completions zsh)" in ~/.zshrc, after compinit',
    "fish:  stash completions fish > ~/.config/fish/completions/stash.fish",
)
SHELLS = ("bash", "zsh", "fish")
_SESSION, _HARNESS, _FILE = "%sessions", "%harnesses", "%files"
_DYNAMIC = {"session": _SESSION, "harness": _HARNESS, "output": _FILE, "cwd": _FILE}
_EVERYWHERE = ("--json", "--yes", "--server", "--help")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=(*SHELLS, "words"), metavar="bash | zsh | fish", help="for which shell")
    parser.add_argument("what", nargs="?", choices=("sessions", "harnesses"), help=argparse.SUPPRESS)


def run(chosen: Namespace, out: Output) -> None:
    if chosen.shell == "words":
        words = _sessions() if chosen.what == "sessions" else _harnesses()
        out.result(words, *words)
        return
    text = {"bash": _bash, "zsh": _zsh, "fish": _fish}[chosen.shell]().rstrip()
    out.result({"shell": chosen.shell, "script": text}, text)


def _sessions() -> list[str]:
    """From what this machine remembers; a server is not asked for a press of a key."""
    from stash_client import recent

    return [one.session for one in recent.all_recent() if one.session and not one.parent][:50]


def _harnesses() -> list[str]:
    from stash_client.harnesses import HARNESSES

    return sorted(HARNESSES)


def candidates() -> dict[str, list[str]]:
    """For the words before the cursor ("sessions show") what may follow; ``%…`` is asked for when it is needed."""
    found = {"": [*(name for name, c in COMMANDS.items() if not c.hidden), *_EVERYWHERE, "--version"]}
    for name, command in COMMANDS.items():
        if not command.hidden:
            found.update(_of(name, parser_of(name)))
    return found


def _of(path: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, list[str]]]:
    words: list[str] = [*_EVERYWHERE]
    for action in parser._actions:
        if action.help == argparse.SUPPRESS:
            continue
        if isinstance(action, argparse._SubParsersAction):
            words += action.choices
            for verb, below in action.choices.items():
                yield from _of(f"{path} {verb}", below)
        elif action.option_strings:
            words += (option for option in action.option_strings if option not in ("-h", "--help"))
            yield from ((f"{path} {option}", _values(action)) for option in action.option_strings if _values(action))
        else:
            words += _values(action)
    yield path, list(dict.fromkeys(word for word in words if word != "words"))


def _values(action: argparse.Action) -> list[str]:
    if action.choices:
        return [str(choice) for choice in action.choices]
    return [_DYNAMIC[action.dest]] if action.dest in _DYNAMIC and action.nargs != 0 else []


def _cases(indent: str) -> str:
    """``case`` branches that are the same in bash and zsh; the most particular words first."""
    ordered = sorted(candidates().items(), key=lambda item: -len(item[0].split()))
    return "\n".join(f"{indent}'{path}') list='{' '.join(words)}' ;;" for path, words in ordered)


_FILL = """\
    case $list in *%sessions*) list=${list/[%]sessions/$(stash completions words sessions 2>/dev/null)} ;; esac
    case $list in *%harnesses*) list=${list/[%]harnesses/$(stash completions words harnesses 2>/dev/null)} ;; esac
"""


def _bash() -> str:
    return f"""\
_stash_list() {{
    local list=''
    case "$1" in
{_cases("        ")}
    esac
{_FILL}    printf '%s' "$list"
}}
_stash() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} last=${{COMP_WORDS[COMP_CWORD-1]}} typed='' found='' i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${{COMP_WORDS[i]}} in -*) ;; *) typed="$typed ${{COMP_WORDS[i]}}" ;; esac
    done
    typed=${{typed# }}
    case $last in -*) found=$(_stash_list "$typed $last") ;; esac
    while [ -z "$found" ]; do
        found=$(_stash_list "$typed")
        case $typed in '') break ;; *' '*) typed=${{typed% *}} ;; *) typed='' ;; esac
    done
    case $found in
        *%files*) COMPREPLY=($(compgen -f -- "$current")) ;;
        *) COMPREPLY=($(compgen -W "$found" -- "$current")) ;;
    esac
}}
complete -F _stash stash
"""


def _zsh() -> str:
    return f"""\
#compdef stash
_stash_list() {{
    local list=''
    case "$1" in
{_cases("        ")}
    esac
{_FILL}    print -r -- "$list"
}}
_stash() {{
    local typed='' found='' i
    for ((i = 2; i < CURRENT; i++)); do
        [[ ${{words[i]}} == -* ]] || typed="$typed ${{words[i]}}"
    done
    typed=${{typed# }}
    [[ ${{words[CURRENT-1]}} == -* ]] && found=$(_stash_list "$typed ${{words[CURRENT-1]}}")
    while [[ -z $found ]]; do
        found=$(_stash_list "$typed")
        [[ -z $typed ]] && break
        [[ $typed == *' '* ]] && typed=${{typed% *}} || typed=''
    done
    if [[ $found == *%files* ]]; then _files; else compadd -- ${{=found}}; fi
}}
compdef _stash stash
"""


def _fish() -> str:
    lines = ["complete -c stash -f"]
    for path, words in candidates().items():
        parts = path.split()
        option = parts[-1] if parts and parts[-1].startswith("-") else ""
        told = [_fish_word(word) for word in words]
        if option:
            names = " ".join(parts[:-1])
            flag = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            files = " -F" if _FILE in words else f" -a '{' '.join(told)}'"
            lines.append(f"complete -c stash -n '__fish_seen_subcommand_from {names}' {flag} -r{files}")
        else:
            where = f"__fish_seen_subcommand_from {parts[-1]}" if parts else "__fish_use_subcommand"
            lines.append(f"complete -c stash -n '{where}' -a '{' '.join(told)}'")
    return "\n".join(lines)


def _fish_word(word: str) -> str:
    return f"(stash completions words {word[1:]} 2>/dev/null)" if word in (_SESSION, _HARNESS) else word
