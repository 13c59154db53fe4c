"""Is it alive, is it ready, how much of what."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from stash.ops import health


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers; nothing else is asked."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """503 while any check fails; says which."""
    found = health.findings()
    ready = all(finding.ok for finding in found.values())
    checks = {name: {"ok": finding.ok, **finding.facts} for name, finding in found.items()}
    return JsonResponse({"ready": ready, "checks": checks}, status=200 if ready else 503)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus. Without the token of STASH_METRICS_TOKEN it does not exist."""
    offered = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not settings.METRICS_TOKEN or not constant_time_compare(offered, settings.METRICS_TOKEN):
        raise Http404
    from django_prometheus.exports import ExportToDjangoView

    response: HttpResponse = ExportToDjangoView(request)
    return response
