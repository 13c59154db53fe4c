"""Briefings and search over HTTP."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from sessions_app.services.editing import note_opening
from stash.api.conditional import kept
from stash.recall import selectors, serializers
from stash.recall.briefing import Briefing, brief
from stash.recall.history import history
from stash.recall.history_serializers import HistoryObject, HistoryQuery, history_object
from stash.recall.searching import search
from stash.recall.serializers import briefing_object, search_page
from stash.search.queries import FILTERS


class BriefingsView(APIView):
    """What a session is told when it starts."""

    scope = "capture"
    rate = "capture"

    @extend_schema(request=serializers.BriefingRequest, responses={200: serializers.BriefingObject})
    def post(self, request: Request) -> Response:
        asked = serializers.BriefingRequest(data=request.data)
        asked.is_valid(raise_exception=True)
        question = selectors.question_of(request.actor, asked.validated_data["session"])
        found = brief(question, budget=asked.validated_data["budget"]) if question else Briefing()
        return Response(briefing_object(found))


class BriefView(APIView):
    """The same text, for looking: it offers and changes nothing."""

    @extend_schema(
        parameters=[serializers.BriefQuery],
        responses={200: serializers.BriefingObject, 304: None},
        operation_id="brief",
    )
    def get(self, request: Request) -> Response:
        asked = serializers.BriefQuery(data=request.query_params)
        asked.is_valid(raise_exception=True)
        question = selectors.question_about(request.actor, asked.validated_data["project"])
        return kept(request, briefing_object(brief(question, budget=asked.validated_data["budget"])))


class SearchView(APIView):
    """One search over everything you may see. Anything typed is a question; filters may be typed or sent beside it."""

    @extend_schema(parameters=[serializers.SearchQuery], responses={200: serializers.SearchPage}, operation_id="search")
    def get(self, request: Request) -> Response:
        asked = serializers.SearchQuery(data=request.query_params)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        answer = search(
            request.actor,
            given["q"],
            filters={name: given[name] for name in FILTERS if name in given},
            limit=given["limit"],
            offset=given.get("cursor", 0),
            group=given["group"],
        )
        for hit in answer.hits:
            note_opening(actor=request.actor, session=hit.session)
        return Response(search_page(answer, request.actor.team_slug, given["group"]))


class HistoryView(APIView):
    """By person: when, in how many events, what was concluded and what is still open. The best session first."""

    @extend_schema(parameters=[HistoryQuery], responses={200: HistoryObject}, operation_id="history")
    def get(self, request: Request) -> Response:
        asked = HistoryQuery(data=request.query_params)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        filters = {name: given[name] for name in FILTERS if name in given}
        found = history(request.actor, given["q"], filters=filters, limit=given["limit"])
        for colleague in found.people:
            for episode in colleague.episodes:
                note_opening(actor=request.actor, session=episode.hit.session)
        return Response(history_object(found, request.actor.team_slug))
