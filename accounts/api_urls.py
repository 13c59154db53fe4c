from django.urls import path

from accounts import api

urlpatterns = [
    path("me", api.Me.as_view(), name="api-me"),
    path("me/keys", api.MyKeys.as_view(), name="api-keys"),
    path("me/keys/<uuid:key_id>", api.MyKey.as_view(), name="api-key"),
    path("me/connections", api.MyConnections.as_view(), name="api-connections"),
    path("me/connections/<uuid:connection_id>", api.MyConnection.as_view(), name="api-connection"),
    path("machines", api.Machines.as_view(), name="api-machines"),
    path("machines/current", api.CurrentMachine.as_view(), name="api-current-machine"),
    path("projects", api.Projects.as_view(), name="api-projects"),
    path("projects/connect", api.Connect.as_view(), name="api-connect"),
    path("projects/<slug:project>", api.ProjectDetail.as_view(), name="api-project"),
    path("projects/<slug:project>/members", api.ProjectMembers.as_view(), name="api-project-members"),
    path("client-config", api.ClientConfig.as_view(), name="api-client-config"),
    path("team/patterns", api.TeamPatterns.as_view(), name="api-team-patterns"),
    path("audit", api.Audit.as_view(), name="api-audit"),
    path("audit.csv", api.AuditCsv.as_view(), name="api-audit-csv"),
    path("audit.jsonl", api.AuditJsonl.as_view(), name="api-audit-jsonl"),
]
