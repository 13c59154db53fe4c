"""How the OpenAPI document describes our two ways to be somebody."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class KeyScheme(OpenApiAuthenticationExtension):
    target_class = "accounts.authentication.KeyAuthentication"
    name = "apiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "An API key: `Authorization: Bearer stash_…`"}


class BrowserScheme(OpenApiAuthenticationExtension):
    target_class = "accounts.authentication.BrowserAuthentication"
    name = "browser"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": "sessionid",
            "description": "The browser's session, with CSRF.",
        }
