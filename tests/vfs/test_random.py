# ruff: noqa: E501 - tables read better than columns
"""Whatever is typed: an answer in time, nothing outside of the tree, nothing of others."""

from __future__ import annotations

import base64

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from stash.vfs.budget import Budget
from stash.vfs.shell import run_line
from stash.vfs.shell.commands import COMMANDS
from tests.conftest import connect, make_project
from tests.sessions_app.wire import prompt
from tests.vfs.test_differential import EXAMPLES
from tests.vfs.tree import tell

pytestmark = pytest.mark.django_db
quick = settings(
    max_examples=max(EXAMPLES, 150),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
FOREIGN = ("zebra", "walrus", "secret-plan")
_BITS = [
    *COMMANDS, " ", " ", " ", " ", "/", "..", "*", "|", "&&", "||", ";", ">", ">>", "<", "2>&1", "2>/dev/null", "'", '"', "\\", "$?", "$(", "`",
    "/projects", "/projects/shop/sessions", "/people/ravi/sessions/2026-11-24", "/me", "/recent.jsonl", "/etc/passwd", "../../etc",
    "-n", "-r", "-l", "-R", "-e", "-I{}", "-name", "-newer", "-k2", "-A", "999999999", "-1", "{}", "[", "]", "(", ")", "zebra", ".", "\n",
    "(a+)+$", "[[:alpha:]]", "\\(", "x{1000}", "s/a/b/", "\0", "\ud800", "é", "\u202e", "2026-11-*", "~", "#", "!", "^", "%s", "-0", "--",
]  # fmt: skip
lines = st.one_of(
    st.lists(st.sampled_from(_BITS), max_size=14).map("".join),
    st.lists(st.sampled_from(_BITS), max_size=14).map(" ".join),
    st.binary(max_size=80).map(lambda data: data.decode("latin-1")),
    st.binary(max_size=80).map(lambda data: data.decode("utf-8", "surrogateescape")),
    st.text(max_size=60),
)


@pytest.fixture
def foreign(told, olga):
    """What Dana may not see, besides Ravi's private session: another team's."""
    connect(olga, make_project(olga.membership.team, "far"))
    tell(olga, "far-1", prompt("walrus of another team"), project="far")


@quick
@given(
    line=lines,
    cwd=st.sampled_from(["/", "/me", "/projects/shop/sessions/2026-11-24", "/..", "nowhere", "\0", "/é\ud800"]),
)
def test_any_line_is_answered_without_what_is_not_theirs(foreign, dana, line, cwd):
    outcome = run_line(dana.actor, line, cwd=cwd, budget=Budget(seconds=5))
    assert 0 <= outcome.exit_code <= 255
    said = outcome.stdout.decode("utf-8", "replace")
    for word in FOREIGN:
        if word not in line:
            assert word not in said + outcome.stderr, line
    assert "root:" not in said
    assert "Traceback" not in outcome.stderr
    assert outcome.cwd.startswith("/")


@quick
@given(line=lines)
def test_any_line_is_answered_over_http(foreign, dana, line):
    answer = dana.api.post(
        "/api/v1/vfs", {"command": line.encode("utf-8", "surrogatepass").decode("utf-8", "replace")}, format="json"
    )
    assert answer.status_code in (200, 422), line
    if answer.status_code == 200:
        told = answer.json()
        assert isinstance(told["exit_code"], int)
        base64.b64decode(told.get("stdout_base64", ""), validate=True)
