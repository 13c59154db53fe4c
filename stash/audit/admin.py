"""The log in the Django admin: to read, never to change."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from stash.audit.models import AuditEntry, AuditSeal


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]  # not subscriptable
    """Looking is allowed, nothing else, not even to a superuser."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly):
    list_display = ("at", "actor_name", "verb", "target_type", "target_name", "channel", "ip")
    list_filter = ("verb", "channel", "target_type", "at")
    search_fields = ("actor_name", "target_name", "target_id", "verb")
    date_hierarchy = "at"
    show_full_result_count = False


@admin.register(AuditSeal)
class AuditSealAdmin(ReadOnly):
    list_display = ("number", "sealed_at", "entries", "digest")
    show_full_result_count = False
