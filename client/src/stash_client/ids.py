"""Ids that must come out the same everywhere: delivery ids, checkouts, remotes."""

from __future__ import annotations

import hashlib
import re
import uuid

NAMESPACE = uuid.UUID("6f0e4a52-0a5b-5d0c-9d1e-7c6c8f1d2b30")

_CANONICAL = {
    "claude": "claude-code", "claude_code": "claude-code", "claudecode": "claude-code",
    "codex-cli": "codex", "codex_cli": "codex", "cursor-agent": "cursor", "cursor_agent": "cursor",
    "hermes-agent": "hermes", "open-code": "opencode", "open-claw": "openclaw", "github-copilot-cli": "copilot-cli",
    "gemini": "gemini-cli", "copilot": "copilot-cli", "kiro-cli": "kiro", "kimi": "kimi-code",
    "agy": "antigravity", "oh-my-pi": "omp", "factory": "droid", "qwen": "qwen-code", "cascade": "windsurf",
    "cmd": "command-code", "cmdc": "command-code", "devin": "devin-cli",
    "vs-code-copilot": "vscode-copilot", "vscode": "vscode-copilot", "grok-build": "grok", "goose-cli": "goose",
}  # fmt: skip


def canonical_harness(name: str) -> str:
    """One spelling per agent: lower case, ``-`` for spaces and ``_``, aliases resolved; at most 40 characters."""
    slug = re.sub(r"[^a-z0-9.-]+", "-", name.strip().lower().replace("_", "-")).strip("-.")[:40]
    return _CANONICAL.get(slug, _CANONICAL.get(slug.replace("-", "_"), slug)) or "unknown"


def hook_uid(machine: str, record: str, index: int) -> str:
    """Delivery id of the ``index``-th event of one inbox record of one machine (UUIDv5)."""
    return str(uuid.uuid5(NAMESPACE, f"hook\0{machine}\0{record}\0{index}"))


def import_uid(harness: str, native_id: str, record: str) -> str:
    """Delivery id of one transcript record: its native id or line, plus block index, as ``record`` (UUIDv5)."""
    return str(uuid.uuid5(NAMESPACE, f"import\0{harness}\0{native_id}\0{record}"))


def local_identity(machine: str, real_path: str) -> str:
    """Project identity of a folder without a usable remote: never the path itself, which may say too much."""
    return f"local:{machine}:{hashlib.sha256(real_path.encode('utf-8', 'replace')).hexdigest()[:16]}"


_SCP = re.compile(r"^(?:[^@/\s]+@)?(\[[0-9a-fA-F:]+\]|[^:/\s@]+):(?!//)(.+)$")
_URL = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*://(?:.*@)?(\[[0-9a-fA-F:]+\]|[^:/\s]+)(?::\d+)?/(.+)$")
_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")
_LONGEST_REMOTE = 2000
"""No real address is longer; the patterns above take the square of the length when it is full of ``@``."""


def normalise_remote(url: str) -> str | None:
    """``host/owner/repo`` in lower case, without scheme, user, credentials, port or ``.git``; None for local paths.

    ``git@git.example.test:acme/shop.git`` and ``https://token@git.example.test/acme/shop`` are the same project.
    """
    text = url.strip() if len(url) <= _LONGEST_REMOTE else ""
    if not text or _DRIVE.match(text) or text.startswith(("/", ".", "~", "file:")):
        return None
    match = _URL.match(text) or _SCP.match(text)
    if not match:
        return None
    host, path = match.group(1), match.group(2)
    path = re.split(r"[?#]", path)[0].strip("/")
    path = path[:-4] if path.lower().endswith(".git") else path
    path = re.sub(r"/+", "/", path).strip("/")
    return f"{host}/{path}".lower()[:300] if path else None
