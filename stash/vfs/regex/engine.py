"""RE2 with bounds and without noise."""

from __future__ import annotations

from typing import Any

import re2


def quiet(*, longest: bool = False, fold: bool = False) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.longest_match = longest
    options.case_sensitive = not fold
    options.max_mem = 16 * 1024 * 1024
    return options
