"""What compose.yaml, Dockerfile and .env.example say is true of this code."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
OURS = {name: service for name, service in COMPOSE["services"].items() if service["image"] == "stash:latest"}
ROLES = {"migrate": "worker", "web": "web", "ws": "ws", "worker": "worker", "recall": "recall", "meaning": "recall"}

pytestmark = pytest.mark.one_engine


def filled(value: str) -> str:
    """As compose does: ``${NAME:-default}`` and ``${NAME:?error}`` (here: a password)."""
    return re.sub(r"\$\{\w+:([-?])([^}]*)\}", lambda m: m[2] if m[1] == "-" else "hidden", value)


def environ(service: dict) -> dict[str, str]:
    return {name: filled(str(value)) for name, value in service["environment"].items()}


def run(service: dict, tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("STASH_", "DATABASE_", "REDIS_"))}
    clean |= environ(service) | {"STASH_DATA": str(tmp_path), "PYTHONPATH": str(ROOT / "client/src")}
    clean["DJANGO_SETTINGS_MODULE"] = "stash.settings"
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=clean, capture_output=True, text=True, check=False
    )


def test_every_role_has_its_service():
    assert {name: environ(service)["STASH_ROLE"] for name, service in OURS.items()} == ROLES


@pytest.mark.parametrize("name", OURS)
def test_command_exists(name):
    program, *arguments = OURS[name]["command"]
    assert program == "python" or shutil.which(program, path=str(Path(sys.executable).parent))
    if program == "python":
        assert arguments[0] == "manage.py"
        assert arguments[1] in get_commands()
    else:
        known = subprocess.run(
            [sys.executable, "-m", program, "--help"], capture_output=True, text=True, check=True
        ).stdout
        for option in (argument for argument in arguments if re.match(r"--?[a-z]", argument)):
            assert option in known


@pytest.mark.parametrize("name", OURS)
def test_settings_load_and_checks_hold_in_every_role(name, tmp_path):
    done = run(OURS[name], tmp_path, "manage.py", "check", "--fail-level", "WARNING")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "name, pooled, age",
    [
        ("web", False, None),
        ("ws", True, 0),
        ("worker", False, 0),
        ("recall", False, 0),
        ("meaning", False, 0),
        ("migrate", False, 0),
    ],
)
def test_connections_fit_the_role(name, pooled, age, tmp_path):
    code = (
        "import json; from django.conf import settings; d = settings.DATABASES['default'];"
        "print(json.dumps([d['ENGINE'], bool(d.get('OPTIONS', {}).get('pool')), d['CONN_MAX_AGE'],"
        " settings.CACHES['default']['BACKEND']]))"
    )
    engine, has_pool, max_age, cache = json.loads(run(OURS[name], tmp_path, "-c", code).stdout)
    assert (engine, has_pool, max_age) == ("django.db.backends.postgresql", pooled, age)
    assert cache == "django.core.cache.backends.redis.RedisCache"


def test_proxy_sends_sockets_to_ws_and_the_rest_to_web():
    text = (ROOT / "Caddyfile").read_text()
    assert re.search(r"@live path /ws/\* /mcp", text)
    assert text.index("reverse_proxy ws:8000") < text.index("reverse_proxy web:8000")


def test_every_setting_is_documented():
    sources = [*(ROOT / "stash").rglob("*.py"), ROOT / "compose.yaml", ROOT / "manage.py"]
    used = set(re.findall(r"[\"'{$](STASH_[A-Z_]*[A-Z])", "\n".join(path.read_text() for path in sources)))
    documented = set(
        re.findall(r"^#?((?:STASH_|EMAIL_|DATABASE_|REDIS_|POSTGRES_)\w+)=", (ROOT / ".env.example").read_text(), re.M)
    )
    assert used - documented - {"STASH_LISTENERS"} == set()
    assert {"DATABASE_URL", "REDIS_URL", "EMAIL_URL", "POSTGRES_PASSWORD"} <= documented


def test_image_does_not_run_as_root():
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    assert [line for line in lines if line.startswith("USER")] == ["USER stash"]
    assert any(line.startswith("HEALTHCHECK") for line in lines)
