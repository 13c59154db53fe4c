"""Views that answer with a file say which; what goes wrong is still a problem document."""

from __future__ import annotations

from rest_framework.renderers import JSONRenderer


def file_of(kind: str) -> list[type[JSONRenderer]]:
    """``renderer_classes`` of a view whose file is of this media type: asking for it by name is not refused."""
    return [JSONRenderer, type("File", (JSONRenderer,), {"media_type": kind})]
