"""The shapes of people, keys and projects over HTTP."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from accounts.models import ApiKey, Connection, Membership, Project, Team
from accounts.selectors import Captured
from stash.actors import SCOPES
from stash.audit.models import AuditEntry


class PersonSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    username = serializers.CharField()
    name = serializers.CharField(source="display_name")


class TeamSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    slug = serializers.CharField()
    name = serializers.CharField()


class MachineSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    name = serializers.CharField()
    platform = serializers.CharField()
    client_version = serializers.CharField()


class KeySerializer(serializers.ModelSerializer):
    machine = MachineSerializer(allow_null=True)
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=SCOPES))

    class Meta:
        model = ApiKey
        fields = ["id", "name", "last4", "scopes", "machine", "created_at", "expires_at", "last_used_at", "revoked_at"]


class NewKeySerializer(serializers.Serializer):
    name = serializers.CharField(max_length=120)
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=SCOPES), min_length=1, max_length=len(SCOPES))
    expires_at = serializers.DateTimeField(required=False, allow_null=True, default=None)


class KeyWithSecretSerializer(KeySerializer):
    secret = serializers.CharField(help_text="Shown this once.")

    class Meta(KeySerializer.Meta):
        fields = [*KeySerializer.Meta.fields, "secret"]


class MeSerializer(serializers.Serializer):
    user = PersonSerializer()
    team = TeamSerializer()
    role = serializers.ChoiceField(choices=Membership.Role.choices)
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=SCOPES))
    key = KeySerializer(allow_null=True)
    machine = MachineSerializer(allow_null=True)


class ExchangeSerializer(serializers.Serializer):
    name = serializers.CharField(
        max_length=120, required=False, allow_blank=True, default="", help_text="For display, unless one was confirmed."
    )
    platform = serializers.CharField(max_length=60, required=False, allow_blank=True, default="")
    client_version = serializers.CharField(max_length=40, required=False, allow_blank=True, default="")


class ExchangedSerializer(serializers.Serializer):
    key = serializers.CharField(help_text="The machine's API key, shown this once.")
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=SCOPES))
    machine = MachineSerializer()
    team = TeamSerializer()
    user = PersonSerializer()


class ConnectSerializer(serializers.Serializer):
    identities = serializers.ListField(child=serializers.CharField(max_length=2000), max_length=20, default=list)
    visibility = serializers.ChoiceField(choices=Connection.Visibility.choices, default="private")
    all = serializers.BooleanField(default=False, help_text="Every repository of this person, not only this one.")
    raw_hooks = serializers.BooleanField(required=False, allow_null=True, default=None)
    name = serializers.CharField(max_length=300, required=False, allow_blank=True, default="")


class ProjectSerializer(serializers.ModelSerializer):
    identities = serializers.SerializerMethodField()

    class Meta:
        model = Project
        fields = ["id", "slug", "name", "visibility", "session_visibility", "policy", "identities", "created_at"]

    def get_identities(self, project: Project) -> list[str]:
        return [identity.value for identity in project.identities.all()]


class ProjectChangeSerializer(serializers.Serializer):
    name = serializers.CharField(max_length=120, required=False)
    slug = serializers.SlugField(max_length=80, required=False)
    visibility = serializers.ChoiceField(choices=Project.Visibility.choices, required=False)
    session_visibility = serializers.ChoiceField(choices=Team.Default.choices, required=False, allow_blank=True)
    policy = serializers.JSONField(required=False)


class ConnectionSerializer(serializers.ModelSerializer):
    class Meta:
        model = Connection
        fields = ["id", "visibility", "raw_hooks", "connected_at"]


class MyConnectionSerializer(ConnectionSerializer):
    project = ProjectSerializer(allow_null=True, help_text="null: every repository.")

    class Meta(ConnectionSerializer.Meta):
        fields = [*ConnectionSerializer.Meta.fields, "project"]


class ConnectedSerializer(serializers.Serializer):
    project = ProjectSerializer(allow_null=True)
    connection = ConnectionSerializer()
    created = serializers.BooleanField(help_text="The project is new.")
    visibility = serializers.ChoiceField(
        choices=Connection.Visibility.choices, help_text="What new sessions get in the end."
    )
    fixed_by = serializers.ChoiceField(choices=["", "team", "project"], help_text="Who decided, if not the person.")


class CapturedSerializer(serializers.Serializer):
    id = serializers.UUIDField(source="project.id", help_text="What a confirmed marker names.")
    slug = serializers.CharField(source="project.slug")
    identities = serializers.SerializerMethodField()
    policy = serializers.DictField(source="project.policy", help_text="As in [capture]; the stricter one wins.")
    visibility = serializers.ChoiceField(choices=Connection.Visibility.choices, help_text="What a new session gets.")
    fixed_by = serializers.ChoiceField(choices=["", "team", "project"], help_text="Who decided, if not the person.")

    def get_identities(self, captured: Captured) -> list[str]:
        return sorted(identity.value for identity in captured.project.identities.all())


class WheelSerializer(serializers.Serializer):
    url = serializers.URLField()
    sha256 = serializers.CharField()


class ClientConfigSerializer(serializers.Serializer):
    minimum_version = serializers.CharField()
    latest_version = serializers.CharField(help_text="What /install gives.")
    wheel = WheelSerializer(allow_null=True, help_text="The same as a file.")
    projects = CapturedSerializer(many=True)
    patterns = serializers.ListField(
        child=serializers.DictField(), help_text="The team's own redaction patterns, beside the built-in ones."
    )
    message = serializers.CharField(allow_null=True, help_text="What to tell the person who runs this client.")


class PatternSerializer(serializers.Serializer):
    """``type`` with ``prefix`` (and ``chars``, ``min``, ``max``) or with ``names``."""

    name = serializers.CharField(max_length=120, required=False, help_text="For people; the type when left out.")
    type = serializers.CharField(max_length=40)
    prefix = serializers.CharField(max_length=64, required=False, trim_whitespace=False)
    chars = serializers.CharField(max_length=128, required=False, trim_whitespace=False)
    min = serializers.IntegerField(required=False)
    max = serializers.IntegerField(required=False)
    names = serializers.ListField(child=serializers.CharField(max_length=64), required=False, max_length=100)


class PatternsSerializer(serializers.Serializer):
    patterns = PatternSerializer(many=True)


class MemberSerializer(serializers.ModelSerializer):
    user = PersonSerializer()
    can_write = serializers.BooleanField()

    class Meta:
        model = Membership
        fields = ["id", "user", "role", "can_write", "joined_at"]


class AuditEntrySerializer(serializers.ModelSerializer):
    facts = serializers.DictField()

    class Meta:
        model = AuditEntry
        fields = [
            "id", "at", "actor_id", "actor_name", "channel", "key_id", "machine_name", "harness", "ip", "verb",
            "target_type", "target_id", "target_name", "project_id", "facts",
        ]  # fmt: skip


class AuditQuerySerializer(serializers.Serializer):
    actor = serializers.CharField(required=False, default="", allow_blank=True, max_length=120)
    action = serializers.CharField(required=False, default="", allow_blank=True, max_length=60)
    project = serializers.CharField(required=False, default="", allow_blank=True, max_length=80)
    since = serializers.DateTimeField(required=False, allow_null=True, default=None)
    until = serializers.DateTimeField(required=False, allow_null=True, default=None)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return {name: attrs[name] for name in ("actor", "action", "project", "since", "until")}
