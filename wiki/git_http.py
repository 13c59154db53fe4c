"""Clone, fetch and push over HTTP: ``/git/<team>/<project>.git``, with an API key as the password."""

from __future__ import annotations

import base64
import subprocess
import tempfile
from collections.abc import Iterator
from typing import IO, Any, cast

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import actor_of_key, address_of, note_use, usable_key
from accounts.models import Project
from stash.access import allowed
from stash.actors import Actor
from stash.api.bodies import chunks
from stash.errors import NotFound, StashError
from stash.gitstore.commands import command, environment
from stash.gitstore.pushes import BadPush, advertisement, commands_of, packet, report
from stash.streaming import streamed
from wiki import selectors
from wiki.places import only_writer, store_of
from wiki.services.pushing import MOST_PACK, Refused, push

_PIECE = 64 * 1024
_MOST_ASKED = 8 * 1024 * 1024
_SERVICES = ("git-upload-pack", "git-receive-pack")


@require_GET
def refs(request: HttpRequest, team: str, slug: str) -> HttpResponseBase:
    """What there is to fetch, or to push to."""
    service = request.GET.get("service", "")
    if service not in _SERVICES:
        return _said("Use git with version 1.6.6 or newer.", 400)
    opened = _opened(request, team, slug, writes=service == "git-receive-pack")
    if isinstance(opened, HttpResponse):
        return opened
    _, project = opened
    store = store_of(project.pk)
    if store.head() is None:
        with only_writer(project.pk):
            pass
    if service == "git-receive-pack":
        return _of_kind(advertisement(store.head()), service, "advertisement")
    done = subprocess.run(
        command(store.path, "upload-pack", "--stateless-rpc", "--advertise-refs", str(store.path)),
        capture_output=True, env=_environment(request), check=True,
    )  # fmt: skip
    first = b"" if done.stdout.startswith(b"000eversion 2") else packet(b"# service=git-upload-pack\n") + b"0000"
    return _of_kind(first + done.stdout, service, "advertisement")


@csrf_exempt
@require_POST
def upload_pack(request: HttpRequest, team: str, slug: str) -> HttpResponseBase:
    """Clone and fetch."""
    opened = _opened(request, team, slug, writes=False)
    if isinstance(opened, HttpResponse):
        return opened
    asked = _spooled(request, _MOST_ASKED)
    path = store_of(opened[1].pk).path
    process = subprocess.Popen(
        command(path, "upload-pack", "--stateless-rpc", str(path)), stdin=asked, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, env=_environment(request),
    )  # fmt: skip
    kind = "application/x-git-upload-pack-result"
    return streamed(request, cast(Iterator[str], _output(process, asked)), kind)


@csrf_exempt
@require_POST
def receive_pack(request: HttpRequest, team: str, slug: str) -> HttpResponseBase:
    """Push."""
    opened = _opened(request, team, slug, writes=True)
    if isinstance(opened, HttpResponse):
        return opened
    actor, project = opened
    with _spooled(request, MOST_PACK) as body:
        try:
            commands = commands_of(body)
        except BadPush as error:
            return _said(str(error), 400)
        if not commands:
            return _of_kind(b"", "git-receive-pack", "result")
        # The pack is read by another process, which goes by the place in the file itself.
        body.seek(body.tell())
        try:
            answer = report(commands, "", push(actor=actor, project=project, commands=commands, pack=body))
        except Refused as error:
            answer = report(commands, str(error))
    return _of_kind(answer, "git-receive-pack", "result")


def _opened(request: HttpRequest, team: str, slug: str, *, writes: bool) -> tuple[Actor, Project] | HttpResponse:
    """Who asks and for what, or the refusal."""
    key = usable_key(_password(request))
    if key is None:
        answer = _said("Sign in with an API key as the password; any user name does.", 401)
        answer["WWW-Authenticate"] = 'Basic realm="Stash", charset="UTF-8"'
        return answer
    actor = actor_of_key(key, channel="git", ip=address_of(request))
    note_use(key, actor.ip)
    try:
        if actor.team_slug != team:
            raise NotFound()
        project = selectors.wiki_project(actor, slug)
    except StashError as error:
        return _said(error.detail, error.status)
    if writes and not allowed(actor, "wiki.write", project):
        return _said("This key may read these pages and not change them.", 403)
    return actor, project


def _password(request: HttpRequest) -> str:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return given.strip()
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(given.strip(), validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


def _environment(request: HttpRequest) -> dict[str, str]:
    asked = request.headers.get("Git-Protocol", "")
    return environment(GIT_PROTOCOL=asked) if asked in ("version=1", "version=2") else environment()


def _spooled(request: HttpRequest, most: int) -> IO[bytes]:
    """The body in a file of its own, from its start."""
    file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - whoever asked closes it
    for piece in chunks(request, most=most, unpacked=most):
        file.write(piece)
    file.seek(0)
    return cast("IO[bytes]", file)


def _output(process: subprocess.Popen[Any], asked: IO[bytes]) -> Iterator[bytes]:
    said = process.stdout
    assert said is not None
    try:
        while piece := said.read(_PIECE):
            yield piece
    finally:
        process.kill()
        process.wait()
        said.close()
        asked.close()


def _of_kind(body: bytes, service: str, kind: str) -> HttpResponse:
    answer = HttpResponse(body, content_type=f"application/x-{service}-{kind}")
    answer["Cache-Control"] = "no-cache"
    return answer


def _said(text: str, status: int) -> HttpResponse:
    return HttpResponse(f"{text}\n", content_type="text/plain; charset=utf-8", status=status)
