from django.urls import path

from stash.mcp_server.api import McpView

urlpatterns = [path("mcp", McpView.as_view(), name="mcp")]
