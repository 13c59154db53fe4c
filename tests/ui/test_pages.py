import pytest
from django.http import Http404
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.views import defaults

from stash.ui import gallery

ERRORS = {"400.html": "400", "403.html": "403", "403_csrf.html": "403", "404.html": "404", "500.html": "500"}


@pytest.mark.parametrize("template", ERRORS)
def test_error_pages_render_without_request_and_without_database(template):
    html = render_to_string(template)
    assert f">{ERRORS[template]}</p>" in html
    assert html.count("<h1>") == 1


def test_error_pages_keep_the_chosen_theme():
    request = RequestFactory().get("/t/acme/")
    request.COOKIES["theme"] = "dark"
    response = defaults.page_not_found(request, Http404("There is no session 7f3d that you can see."))
    assert b'data-theme="dark"' in response.content
    assert b"<h1>There is no session 7f3d that you can see.</h1>" in response.content


def test_missing_page_shows_no_message_of_the_framework():
    response = defaults.page_not_found(RequestFactory().get("/"), Http404("No Session matches the given query."))
    assert b"matches the given query" not in response.content
    assert b"There is nothing at this address that you can see" in response.content


def test_server_fault_page_says_what_happens_next():
    assert "nothing that was already stored is lost" in render_to_string("500.html")


@pytest.mark.parametrize("view", [gallery.components, gallery.session, gallery.lists, gallery.entry])
def test_gallery_renders_every_component(view, settings):
    settings.ROOT_URLCONF = "tests.ui.urls"
    request = RequestFactory().get("/_gallery/")
    assert view(request).content.count(b"<h1>") == 1
