"""One-time links, the first owner, sign-up, and what single sign-on may not do."""

from __future__ import annotations

import re
import threading
from datetime import timedelta
from io import StringIO

import pytest
from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts import services
from accounts.authentication import system_actor
from accounts.models import Membership, SignInLink, Team, User
from accounts.services.signin import LinkSpent
from stash.audit.models import AuditEntry
from stash.errors import Invalid
from tests.conftest import make_person


@pytest.fixture(autouse=True)
def _fresh_cache():
    cache.clear()


def token_of(url: str) -> str:
    return url.rstrip("/").rsplit("/", 1)[-1]


def path_of(url: str, settings) -> str:
    return url.removeprefix(settings.URL)


def test_bootstrap_makes_the_first_team_and_owner_once(db):
    first, again = services.bootstrap(), services.bootstrap()
    assert (first.created, again.created) == (True, False)
    assert (first.team, first.owner) == (again.team, again.owner)
    assert (Team.objects.count(), User.objects.count(), first.team.name) == (1, 1, "Team")
    assert Membership.objects.get().role == "owner"
    assert not first.owner.has_usable_password()
    assert first.link
    assert again.link


def test_bootstrap_gives_no_link_once_the_owner_was_here(db):
    made = services.bootstrap()
    User.objects.update(last_login=timezone.now())
    assert services.bootstrap()[2] is None
    assert made.link


def test_bootstrap_with_an_address_makes_it_the_owners(db, settings):
    settings.OWNER_EMAIL = "olive@example.test"
    owner = services.bootstrap().owner
    assert EmailAddress.objects.get(user=owner, verified=True, primary=True).email == "olive@example.test"


def test_signin_link_signs_in_once_by_its_button_only(db, settings):
    path = path_of(services.bootstrap().link, settings)
    browser = Client()
    for _ in range(2):
        assert browser.get(path).status_code == 200
    answer = browser.post(path)
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/password/set/")
    assert browser.get("/t/team/settings/").status_code == 200
    assert Client().post(path).status_code == 410
    assert AuditEntry.objects.filter(verb="signin_link.used").count() == 1


@pytest.mark.parametrize("end", ["expired", "replaced", "left", "unknown"])
def test_signin_link_that_is_over_opens_nothing(db, settings, end):
    path = path_of(services.bootstrap().link, settings)
    if end == "expired":
        SignInLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif end == "replaced":
        services.bootstrap()
    elif end == "left":
        Membership.objects.update(active=False)
    else:
        path = path.replace("once_", "once_x")
    browser = Client()
    assert browser.post(path).status_code == 410
    assert "_auth_user_id" not in browser.session


@pytest.mark.django_db(transaction=True)
def test_signin_link_used_at_once_opens_one_browser(db):
    token = token_of(services.bootstrap().link)
    start, outcomes = threading.Barrier(4), []

    def use():
        start.wait()
        try:
            services.use_signin_link(secret=token)
            outcomes.append("in")
        except LinkSpent:
            outcomes.append("spent")
        finally:
            connection.close()

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["in", "spent", "spent", "spent"]


def test_signin_link_for_a_service_account_is_refused(team, dana):
    bot = make_person(team, "bot", "service", responsible=dana.membership)
    with pytest.raises(Invalid):
        services.make_signin_link(actor=system_actor(team), user=bot.user)


def test_signin_link_command(dana):
    out = StringIO()
    call_command("signin_link", "DANA", stdout=out)
    assert services.use_signin_link(secret=token_of(out.getvalue().strip())) == dana.user
    with pytest.raises(CommandError):
        call_command("signin_link", "nobody")


def test_signin_link_command_without_a_name_is_for_the_owner(db):
    out = StringIO()
    call_command("signin_link", stdout=out)
    assert services.use_signin_link(secret=token_of(out.getvalue().strip())).username == "owner"


# ---- sign-up -----------------------------------------------------------------------------------------------------

FORM = {"username": "nina", "email": "nina@example.test", "password1": "correct-horse-9"}


@pytest.fixture
def admin(team):
    return make_person(team, "ada", "admin")


def test_signup_by_invitation_joins_its_team(admin, settings):
    settings.SIGNUP = "invite"
    _, url = services.invite(actor=admin.actor, role="viewer")
    browser = Client()
    page = browser.get(path_of(url, settings)).content.decode()
    assert "Ada invites you" in page
    assert browser.post("/accounts/signup/", FORM).status_code == 302
    membership = Membership.objects.get(user__username="nina")
    assert (membership.team, membership.role) == (admin.membership.team, "viewer")
    assert browser.get("/t/harbour/settings/").status_code == 200


def test_signup_without_an_invitation_is_closed(team, settings):
    settings.SIGNUP = "invite"
    answer = Client().post("/accounts/signup/", FORM)
    assert "You need an invitation" in answer.content.decode()
    assert not User.objects.exists()


def test_signup_with_an_invitation_used_meanwhile_makes_no_account(admin, dana, settings):
    settings.SIGNUP = "open"
    _, url = services.invite(actor=admin.actor, role="viewer")
    browser = Client()
    browser.get(path_of(url, settings))
    services.accept_invitation(user=User.objects.create_user("faster"), token=token_of(url))
    answer = browser.post("/accounts/signup/", FORM)
    assert answer.status_code == 302
    assert "/accounts/invitations/" in answer["Location"]
    assert not User.objects.filter(username="nina").exists()


def test_signup_closed_refuses_invitations_too(admin, settings):
    settings.SIGNUP = "closed"
    _, url = services.invite(actor=admin.actor, role="viewer")
    browser = Client()
    assert "Create an account" not in browser.get(path_of(url, settings)).content.decode()
    browser.post("/accounts/signup/", FORM)
    assert not User.objects.filter(username="nina").exists()


def test_signup_open_joins_the_oldest_team_as_member(team, olga, settings):
    settings.SIGNUP = "open"
    assert Client().post("/accounts/signup/", FORM).status_code == 302
    membership = Membership.objects.get(user__username="nina")
    assert (membership.team, membership.role) == (team, "member")


def test_invitation_is_accepted_by_a_person_who_has_an_account(admin, olga, settings):
    _, url = services.invite(actor=admin.actor, role="member")
    browser = Client()
    browser.force_login(olga.user, backend="django.contrib.auth.backends.ModelBackend")
    assert "Join as Olga" in browser.get(path_of(url, settings)).content.decode()
    assert browser.post(path_of(url, settings)).status_code == 302
    assert Membership.objects.filter(user=olga.user).count() == 2
    assert browser.get(path_of(url, settings)).status_code == 410


@pytest.mark.parametrize("login", ["dana", "DANA@example.test"])
def test_sign_in_by_username_or_address(dana, login):
    EmailAddress.objects.create(user=dana.user, email="dana@example.test", verified=True, primary=True)
    answer = Client().post("/accounts/login/", {"login": login, "password": "correct-horse-9"})
    assert answer.status_code == 302


def test_sign_in_is_slowed_down_after_wrong_passwords(dana):
    browser = Client()
    wrong = {"login": "dana", "password": "wrong"}
    answers = [browser.post("/accounts/login/", wrong).content.decode() for _ in range(7)]
    assert "Too many failed" in answers[-1]
    assert browser.post("/accounts/login/", {**wrong, "password": "correct-horse-9"}).status_code == 200


def test_single_sign_on_never_takes_over_an_account_by_address(dana, rf):
    from allauth.socialaccount.models import SocialAccount, SocialLogin

    from accounts.adapter import SocialAdapter

    claimed = SocialLogin(
        user=User(email="dana@example.test"),
        account=SocialAccount(provider="github", uid="1"),
        email_addresses=[EmailAddress(email="dana@example.test", verified=True, primary=True)],
    )
    assert SocialAdapter().can_authenticate_by_email(claimed, "dana@example.test") is False


PAGES = [
    "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/", "/accounts/password/reset/done/",
]  # fmt: skip
OWN_PAGES = [
    "/accounts/email/", "/accounts/password/change/", "/accounts/logout/", "/accounts/2fa/",
    "/accounts/2fa/totp/activate/", "/accounts/2fa/webauthn/add/", "/accounts/2fa/recovery-codes/generate/",
    "/accounts/2fa/webauthn/", "/accounts/3rdparty/", "/accounts/reauthenticate/", "/identity/o/device",
]  # fmt: skip
INLINE = re.compile(r"<script(?![^>]*(?:src=|application/json))|<style|\sstyle=|\son[a-z]+=|hx-on|javascript:", re.I)


@pytest.mark.parametrize("path", PAGES)
def test_entrance_pages_stand_in_the_shell_without_anything_inline(db, settings, path):
    settings.SIGNUP = "open"
    answer = Client().get(path)
    html = answer.content.decode()
    assert answer.status_code == 200
    assert 'class="entry"' in html
    assert not INLINE.search(html)
    assert "'unsafe" not in answer["Content-Security-Policy"]


@pytest.mark.parametrize("path", OWN_PAGES)
def test_security_pages_stand_in_the_shell_without_anything_inline(dana, path):
    browser = Client()
    browser.post("/accounts/login/", {"login": "dana", "password": "correct-horse-9"})
    browser.post("/accounts/reauthenticate/", {"password": "correct-horse-9"})
    answer = browser.get(path)
    html = answer.content.decode()
    assert answer.status_code == 200
    assert "data:" not in html
    assert 'class="settings"' in html or 'class="entry"' in html
    assert not INLINE.search(html)


def test_first_password_can_be_put_off_and_leads_home(db, settings):
    browser = Client()
    browser.post(path_of(services.bootstrap().link, settings))
    page = browser.get("/accounts/password/set/").content.decode()
    assert "Skip for now" in page
    assert 'placeholder="' not in page.split("<main")[1].split("</main>")[0]
    chosen = "correct-horse-battery"
    answer = browser.post("/accounts/password/set/", {"password1": chosen, "password2": chosen})
    assert (answer.status_code, answer["Location"]) == (302, "/")


def test_admin_is_signed_in_to_where_the_second_factor_is_asked_for(db):
    assert Client().get("/admin/login/")["Location"].startswith("/accounts/login/?next=")
