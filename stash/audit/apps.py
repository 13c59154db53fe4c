from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "stash.audit"
    label = "audit"
