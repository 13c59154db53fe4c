"""The client runs on Python 3.9, which machines of people still have; it is written with a later one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "client" / "src" / "stash_client"
FILES = sorted(SOURCE.rglob("*.py"))
OLDEST = (3, 9)
_LATER_NAMES = frozenset({
    "UTC", "StrEnum", "IntFlagBoundary", "pairwise", "batched", "TypeAlias", "ParamSpec", "Self", "assert_never",
    "LiteralString", "Never", "NotRequired", "Required", "EllipsisType", "NoneType", "UnionType", "ExceptionGroup",
    "TaskGroup", "aiter", "anext", "chdir", "file_digest",
})  # fmt: skip
_LATER_KEYWORDS = frozenset({("zip", "strict"), ("dataclass", "slots"), ("dataclass", "kw_only")})


def later(tree: ast.AST) -> Iterator[str]:
    """What of the library came after, as far as it can be seen by its name."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = node.id if isinstance(node, ast.Name) else node.attr
            yield from {name} & _LATER_NAMES
        elif isinstance(node, ast.ImportFrom):
            yield from {alias.name for alias in node.names} & _LATER_NAMES
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from (word for name, word in _LATER_KEYWORDS if name == node.func.id and word in _words(node))


def _words(call: ast.Call) -> set[str | None]:
    return {keyword.arg for keyword in call.keywords}


def has_unions(tree: ast.AST) -> bool:
    """Whether an annotation is written as ``X | Y``, which may then only be read, never run."""
    told = (getattr(node, name, None) for node in ast.walk(tree) for name in ("annotation", "returns"))
    parts = (part for annotation in told if isinstance(annotation, ast.AST) for part in ast.walk(annotation))
    return any(isinstance(part, ast.BinOp) for part in parts)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_it_is_the_language_of_the_oldest(file):
    tree = ast.parse(file.read_text(encoding="utf-8"), feature_version=OLDEST)
    assert list(later(tree)) == []
    assert not has_unions(tree) or "from __future__ import annotations" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "text", ["match x:\n    case 1: pass", "from datetime import UTC", "zip(a, b, strict=True)", "asyncio.TaskGroup()"]
)
def test_what_came_later_is_seen(text):
    with pytest.raises((SyntaxError, AssertionError)):
        assert list(later(ast.parse(text, feature_version=OLDEST))) == []
