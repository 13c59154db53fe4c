"""What the generated OpenAPI document says about authentication."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema


class Schema(AutoSchema):
    """Named in the settings, so that the extensions below are known wherever a schema is made."""


class Key(OpenApiAuthenticationExtension):
    target_class = "accounts.authentication.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "An API key (`stash_…`) or access token."}


class Browser(OpenApiAuthenticationExtension):
    target_class = "accounts.authentication.BrowserAuthentication"
    name = "browser"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid", "description": "The browser, with CSRF."}
