"""What every measurement stands on: throw-away services, servers, a lean client, processor time, made-up work."""

from __future__ import annotations

from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent.parent
ROOT = BENCHMARKS.parent
PYTHONPATH = (str(BENCHMARKS), str(ROOT), str(ROOT / "client" / "src"))
