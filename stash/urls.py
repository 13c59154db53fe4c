"""Where everything is. Browser pages of a team live under /t/<team>/, the HTTP contract under /api/v1/."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

urlpatterns = [
    path("", include("stash.ops.urls")),
    path("", include("stash.home.urls")),
    path("t/<slug:team>/", include("stash.home.team_urls")),
    path("t/<slug:team>/", include("stash.recall.urls")),
    path("t/<slug:team>/sessions/", include("sessions_app.urls")),
    path("t/<slug:team>/files/", include("stash.vfs.urls")),
    path("t/<slug:team>/settings/", include("accounts.urls")),
    path("accounts/", include("accounts.public_urls")),
    path("accounts/", include("allauth.urls")),
    path("identity/o/", include("accounts.device_urls")),
    path("", include("allauth.idp.urls")),
    path("api/v1/", include("accounts.api_urls")),
    path("api/v1/", include("sessions_app.api_urls")),
    path("api/v1/", include("wiki.api_urls")),
    path("api/v1/", include("stash.recall.api_urls")),
    path("api/v1/", include("stash.vfs.api_urls")),
    path("git/", include("wiki.git_urls")),
    path("", include("stash.mcp_server.urls")),
    path("api/v1/schema", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs/", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="api-docs"),
    path("admin/", admin.site.urls),
]
handler400 = "stash.api.handlers.bad_request"
handler403 = "stash.api.handlers.forbidden"
handler404 = "stash.api.handlers.not_found"
handler500 = "stash.api.handlers.fault"
if settings.DEBUG:
    urlpatterns.append(path("_gallery/", include("stash.ui.urls")))
