"""The operator's view of people. What matters is done by services; here it is looked at, found and, rarely, mended.

Secrets are never shown: only their last four characters exist.
"""

from __future__ import annotations

from typing import Any

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import Count, QuerySet
from django.http import HttpRequest

from accounts.models import (
    ApiKey,
    Connection,
    DeviceApproval,
    Invitation,
    Machine,
    Membership,
    Project,
    ProjectGrant,
    ProjectIdentity,
    ProjectSlug,
    SignInLink,
    Team,
    User,
)
from stash.audit.admin import ReadOnly

admin.site.site_header = admin.site.site_title = "Stash"
# Signing in happens on the one page that also asks for the second factor.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]


@admin.register(User)
class PersonAdmin(UserAdmin):
    list_display = ("username", "name", "email", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "is_staff", "memberships__role", "memberships__team")
    search_fields = ("username", "name", "email")
    ordering = ("username",)
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("name", "email", "shortcuts")}),
        ("Rights on this site", {"fields": ("is_active", "is_staff", "is_superuser")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A person is deactivated in the team; deleting would take their sessions along."""
        return False


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin):
    list_display = ("name", "slug", "people", "session_visibility", "created_at")
    search_fields = ("name", "slug")
    readonly_fields = ("created_at",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Team]:
        return super().get_queryset(request).annotate(people=Count("memberships"))

    @admin.display(ordering="people")
    def people(self, team: Any) -> int:
        return team.people

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Membership)
class MembershipAdmin(ReadOnly):
    list_display = ("user", "team", "role", "active", "responsible", "joined_at", "left_at")
    list_filter = ("role", "active", "team")
    search_fields = ("user__username", "user__name", "user__email")
    list_select_related = ("user", "team", "responsible__user", "responsible__team")
    date_hierarchy = "joined_at"


class IdentityInline(admin.TabularInline):
    model = ProjectIdentity
    extra = 0
    fields = readonly_fields = ("value", "added_by", "added_at")
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class GrantInline(admin.TabularInline):
    model = ProjectGrant
    extra = 0
    fields = readonly_fields = ("membership", "can_write", "granted_at")
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Project)
class ProjectAdmin(ReadOnly):
    list_display = ("name", "slug", "team", "visibility", "session_visibility", "created_by", "created_at")
    list_filter = ("visibility", "session_visibility", "team")
    search_fields = ("name", "slug", "identities__value", "old_slugs__slug")
    list_select_related = ("team", "created_by")
    date_hierarchy = "created_at"
    inlines = (IdentityInline, GrantInline)


@admin.register(ProjectIdentity)
class IdentityAdmin(ReadOnly):
    list_display = ("value", "project", "team", "added_by", "added_at")
    list_filter = ("team",)
    search_fields = ("value", "project__slug")
    list_select_related = ("project", "team", "added_by")


@admin.register(ProjectSlug)
class SlugAdmin(ReadOnly):
    list_display = ("slug", "project", "team")
    search_fields = ("slug", "project__slug")
    list_select_related = ("project", "team")


@admin.register(ProjectGrant)
class GrantAdmin(ReadOnly):
    list_display = ("project", "membership", "can_write", "granted_at")
    list_filter = ("can_write", "project__team")
    search_fields = ("project__slug", "membership__user__username")
    list_select_related = ("project", "membership__user", "membership__team")


@admin.register(Connection)
class ConnectionAdmin(ReadOnly):
    list_display = ("membership", "project", "visibility", "raw_hooks", "connected_at")
    list_filter = ("visibility", "raw_hooks", "membership__team")
    search_fields = ("project__slug", "membership__user__username")
    list_select_related = ("project", "membership__user", "membership__team")


@admin.register(Machine)
class MachineAdmin(ReadOnly):
    list_display = ("name", "membership", "platform", "client_version", "last_seen_at", "revoked_at")
    list_filter = ("platform", "client_version", ("revoked_at", admin.EmptyFieldListFilter), "membership__team")
    search_fields = ("name", "membership__user__username")
    list_select_related = ("membership__user", "membership__team")


@admin.register(ApiKey)
class KeyAdmin(ReadOnly):
    list_display = ("name", "ending", "membership", "machine", "scopes", "last_used_at", "expires_at", "revoked_at")
    list_filter = (("revoked_at", admin.EmptyFieldListFilter), "membership__role", "membership__team")
    search_fields = ("name", "last4", "membership__user__username", "machine__name")
    list_select_related = ("membership__user", "membership__team", "machine")
    exclude = ("digest",)

    @admin.display(description="ends in")
    def ending(self, key: ApiKey) -> str:
        return f"…{key.last4}"


@admin.register(DeviceApproval)
class ApprovalAdmin(ReadOnly):
    list_display = ("machine_name", "membership", "confirmed_at")
    list_select_related = ("membership__user", "membership__team")
    exclude = ("grant",)


@admin.register(Invitation)
class InvitationAdmin(ReadOnly):
    list_display = ("__str__", "team", "role", "invited_by", "created_at", "expires_at", "accepted_by", "revoked_at")
    list_filter = ("role", ("accepted_at", admin.EmptyFieldListFilter), "team")
    search_fields = ("email", "invited_by__username", "accepted_by__username")
    list_select_related = ("team", "invited_by", "accepted_by")
    exclude = ("digest",)


@admin.register(SignInLink)
class LinkAdmin(ReadOnly):
    list_display = ("user", "expires_at", "used_at")
    list_select_related = ("user",)
    exclude = ("digest",)
