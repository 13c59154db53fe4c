"""What a machine needs to install the client: a script, and the wheel as a simple package index (PEP 503).

Addresses are made from ``STASH_URL``, never from what a request calls us: the script is run as it comes.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.html import format_html
from django.views.decorators.http import require_safe

from stash import client_wheel
from stash.client_wheel import Wheel

_SCRIPTS = Path(__file__).resolve().parent / "scripts"
_FOR_EVER = "public, max-age=31536000, immutable"
_LOOK_AGAIN = "no-cache"
_MISSING = "The client was not built on this server. Its operator can: manage.py prepare\n"


@require_safe
def shell_script(request: HttpRequest) -> HttpResponse:
    """``sh -c "$(curl -fsSL <server>/install)"``"""
    return _script("install.sh", shlex.quote)


@require_safe
def powershell_script(request: HttpRequest) -> HttpResponse:
    """``irm <server>/install.ps1 | iex``"""
    return _script("install.ps1", _quoted_for_powershell)


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    return _page(format_html('<a href="{}">stash-client</a>', "stash-client/"))


@require_safe
def package(request: HttpRequest) -> HttpResponse:
    wheel = client_wheel.current()
    if wheel is None:
        return _missing()
    return _page(
        format_html(
            '<a href="{}#sha256={}" data-requires-python="&gt;=3.9">{}</a>',
            settings.URL + wheel.address,
            wheel.sha256,
            wheel.name,
        )
    )


@require_safe
def wheel_file(request: HttpRequest, digest: str, name: str) -> HttpResponse:
    """The bytes of an address never change: it names their digest."""
    wheel = client_wheel.current()
    if wheel is None or request.path_info != wheel.address:
        raise Http404
    return HttpResponse(
        wheel.path.read_bytes(), content_type="application/octet-stream", headers={"Cache-Control": _FOR_EVER}
    )


def _script(name: str, quoted: Callable[[str], str]) -> HttpResponse:
    wheel = client_wheel.current()
    return _missing() if wheel is None else _text(_filled((_SCRIPTS / name).read_text(encoding="utf-8"), wheel, quoted))


def _filled(text: str, wheel: Wheel, quoted: Callable[[str], str]) -> str:
    facts = {
        "@SERVER@": settings.URL,
        "@WHEEL@": wheel.name,
        "@ADDRESS@": wheel.address,
        "@SHA256@": wheel.sha256,
        "@VERSION@": wheel.version,
    }
    for mark, value in facts.items():
        text = text.replace(mark, quoted(value))
    return text


def _quoted_for_powershell(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _text(text: str, status: int = 200) -> HttpResponse:
    return HttpResponse(
        text, status=status, content_type="text/plain; charset=utf-8", headers={"Cache-Control": _LOOK_AGAIN}
    )


def _missing() -> HttpResponse:
    return _text(_MISSING, status=503)


def _page(link: str) -> HttpResponse:
    page = format_html("<!DOCTYPE html><html><head><title>Stash</title></head><body>{}</body></html>", link)
    return HttpResponse(page, headers={"Cache-Control": _LOOK_AGAIN})
