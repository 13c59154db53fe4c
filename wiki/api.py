"""Pages over HTTP."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from sessions_app.selectors import get_session
from stash.errors import BadRequest
from wiki import selectors, serializers, services
from wiki.serializers import link_object, page_object, revision_object, tombstone_object, whole_page

_IF_MATCH = OpenApiParameter("If-Match", str, OpenApiParameter.HEADER, description="The ETag of the page you read.")
_IF_NONE = OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER, description="*: only make a new page.")


class PagesView(APIView):
    @extend_schema(operation_id="wiki_pages", parameters=[serializers.PageQuery], responses=serializers.PagePage)
    def get(self, request: Request, slug: str) -> Response:
        """Pages by path, or those that hold some words."""
        given = _valid(serializers.PageQuery, request.query_params)
        project = selectors.wiki_project(request.actor, slug)
        if given["q"]:
            found = selectors.find_pages(request.actor, project, given["q"])
            return Response({"results": [page_object(page) for page in found], "next": None})
        rows = selectors.pages(request.actor, project, folder=given["folder"]).filter(path__gt=given["after"])
        found = list(rows[: given["limit"] + 1])
        shown = found[: given["limit"]]
        after = shown[-1].path if len(found) > len(shown) else None
        return Response({"results": [page_object(page) for page in shown], "next": after})

    @extend_schema(request=serializers.NewPage, responses={201: serializers.SavedPage})
    def post(self, request: Request, slug: str) -> Response:
        """A new page, at a path or at one made from its title."""
        given = _valid(serializers.NewPage, request.data)
        project = selectors.wiki_project(request.actor, slug)
        given["session"] = _session(request, given)
        return _saved(services.create_page(actor=request.actor, project=project, **given))


class PageView(APIView):
    @extend_schema(responses=serializers.WholePage)
    def get(self, request: Request, slug: str, path: str) -> Response:
        page = selectors.get_page(request.actor, selectors.wiki_project(request.actor, slug), path)
        headers = {"ETag": f'"{page.blob}"', "Cache-Control": "private, no-cache", "Vary": "Authorization, Cookie"}
        if _tag(request, "If-None-Match") == page.blob:
            return Response(status=304, headers=headers)
        return Response(whole_page(page), headers=headers)

    @extend_schema(
        request=serializers.PageText, parameters=[_IF_MATCH, _IF_NONE],
        responses={200: serializers.SavedPage, 201: serializers.SavedPage},
    )  # fmt: skip
    def put(self, request: Request, slug: str, path: str) -> Response:
        """Replace the text, or make the page. A stale text is merged where other lines changed (409: see both)."""
        given = _valid(serializers.PageText, request.data)
        project = selectors.wiki_project(request.actor, slug)
        create = _tag(request, "If-None-Match") == "*"
        given["session"] = _session(request, given)
        saved = services.save_page(
            actor=request.actor, project=project, path=path, base=_tag(request, "If-Match"), create=create, **given
        )
        return _saved(saved)

    @extend_schema(parameters=[_IF_MATCH], responses={204: None})
    def delete(self, request: Request, slug: str, path: str) -> Response:
        project = selectors.wiki_project(request.actor, slug)
        services.delete_page(actor=request.actor, project=project, path=path, base=_tag(request, "If-Match"))
        return Response(status=204)


class AppendView(APIView):
    @extend_schema(request=serializers.Addition, responses=serializers.SavedPage)
    def post(self, request: Request, slug: str, path: str) -> Response:
        """Add to the end of a page or of the section under a heading; any number at once, all land."""
        given = _valid(serializers.Addition, request.data)
        project = selectors.wiki_project(request.actor, slug)
        given["session"] = _session(request, given)
        return _saved(services.append_to_page(actor=request.actor, project=project, path=path, **given))


class MoveView(APIView):
    @extend_schema(request=serializers.Move, parameters=[_IF_MATCH], responses=serializers.SavedPage)
    def post(self, request: Request, slug: str, path: str) -> Response:
        """Another path; links to the page are written anew."""
        given = _valid(serializers.Move, request.data)
        project = selectors.wiki_project(request.actor, slug)
        base = _tag(request, "If-Match")
        return _saved(services.move_page(actor=request.actor, project=project, path=path, base=base, **given))


class RestoreView(APIView):
    @extend_schema(request=serializers.Restore, parameters=[_IF_MATCH], responses=serializers.SavedPage)
    def post(self, request: Request, slug: str, path: str) -> Response:
        """Make the page what it was at one of its commits."""
        given = _valid(serializers.Restore, request.data)
        project = selectors.wiki_project(request.actor, slug)
        base = _tag(request, "If-Match")
        return _saved(services.restore_page(actor=request.actor, project=project, path=path, base=base, **given))


class UndeleteView(APIView):
    @extend_schema(request=None, responses={201: serializers.SavedPage})
    def post(self, request: Request, slug: str, path: str) -> Response:
        """Bring a deleted page back."""
        project = selectors.wiki_project(request.actor, slug)
        return _saved(services.undelete_page(actor=request.actor, project=project, path=path))


class PinView(APIView):
    @extend_schema(request=serializers.Mark, responses=serializers.SavedPage)
    def post(self, request: Request, slug: str, path: str) -> Response:
        """A pinned page does not fade, and no machine writes it anew."""
        on = _valid(serializers.Mark, request.data)["on"]
        project = selectors.wiki_project(request.actor, slug)
        return _saved(services.pin_page(actor=request.actor, project=project, path=path, pinned=on))


class ProtectView(APIView):
    @extend_schema(request=serializers.Mark, responses=serializers.SavedPage)
    def post(self, request: Request, slug: str, path: str) -> Response:
        """A protected page is changed by administrators only."""
        on = _valid(serializers.Mark, request.data)["on"]
        project = selectors.wiki_project(request.actor, slug)
        return _saved(services.protect_page(actor=request.actor, project=project, path=path, protected=on))


class HistoryView(APIView):
    @extend_schema(
        operation_id="wiki_history",
        parameters=[OpenApiParameter("before", int), OpenApiParameter("limit", int)],
        responses=serializers.RevisionPage,
    )
    def get(self, request: Request, slug: str, path: str) -> Response:
        """Commits that changed what is at this path, newest first; of deleted pages too."""
        project = selectors.wiki_project(request.actor, slug)
        rows = selectors.revisions_of(request.actor, project, path)
        if before := _number(request, "before", 0):
            rows = rows.filter(number__lt=before)
        limit = min(_number(request, "limit", 50) or 50, 200)
        found = list(rows[: limit + 1])
        shown = [revision_object(one) for one in found[:limit]]
        return Response({"results": shown, "next": str(shown[-1]["number"]) if len(found) > limit else None})


class DiffView(APIView):
    @extend_schema(parameters=[serializers.DiffQuery], responses={200: dict[str, str]})
    def get(self, request: Request, slug: str, path: str) -> Response:
        """A unified difference between two commits of the page."""
        given = _valid(serializers.DiffQuery, request.query_params)
        project = selectors.wiki_project(request.actor, slug)
        return Response({"diff": selectors.diff_of(request.actor, project, path, given["before"], given["after"])})


class LinksView(APIView):
    @extend_schema(responses=serializers.LinksObject)
    def get(self, request: Request, slug: str, path: str) -> Response:
        """Where a page leads, what leads to it, and which of its links are broken."""
        page = selectors.get_page(request.actor, selectors.wiki_project(request.actor, slug), path)
        out = [link_object(lead) for lead in selectors.outgoing(page)]
        back = [link_object(lead) for lead in selectors.backlinks(page)]
        return Response({"out": out, "back": back, "broken": [one for one in out if not one["to"]]})


class GraphView(APIView):
    @extend_schema(responses=serializers.GraphObject)
    def get(self, request: Request, slug: str) -> Response:
        """All links from page to page, broken links, and pages nothing leads to."""
        actor, project = request.actor, selectors.wiki_project(request.actor, slug)
        return Response(
            {
                "links": [list(pair) for pair in selectors.graph(actor, project)],
                "broken": [link_object(lead) for lead in selectors.broken_links(actor, project)],
                "orphans": [page.path for page in selectors.orphans(actor, project)],
            }
        )


class DeletedView(APIView):
    @extend_schema(responses={200: dict[str, list[dict[str, str]]]})
    def get(self, request: Request, slug: str) -> Response:
        """Pages that were deleted, newest first; each can come back."""
        found = selectors.deleted_pages(request.actor, selectors.wiki_project(request.actor, slug))
        return Response({"results": [tombstone_object(stone) for stone in found[:500]]})


def _valid(kind: type[Any], data: Any) -> dict[str, Any]:
    serializer = kind(data=data)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def _session(request: Request, given: dict[str, Any]) -> str:
    """The session a page is written in: one that its writer can see."""
    wanted = given.pop("session", None)
    return str(get_session(request.actor, wanted).pk) if wanted else ""


def _tag(request: Request, header: str) -> str:
    return str(request.headers.get(header, "")).strip().removeprefix("W/").strip('"')


def _number(request: Request, name: str, usual: int) -> int:
    given = request.query_params.get(name, "")
    if given and not (given.isascii() and given.isdigit() and len(given) < 10):
        raise BadRequest(f"{name} is a number.")
    return int(given) if given else usual


def _saved(saved: services.Saved) -> Response:
    said = whole_page(saved.page) | {"commit": saved.commit, "merged": saved.is_merged}
    return Response(said, status=201 if saved.is_new else 200, headers={"ETag": f'"{saved.page.blob}"'})
