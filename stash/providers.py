"""Sign-in with other services, switched on by environment variables.

OpenID Connect (Keycloak, Entra, Okta, Authentik, …): ``STASH_OIDC_URL`` (issuer), ``STASH_OIDC_CLIENT_ID``,
``STASH_OIDC_SECRET``, ``STASH_OIDC_NAME`` (on the button). Others: ``STASH_<NAME>_CLIENT_ID`` and
``STASH_<NAME>_SECRET`` with GITHUB, GITLAB, GOOGLE or MICROSOFT; ``STASH_GITLAB_URL`` for a GitLab of one's own and
``STASH_MICROSOFT_TENANT`` for one organisation. Addresses to give the service end in
``/accounts/oidc/stash/login/callback/`` and ``/accounts/<name>/login/callback/``.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import environ

_SOCIAL = ("github", "gitlab", "google", "microsoft")
_PACKAGE = "allauth.socialaccount.providers"


def sign_in_providers(env: environ.Env) -> tuple[dict[str, Any], list[str]]:
    """allauth's SOCIALACCOUNT_PROVIDERS and the apps to install for them; both empty when nothing is configured."""
    providers: dict[str, Any] = {}
    if env.str("STASH_OIDC_URL", default=""):
        providers["openid_connect"] = {"OAUTH_PKCE_ENABLED": True, "APPS": [_openid_connect(env)]}
    for name in _SOCIAL:
        client = env.str(f"STASH_{name.upper()}_CLIENT_ID", default="")
        if client:
            app = {
                "client_id": client,
                "secret": env.str(f"STASH_{name.upper()}_SECRET", default=""),
                "settings": _settings_of(name, env),
            }
            providers[name] = {"APPS": [app], "VERIFIED_EMAIL": False}
    return providers, [f"{_PACKAGE}.{name}" for name in providers]


def _openid_connect(env: environ.Env) -> dict[str, Any]:
    return {
        "provider_id": "stash",
        "name": env.str("STASH_OIDC_NAME", default="single sign-on"),
        "client_id": env.str("STASH_OIDC_CLIENT_ID", default=""),
        "secret": env.str("STASH_OIDC_SECRET", default=""),
        "settings": {"server_url": env.str("STASH_OIDC_URL")},
    }


def _settings_of(name: str, env: environ.Env) -> dict[str, str]:
    if name == "gitlab" and env.str("STASH_GITLAB_URL", default=""):
        return {"gitlab_url": env.str("STASH_GITLAB_URL")}
    if name == "microsoft":
        return {"tenant": env.str("STASH_MICROSOFT_TENANT", default="organizations")}
    return {}


_ORIGINS = {
    "github": "https://github.com",
    "gitlab": "https://gitlab.com",
    "google": "https://accounts.google.com",
    "microsoft": "https://login.microsoftonline.com",
}


def sign_in_origins(providers: dict[str, Any], env: environ.Env) -> list[str]:
    """Where the sign-in buttons lead: browsers hold the redirect of a form to the form-action of the page.

    ``STASH_SIGN_IN_ORIGINS`` adds others, for an OpenID service that signs people in on another host.
    """
    own = {"gitlab": "STASH_GITLAB_URL", "openid_connect": "STASH_OIDC_URL"}
    found = []
    for name in providers:
        address = env.str(own[name], default="") if name in own else ""
        found.append(_origin(address) if address else _ORIGINS[name])
    return [*found, *env.list("STASH_SIGN_IN_ORIGINS", default=[])]


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"
