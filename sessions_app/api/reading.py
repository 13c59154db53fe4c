"""Reading and changing sessions over HTTP."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from sessions_app import selectors, serializers
from sessions_app.models import Session
from sessions_app.rendering.export import event_object
from sessions_app.serializers import session_object
from sessions_app.services import editing
from sessions_app.services.forgetting import was_forgotten
from sessions_app.views.downloads import jsonl_file, markdown_file
from stash.api.renderers import file_of


class SessionsView(APIView):
    @extend_schema(
        operation_id="sessions_list",
        parameters=[serializers.SessionQuery],
        responses={200: serializers.SessionPage},
    )
    def get(self, request: Request) -> Response:
        """Sessions you may see, last event first."""
        query = serializers.SessionQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        given = query.validated_data
        page = selectors.sessions(request.actor, query.filters(), cursor=given.get("cursor", ""), limit=given["limit"])
        rows = [session_object(session, request.actor.team_slug) for session in page.rows]
        return Response({"results": rows, "next": page.next})


class SessionView(APIView):
    @extend_schema(responses={200: serializers.SessionObject})
    def get(self, request: Request, session_id: UUID) -> Response:
        session = _opened(request, session_id)
        return Response(session_object(session, request.actor.team_slug))

    @extend_schema(request=serializers.SessionChange, responses={200: serializers.SessionObject})
    def patch(self, request: Request, session_id: UUID) -> Response:
        """Name it, share it with its project, or make it private again."""
        session = selectors.get_session(request.actor, session_id)
        change = serializers.SessionChange(data=request.data)
        change.is_valid(raise_exception=True)
        given = change.validated_data
        with transaction.atomic():
            if "title" in given:
                editing.rename(actor=request.actor, session=session, title=given["title"])
            if "visibility" in given:
                editing.set_visibility(actor=request.actor, session=session, visibility=given["visibility"])
        return Response(session_object(session, request.actor.team_slug))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, session_id: UUID) -> Response:
        session = selectors.get_session_to_delete(request.actor, session_id)
        editing.delete_session(actor=request.actor, session=session)
        return Response(status=204)


class EventsOfSessionView(APIView):
    @extend_schema(parameters=[serializers.EventQuery], responses={200: serializers.EventPage})
    def get(self, request: Request, session_id: UUID) -> Response:
        """Events in order of arrival; a completed event comes again with a new seq."""
        session = _opened(request, session_id)
        query = serializers.EventQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        given = query.validated_data
        kinds = [kind for kind in given.get("kind", "").split(",") if kind]
        events = selectors.events_after(session, given["after"], given["limit"] + 1, kinds=kinds)
        more = len(events) > given["limit"]
        events = events[: given["limit"]]
        return Response(
            {"results": [event_object(event) for event in events], "next": str(events[-1].seq) if more else None}
        )


class TranscriptMarkdownView(APIView):
    renderer_classes = file_of("text/markdown")

    @extend_schema(responses={(200, "text/markdown"): OpenApiTypes.STR})
    def get(self, request: Request, session_id: UUID) -> HttpResponseBase:
        return markdown_file(request._request, _opened(request, session_id))


class EventsJsonlView(APIView):
    renderer_classes = file_of("application/x-ndjson")

    @extend_schema(responses={(200, "application/x-ndjson"): OpenApiTypes.STR})
    def get(self, request: Request, session_id: UUID) -> HttpResponseBase:
        return jsonl_file(request._request, _opened(request, session_id))


class ForgetView(APIView):
    @extend_schema(request=serializers.ForgetRequest, responses={200: serializers.Forgotten})
    def post(self, request: Request, session_id: UUID) -> Response:
        """Take back what happened since then in your own session, or all of it. Asking again is harmless."""
        body = serializers.ForgetRequest(data=request.data)
        body.is_valid(raise_exception=True)
        if was_forgotten(request.actor, session_id):
            return Response({"forgotten": 0})
        session = selectors.get_session(request.actor, session_id)
        gone = editing.forget(actor=request.actor, session=session, since=body.validated_data.get("since"))
        return Response({"forgotten": gone})


def _opened(request: Request, session_id: UUID) -> Session:
    session = selectors.get_session(request.actor, session_id)
    editing.note_opening(actor=request.actor, session=session)
    return session
