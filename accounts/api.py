"""People, keys and projects over HTTP."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.authentication import BaseAuthentication
from rest_framework.generics import ListAPIView
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import audit_export, clients, selectors, serializers, services
from accounts.authentication import address_of, note_claim
from accounts.models import ApiKey, Connection, Machine, Membership, Project, TeamPattern
from stash import client_wheel
from stash.actors import Actor
from stash.api.conditional import kept
from stash.api.pagination import Cursor
from stash.api.renderers import file_of
from stash.audit.models import AuditEntry


class HasCredential(BasePermission):
    """Any key or session; the permission table decides the rest."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        return getattr(request, "actor", None) is not None


class BySlug(Cursor):
    ordering = "slug"


class ByUsername(Cursor):
    ordering = ("user__username", "id")


def _valid(serializer: Any, data: Any) -> dict[str, Any]:
    checked = serializer(data=data)
    checked.is_valid(raise_exception=True)
    return checked.validated_data


def _notice_claims(request: Request) -> None:
    """A body that names its author is not believed; that it tried is audited."""
    if isinstance(request.data, dict):
        for field in ("user", "actor", "person", "author"):
            note_claim(request.actor, request.user.username, request.data.get(field), where=field)


class Me(APIView):
    permission_classes: ClassVar = [HasCredential]

    @extend_schema(responses=serializers.MeSerializer, operation_id="me")
    def get(self, request: Request) -> Response:
        actor: Actor = request.actor
        membership = selectors.get_membership(actor, actor.membership_id)
        key = request.auth if isinstance(request.auth, ApiKey) else None
        facts = {
            "user": membership.user,
            "team": membership.team,
            "role": actor.role,
            "scopes": sorted(actor.scopes),
            "key": key,
            "machine": key.machine if key else None,
        }
        return Response(serializers.MeSerializer(facts).data)


class MyKeys(ListAPIView):
    serializer_class = serializers.KeySerializer
    queryset = ApiKey.objects.none()

    def get_queryset(self):  # type: ignore[no-untyped-def]
        return selectors.keys(self.request.actor)

    @extend_schema(request=serializers.NewKeySerializer, responses={201: serializers.KeyWithSecretSerializer})
    def post(self, request: Request) -> Response:
        wanted = _valid(serializers.NewKeySerializer, request.data)
        key, secret = services.create_key(actor=request.actor, **wanted)
        shown = {**serializers.KeySerializer(key).data, "secret": secret}
        return Response(shown, status=201, headers={"Cache-Control": "no-store"})


class MyKey(APIView):
    permission_classes: ClassVar = [HasCredential]

    @extend_schema(responses={204: None})
    def delete(self, request: Request, key_id: UUID) -> Response:
        key = selectors.get_key(request.actor, key_id)
        services.revoke_key(actor=request.actor, key=key)
        return Response(status=204)


class Machines(APIView):
    """Takes the access token of a device sign-in, not a key."""

    authentication_classes: ClassVar[list[type[BaseAuthentication]]] = []
    permission_classes: ClassVar = []

    @extend_schema(
        request=serializers.ExchangeSerializer,
        responses={201: serializers.ExchangedSerializer},
        description="Exchange the access token of a device sign-in (as Bearer) for the machine's key. Works once.",
    )
    def post(self, request: Request) -> Response:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        facts = _valid(serializers.ExchangeSerializer, request.data)
        machine, key, secret = services.exchange_machine(
            access_token=token.strip() if scheme.lower() == "bearer" else "",
            name=facts["name"],
            platform=facts["platform"],
            client_version=facts["client_version"],
            ip=address_of(request._request),
        )
        return Response(_exchanged(machine, key, secret), status=201, headers={"Cache-Control": "no-store"})


class CurrentMachine(APIView):
    permission_classes: ClassVar = [HasCredential]

    @extend_schema(responses={204: None})
    def delete(self, request: Request) -> Response:
        """Signs the machine out that this key was made for: its keys end. A key made by hand has none: 404."""
        services.revoke_machine(actor=request.actor, machine=selectors.get_current_machine(request.actor))
        return Response(status=204)


def _exchanged(machine: Machine, key: ApiKey, secret: str) -> Any:
    membership = machine.membership
    return serializers.ExchangedSerializer(
        {
            "key": secret,
            "scopes": key.scopes,
            "machine": machine,
            "team": membership.team,
            "user": membership.user,
        }
    ).data


class Connect(APIView):
    permission_classes: ClassVar = [HasCredential]

    @extend_schema(request=serializers.ConnectSerializer, responses=serializers.ConnectedSerializer)
    def post(self, request: Request) -> Response:
        wanted = _valid(serializers.ConnectSerializer, request.data)
        _notice_claims(request)
        connected = services.connect(
            actor=request.actor,
            identities=wanted["identities"],
            visibility=wanted["visibility"],
            everything=wanted["all"],
            raw_hooks=wanted["raw_hooks"],
            name=wanted["name"],
        )
        return Response(serializers.ConnectedSerializer(connected._asdict()).data)


class ByTime(Cursor):
    ordering = ("connected_at", "id")


class MyConnections(ListAPIView):
    """What this person lets be captured."""

    scope = "capture"
    serializer_class = serializers.MyConnectionSerializer
    pagination_class = ByTime
    queryset = Connection.objects.none()

    def get_queryset(self):  # type: ignore[no-untyped-def]
        return selectors.connections(self.request.actor)


class MyConnection(APIView):
    scope = "capture"

    @extend_schema(responses={204: None})
    def delete(self, request: Request, connection_id: UUID) -> Response:
        """Stop capture from this project, or from everything; what was captured stays."""
        connection = selectors.get_connection(request.actor, connection_id)
        services.disconnect(actor=request.actor, connection=connection)
        return Response(status=204)


class Projects(ListAPIView):
    serializer_class = serializers.ProjectSerializer
    pagination_class = BySlug
    queryset = Project.objects.none()

    def get_queryset(self):  # type: ignore[no-untyped-def]
        return selectors.projects(self.request.actor).prefetch_related("identities")


class ProjectDetail(APIView):
    @extend_schema(responses=serializers.ProjectSerializer)
    def get(self, request: Request, project: str) -> Response:
        return Response(serializers.ProjectSerializer(selectors.get_project(request.actor, project)).data)

    @extend_schema(request=serializers.ProjectChangeSerializer, responses=serializers.ProjectSerializer)
    def patch(self, request: Request, project: str) -> Response:
        found = selectors.get_project(request.actor, project)
        change = _valid(serializers.ProjectChangeSerializer, request.data)
        changed = services.change_project(actor=request.actor, project=found, **change)
        return Response(serializers.ProjectSerializer(changed).data)


class ProjectMembers(ListAPIView):
    serializer_class = serializers.MemberSerializer
    pagination_class = ByUsername
    queryset = Membership.objects.none()

    def get_queryset(self):  # type: ignore[no-untyped-def]
        project = selectors.get_project(self.request.actor, self.kwargs["project"])
        return selectors.members_of(self.request.actor, project)


class ClientConfig(APIView):
    """What a client has to know before it captures anything; ask again with If-None-Match."""

    scope = "capture"

    @extend_schema(
        parameters=[OpenApiParameter("version", str, description="The client's own version.")],
        responses={200: serializers.ClientConfigSerializer, 304: None},
    )
    def get(self, request: Request) -> Response:
        services.note_client(actor=request.actor, version=request.GET.get("version", ""))
        config = {
            "minimum_version": settings.MINIMUM_CLIENT,
            "latest_version": clients.LATEST,
            "projects": selectors.captured_projects(request.actor),
            "wheel": _wheel(),
            "patterns": selectors.pattern_data(request.actor),
            "message": clients.advice(request.GET.get("version")),
        }
        return kept(request, serializers.ClientConfigSerializer(config).data)


def _wheel() -> dict[str, str] | None:
    wheel = client_wheel.current()
    return {"url": settings.URL + wheel.address, "sha256": wheel.sha256} if wheel else None


class TeamPatterns(APIView):
    """What counts as secret in this team beside what does everywhere."""

    scope = "admin"

    @extend_schema(responses=serializers.PatternsSerializer)
    def get(self, request: Request) -> Response:
        return _patterns(selectors.team_patterns(request.actor))

    @extend_schema(request=serializers.PatternsSerializer, responses=serializers.PatternsSerializer)
    def put(self, request: Request) -> Response:
        """Replaces them all. They hold for what is captured from now on."""
        wanted = _valid(serializers.PatternsSerializer, request.data)
        return _patterns(services.set_team_patterns(actor=request.actor, patterns=wanted["patterns"]))


def _patterns(rows: list[TeamPattern]) -> Response:
    return Response({"patterns": [{"name": row.name, **row.data} for row in rows]})


def _audit_filter(request: Request) -> selectors.AuditFilter:
    return selectors.AuditFilter(**_valid(serializers.AuditQuerySerializer, request.query_params))


class Audit(ListAPIView):
    scope = "admin"
    serializer_class = serializers.AuditEntrySerializer
    queryset = AuditEntry.objects.none()

    def get_queryset(self):  # type: ignore[no-untyped-def]
        return selectors.audit_entries(self.request.actor, _audit_filter(self.request))

    @extend_schema(parameters=[serializers.AuditQuerySerializer])
    def get(self, request: Request) -> Response:
        return self.list(request)


class AuditDownload(APIView):
    scope = "admin"
    name: ClassVar[str]
    head: ClassVar[str] = ""

    def render(self, page: Any) -> str:
        raise NotImplementedError

    def get(self, request: Request) -> HttpResponse | StreamingHttpResponse:
        entries = selectors.audit_entries(request.actor, _audit_filter(request))
        services.note_audit_export(actor=request.actor, name=self.name)
        return audit_export.streamed(request._request, entries, render=self.render, name=self.name, head=self.head)


_FILE = OpenApiResponse(OpenApiTypes.STR, description="A download, newest entry first.")


class AuditCsv(AuditDownload):
    renderer_classes = file_of("text/csv")
    name = "audit.csv"
    head = ",".join(audit_export.COLUMNS) + "\r\n"

    def render(self, page: Any) -> str:
        return audit_export.as_csv(page)

    @extend_schema(
        parameters=[serializers.AuditQuerySerializer],
        responses={(200, "text/csv"): _FILE},
        description="Cells that a spreadsheet would run are made text with an apostrophe.",
    )
    def get(self, request: Request) -> HttpResponse | StreamingHttpResponse:
        return super().get(request)


class AuditJsonl(AuditDownload):
    renderer_classes = file_of("application/x-ndjson")
    name = "audit.jsonl"

    def render(self, page: Any) -> str:
        return audit_export.as_jsonl(page)

    @extend_schema(parameters=[serializers.AuditQuerySerializer], responses={(200, "application/x-ndjson"): _FILE})
    def get(self, request: Request) -> HttpResponse | StreamingHttpResponse:
        return super().get(request)
