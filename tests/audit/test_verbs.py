from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from stash.audit.verbs import VERBS, worded

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [path for app in ("accounts", "sessions_app", "stash") for path in (ROOT / app).rglob("*.py")]


def _trees() -> list[ast.AST]:
    return [ast.parse(path.read_text()) for path in SOURCES]


def _recorded() -> Iterator[str]:
    """Literals passed as ``verb`` to any function that has a parameter of that name."""
    nodes = [node for tree in _trees() for node in ast.walk(tree)]
    takers = {
        node.name: [argument.arg for argument in node.args.args].index("verb")
        for node in nodes
        if isinstance(node, ast.FunctionDef) and "verb" in [argument.arg for argument in node.args.args]
    }
    for call in (node for node in nodes if isinstance(node, ast.Call)):
        name = getattr(call.func, "attr", getattr(call.func, "id", None))
        if name in takers and len(call.args) > takers[name]:
            argument = call.args[takers[name]]
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield argument.value


def test_every_recorded_verb_has_a_wording():
    recorded = set(_recorded())
    assert len(recorded) > 20
    assert recorded - set(VERBS) == set()


def test_an_unknown_verb_reads_as_itself():
    assert worded("wiki_page.merged") == "wiki page merged"
