"""Settings of one's own and of the team, under /t/<team>/settings/."""

from django.urls import path

from accounts.views import audit, me, people, projects

app_name = "accounts"

urlpatterns = [
    path("", me.profile, name="profile"),
    path("security/", me.security, name="security"),
    path("keys/", me.keys, name="keys"),
    path("keys/<uuid:key_id>/revoke/", me.revoke_key, name="revoke_key"),
    path("machines/<uuid:machine_id>/rename/", me.rename_machine, name="rename_machine"),
    path("machines/<uuid:machine_id>/revoke/", me.revoke_machine, name="revoke_machine"),
    path("capture/", me.connections, name="connections"),
    path("capture/<uuid:connection_id>/", me.change_connection, name="change_connection"),
    path("capture/<uuid:connection_id>/stop/", me.disconnect, name="disconnect"),
    path("members/", people.members, name="members"),
    path("members/invite/", people.invite, name="invite"),
    path("members/invitations/<uuid:invitation_id>/revoke/", people.revoke_invitation, name="revoke_invitation"),
    path("members/<uuid:membership_id>/role/", people.change_role, name="change_role"),
    path("members/<uuid:membership_id>/remove/", people.deactivate, name="deactivate"),
    path("members/accounts/", people.new_service_account, name="new_service_account"),
    path("members/accounts/<uuid:membership_id>/", people.service_account, name="service_account"),
    path("members/rules/", people.team_rules, name="team_rules"),
    path("audit/", audit.audit, name="audit"),
    path("projects/", projects.projects, name="projects"),
    path("projects/<slug:slug>/", projects.project, name="project"),
    path("projects/<slug:slug>/rename/", projects.rename, name="rename_project"),
    path("projects/<slug:slug>/rights/", projects.rights, name="project_rights"),
    path("projects/<slug:slug>/identities/", projects.attach, name="attach_identity"),
    path("projects/<slug:slug>/identities/<int:identity_id>/detach/", projects.detach, name="detach_identity"),
    path("projects/<slug:slug>/grants/", projects.grant, name="grant"),
    path("projects/<slug:slug>/grants/<int:grant_id>/withdraw/", projects.withdraw, name="withdraw"),
]
