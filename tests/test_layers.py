from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.one_engine
def test_upper_layers_import_lower_ones_only():
    command = [Path(sys.executable).parent / "lint-imports", "--no-cache"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "client/src")}
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
