"""The capture contract for the OpenAPI document; decoding itself is done by msgspec, not by serializers."""

from rest_framework import serializers


class ProjectRef(serializers.Serializer):
    identities = serializers.ListField(child=serializers.CharField(), help_text="Strongest first.")
    name = serializers.CharField(required=False)


class SessionBlock(serializers.Serializer):
    harness = serializers.CharField()
    native_id = serializers.CharField()
    project = ProjectRef(required=False)
    cwd = serializers.CharField(required=False)
    checkout = serializers.CharField(required=False)
    branch = serializers.CharField(required=False)
    commit = serializers.CharField(required=False)
    model = serializers.CharField(required=False)
    machine = serializers.CharField(required=False, help_text="For display; attribution comes from the key.")
    parent_native_id = serializers.CharField(required=False)
    agent_type = serializers.CharField(required=False)
    title = serializers.CharField(required=False)
    harness_version = serializers.CharField(required=False)
    client_version = serializers.CharField(required=False)
    interactive = serializers.BooleanField(required=False, allow_null=True)
    policy = serializers.DictField(required=False)


class EventItem(serializers.Serializer):
    uid = serializers.CharField(help_text="Delivery id, the same for every retry.")
    kind = serializers.CharField()
    n = serializers.IntegerField(required=False)
    occurred_at = serializers.DateTimeField(required=False)


class EventsRequest(serializers.Serializer):
    sent_at = serializers.DateTimeField(required=False)
    origin = serializers.ChoiceField(["hook", "transcript"], required=False)
    session = SessionBlock()
    events = EventItem(many=True, help_text="Up to 500; each also carries the fields of its kind.")


class Rejected(serializers.Serializer):
    index = serializers.IntegerField()
    problem = serializers.DictField()


class Receipt(serializers.Serializer):
    session = serializers.UUIDField(allow_null=True)
    url = serializers.URLField(allow_null=True)
    accepted = serializers.IntegerField()
    completed = serializers.IntegerField()
    duplicates = serializers.IntegerField()
    rejected = Rejected(many=True)
    redactions = serializers.DictField(child=serializers.IntegerField())
    last_seq = serializers.IntegerField()
