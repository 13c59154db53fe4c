"""The OAuth server behind device sign-in: nothing anybody sends makes it fall over."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.views.device import ensure_cli_client
from stash.providers import sign_in_origins, sign_in_providers

GETS = [
    "/.well-known/openid-configuration", "/.well-known/jwks.json", "/identity/o/authorize",
    "/identity/o/authorize?client_id=stash-cli&response_type=code", "/identity/o/logout", "/identity/o/api/userinfo",
    "/identity/o/api/token", "/identity/o/device?code=%00", "/accounts/invitations/%00/", "/accounts/once/x/",
    "/accounts/login/?next=//evil.example.test",
]  # fmt: skip
POSTS = [
    "/accounts/login/", "/accounts/signup/", "/accounts/once/%00/",
    "/identity/o/api/token", "/identity/o/api/device/code", "/identity/o/api/revoke",
]  # fmt: skip
BODIES = [
    "", "client_id=stash-cli", "client_id=%00", "client_id=stash-cli&scope=%00",
    "grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=stash-cli&device_code=%00",
    f"grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=stash-cli&device_code={'x' * 5000}",
    "login=%00&password=%00&username=%00", "login=%EF%BF%BF&password=x",
    "grant_type=authorization_code&code=x&client_id=stash-cli", "grant_type=client_credentials&client_id=stash-cli",
    "grant_type=refresh_token&refresh_token=x&client_id=stash-cli", "token=x&client_id=stash-cli", "%ff=%fe&a",
]  # fmt: skip
FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize("path", GETS)
@pytest.mark.parametrize("signed_in", [True, False])
def test_pages_answer(dana, path, signed_in):
    browser = Client(raise_request_exception=False)
    if signed_in:
        browser.force_login(dana.user, backend="django.contrib.auth.backends.ModelBackend")
    assert browser.get(path).status_code < 500


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("body", BODIES)
def test_posts_answer(db, path, body):
    ensure_cli_client()
    assert Client(raise_request_exception=False).post(path, body, content_type=FORM).status_code < 500


def test_machine_client_gets_no_other_grant(db):
    ensure_cli_client()
    for body in BODIES:
        answer = Client().post("/identity/o/api/token", body, content_type=FORM)
        assert answer.status_code in (400, 401)


class Env(dict):
    def str(self, name, default=None):
        return self.get(name, default)

    def list(self, name, default=None):
        return self.get(name, default)


def test_without_variables_no_provider_is_there():
    assert sign_in_providers(Env()) == ({}, [])
    assert sign_in_origins({}, Env()) == []


def test_providers_come_from_the_environment():
    env = Env(
        STASH_OIDC_URL="https://sso.example.test/realms/harbour",
        STASH_OIDC_CLIENT_ID="stash",
        STASH_OIDC_SECRET="FAKE",
        STASH_GITHUB_CLIENT_ID="gh",
        STASH_GITLAB_CLIENT_ID="gl",
        STASH_GITLAB_URL="https://git.example.test",
    )
    providers, apps = sign_in_providers(env)
    assert list(providers) == ["openid_connect", "github", "gitlab"]
    assert providers["gitlab"]["APPS"][0]["settings"] == {"gitlab_url": "https://git.example.test"}
    assert providers["openid_connect"]["APPS"][0]["settings"]["server_url"].startswith("https://sso.example.test/")
    assert apps[0] == "allauth.socialaccount.providers.openid_connect"
    assert sign_in_origins(providers, env) == [
        "https://sso.example.test",
        "https://github.com",
        "https://git.example.test",
    ]
