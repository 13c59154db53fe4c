"""Style, types, layers, migrations, settings and the API document; every step runs, then the verdict."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
PACKAGES = ("client/src", "stash", "accounts", "sessions_app", "wiki")
MANAGE = (sys.executable, "manage.py")
PRODUCTION = {
    "STASH_URL": "https://stash.example.org",
    "STASH_SSL_REDIRECT": "true",
    "STASH_BEHIND_PROXY": "true",
    "STASH_ROLE": "web",
    "STASH_SECRET_KEY": secrets.token_urlsafe(50),
    "DATABASE_URL": "postgres://stash:stash@database/stash",
    "REDIS_URL": "redis://redis:6379/0",
}


def templates() -> list[str]:
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "templates").rglob("*.html"))


def steps() -> list[tuple[str, list[str], dict[str, str]]]:
    """Name, command, environment."""
    return [
        ("ruff check", [f"{BIN}/ruff", "check", "."], {}),
        ("ruff format", [f"{BIN}/ruff", "format", "--check", "."], {}),
        ("mypy", [f"{BIN}/mypy", *PACKAGES], {}),
        ("djade", [f"{BIN}/djade", "--target-version", "5.2", "--check", *templates()], {}),
        ("import-linter", [f"{BIN}/lint-imports", "--no-cache"], {}),
        ("migrations", [*MANAGE, "makemigrations", "--check", "--dry-run"], {}),
        ("static files", [*MANAGE, "collectstatic", "--noinput", "-v", "0"], {}),
        ("client", [*MANAGE, "build_client"], {}),
        ("check --deploy", [*MANAGE, "check", "--deploy", "--fail-level", "WARNING"], PRODUCTION),
        ("OpenAPI", [*MANAGE, "spectacular", "--validate", "--fail-on-warn", "--file", os.devnull], {}),
    ]


def main() -> int:
    verdicts = []
    with tempfile.TemporaryDirectory(prefix="stash-lint-") as data:
        clean = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "REDIS_URL")}
        clean |= {"STASH_DATA": data, "PYTHONPATH": f"{ROOT}/client/src", "DJANGO_SETTINGS_MODULE": "stash.settings"}
        for name, command, environ in steps():
            print(f"---- {name}", flush=True)
            started = time.monotonic()
            code = subprocess.run(command, cwd=ROOT, env=clean | environ, check=False).returncode
            verdicts.append((name, code, time.monotonic() - started))
    print("\n---- Verdict")
    for name, code, seconds in verdicts:
        print(f"{'ok    ' if code == 0 else 'FAILED'} {name} ({seconds:.0f} s)")
    return int(any(code for _, code, _ in verdicts))


if __name__ == "__main__":
    sys.exit(main())
