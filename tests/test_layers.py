"""The layers of the house, as pyproject.toml states them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_upper_layers_import_lower_ones_only():
    checker = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([checker, "--no-cache"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
