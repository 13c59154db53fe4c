"""The described agents by name, each loaded when it is asked for: a hook needs one of them and starts often."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import cast

from stash_client.harnesses.base import Harness

NAMES = (
    "claude-code", "codex", "cursor", "copilot-cli", "gemini-cli", "hermes", "kiro", "opencode", "openclaw",
    "qwen-code", "droid", "kimi-code", "grok", "goose", "cline", "windsurf", "vscode-copilot", "antigravity",
    "devin-cli", "pi", "omp", "crush", "command-code", "pool", "zcode", "zero",
)  # fmt: skip


class Known(Mapping[str, Harness]):
    """``qwen-code`` is ``QWEN_CODE`` in the module ``qwen_code``."""

    def __init__(self) -> None:
        self._loaded: dict[str, Harness] = {}

    def __getitem__(self, name: str) -> Harness:
        if name not in self._loaded:
            if name not in NAMES:
                raise KeyError(name)
            plain = name.replace("-", "_")
            module = importlib.import_module(f"stash_client.harnesses.{plain}")
            self._loaded[name] = cast("Harness", getattr(module, plain.upper()))
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)
