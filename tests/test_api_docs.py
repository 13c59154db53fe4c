"""The examples of docs/api.md work as they stand there."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from sessions_app.models import Event, Session
from stash_client.events import KINDS

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "api.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.django_db(transaction=True)
def test_examples_do_what_the_page_says(live_server, dana):
    environ = {**os.environ, "STASH_URL": live_server.url, "STASH_KEY": dana.secret, "no_proxy": "*"}
    answers = []
    for example in EXAMPLES:
        script = f"set -eo pipefail\n{example}"
        done = subprocess.run(["bash", "-c", script], env=environ, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, (example, done.stdout, done.stderr)
        answers.append(done.stdout)
        if '"run-17"' in example:
            assert json.loads(done.stdout)["accepted"] == 4
            again = subprocess.run(["bash", "-c", script], env=environ, capture_output=True, text=True, timeout=60)
            assert json.loads(again.stdout)["duplicates"] == 4

    assert json.loads(answers[0])["user"]["username"] == "dana"
    kept = Event.objects.filter(kind="prompt").values_list("text", flat=True)
    assert set(kept) == {"Why two receipts?", "Add a test for it."}
    assert not Session.objects.filter(harness="my-agent").exists()


def test_every_kind_is_described():
    table = PAGE.split("### Kinds", 1)[1].split("\n## ", 1)[0]

    assert {
        kind
        for line in table.splitlines()
        for kind in re.findall(r"`(\w+)`", line.split("|")[1] if "|" in line else "")
    } == set(KINDS) - {"briefing_shown"}
