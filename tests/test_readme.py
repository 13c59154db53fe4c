"""The README tells the truth about settings, files and commands."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SOURCES = ("settings.py", "providers.py", "logging.py")
VARIABLE = re.compile(r"STASH_[A-Z_]+[A-Z]|DATABASE_URL|REDIS_URL|EMAIL_URL")
OF_THE_CLIENT = {"STASH_HOME"}


def read_variables() -> set[str]:
    """Names the settings ask the environment for, those of the sign-in services included."""
    found: set[str] = set()
    for name in SOURCES:
        for node in ast.walk(ast.parse((ROOT / "stash" / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and VARIABLE.fullmatch(node.value):
                found.add(node.value)
    services = ("GITHUB", "GITLAB", "GOOGLE", "MICROSOFT")
    named = {f"STASH_{service}_{part}" for service in services for part in ("CLIENT_ID", "SECRET")}
    return (found | named) - {"STASH_LISTENERS"}


def documented_variables() -> set[str]:
    table = README.split("## Configuration", 1)[1].split("\n## ", 1)[0]
    return {
        name for line in table.splitlines() if line.startswith("|") for name in VARIABLE.findall(line.split("|")[1])
    }


def test_every_variable_is_documented_and_every_documented_one_is_read():
    assert documented_variables() == read_variables()


def test_commands_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    assert set(re.findall(r"\bmake ([a-z]+)", README)) <= targets


def test_links_lead_somewhere():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    broken = [
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]

    assert broken == []
