"""Only scrub() makes Clean values."""

import ast
from pathlib import Path

import pytest

from stash_client.privacy import Clean

ROOT = Path(__file__).parents[3]
SKIPPED = {".git", ".venv", "venv", "node_modules", "var", "build"}


def sources():
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).parts
        if not SKIPPED.intersection(parts) and "privacy" not in parts:
            yield path


def test_nobody_else_makes_clean_values():
    makers = []
    for path in sources():
        text = path.read_text()
        if "Clean" in text:
            for node in ast.walk(ast.parse(text)):
                called = node.func if isinstance(node, ast.Call) else None
                called = called.value if isinstance(called, ast.Subscript) else called
                if getattr(called, "id", getattr(called, "attr", None)) == "Clean":
                    makers.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert makers == []


def test_clean_refuses_to_be_made_by_hand():
    with pytest.raises(TypeError):
        Clean("text", {})


def test_privacy_imports_the_standard_library_only():
    package = ROOT / "client/src/stash_client/privacy"
    for path in package.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert {name.name.split(".")[0] for name in node.names} <= set(__import__("sys").stdlib_module_names)
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                assert (node.module or "").split(".")[0] in __import__("sys").stdlib_module_names
