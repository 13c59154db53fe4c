"""The virtual filesystem over HTTP: a command line in, what it printed out."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from stash.vfs import serializers
from stash.vfs.serializers import outcome_object
from stash.vfs.shell import run_line


class FilesView(APIView):
    """Reads only, so that a key which may read is enough."""

    scope = "read"
    rate = "vfs"

    @extend_schema(request=serializers.CommandLine, responses={200: serializers.OutcomeObject}, operation_id="vfs")
    def post(self, request: Request) -> Response:
        """Run a command line over what you may see. A command that fails answers 200 with its exit code."""
        asked = serializers.CommandLine(data=request.data)
        asked.is_valid(raise_exception=True)
        outcome = run_line(request.actor, asked.validated_data["command"], cwd=asked.validated_data["cwd"])
        return Response(outcome_object(outcome))
