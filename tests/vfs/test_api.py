"""The tree over HTTP and in a browser."""

from __future__ import annotations

import base64

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(dana) -> Client:
    client = Client()
    client.force_login(dana.user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_a_command_answers_with_output_status_and_place(told, dana):
    answer = dana.api.post("/api/v1/vfs", {"command": "cd /projects && ls; cat nope"}, format="json")
    assert answer.json() == {
        "stdout": "shop\n",
        "stderr": "cat: nope: No such file or directory\n",
        "exit_code": 1,
        "cwd": "/projects",
        "truncated": False,
    }
    cut = dana.api.post("/api/v1/vfs", {"command": "echo é | head -c 1"}, format="json").json()
    assert base64.b64decode(cut["stdout_base64"]) == b"\xc3"


def test_lines_a_minute_are_limited(dana, settings):
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "vfs": 2}
    answers = [dana.api.post("/api/v1/vfs", {"command": "pwd"}, format="json").status_code for _ in range(3)]
    assert answers == [200, 200, 429]


@pytest.mark.parametrize(
    "body", [{}, {"command": None}, {"command": ["ls"]}, {"command": "x" * 70_000}, {"command": "a\0b"}]
)
def test_what_is_no_command_line_is_refused(dana, body):
    assert dana.api.post("/api/v1/vfs", body, format="json").status_code == 422


def test_the_page_leads_from_folder_to_file(told, browser):
    root = browser.get("/t/harbour/files/").content.decode()
    assert 'href="/t/harbour/files/projects"' in root
    day = browser.get("/t/harbour/files/projects/shop/sessions/2026-11-24").content.decode()
    name = f"0915-fix-the-totals-of-receipts-{told['totals'][-8:]}"
    assert f'href="/t/harbour/files/projects/shop/sessions/2026-11-24/{name}"' in day
    path = f"projects/shop/sessions/2026-11-24/{name}/transcript.md"
    file = browser.get(f"/t/harbour/files/{path}").content.decode()
    assert "AssertionError: 12.005 != 12.01" in file
    assert f'data-copy="/{path}"' in file
    assert f"/t/harbour/sessions/{told['totals']}/" in file


def test_the_fragment_has_no_frame(told, browser):
    answer = browser.get("/t/harbour/files/projects", headers={"HX-Request": "true"}).content.decode()
    assert 'id="files"' in answer
    assert "<html" not in answer


def test_what_one_may_not_see_is_not_there(told, browser, ravi):
    name = f"0920-my-own-secret-plan-zebra-{told['private'][-8:]}"
    answers = [
        browser.get(f"/t/harbour/files/{path}")
        for path in (
            "nope",
            "projects/nope",
            f"projects/shop/sessions/2026-11-24/{name}",
            "projects/%00",
            "../../etc",
            "x" * 5000,
        )
    ]
    assert [answer.status_code for answer in answers] == [404] * 6
    assert b"zebra" not in browser.get("/t/harbour/files/projects/shop/sessions/2026-11-24").content


def test_text_of_a_session_cannot_become_markup(dana, shop, browser):
    from tests.sessions_app.wire import prompt
    from tests.vfs.tree import tell

    tell(dana, "s-1", prompt("<script>alert(1)</script>\x1b[31m"))
    path = (
        browser.get("/t/harbour/files/me/sessions/2026-11-24").content.decode().split("/2026-11-24/")[1].split('"')[0]
    )
    page = browser.get(f"/t/harbour/files/me/sessions/2026-11-24/{path}/transcript.md").content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
