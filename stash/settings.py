"""Every setting comes from the environment (README, "Configuration") and has a default that is safe on one machine."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path
from urllib.parse import urlsplit

import environ
from whitenoise.compress import Compressor

from stash.providers import sign_in_origins, sign_in_providers

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")

TESTING = "pytest" in sys.modules
DEBUG = env.bool("STASH_DEBUG", default=False)
ROLE = env.str("STASH_ROLE", default="all")
"""web (WSGI), ws (daphne), worker (qcluster), recall, or all (one machine)."""
WEB_PROCESSES = env.int("STASH_WEB_PROCESSES", default=1)
"""How many processes answer requests under role ``all``; `manage.py serve` sets it."""

DATA_DIR = Path(env.str("STASH_DATA", default=str(BASE_DIR / "var"))).absolute()
URL = env.str("STASH_URL", default=env.str("STASH_SERVED_AT", default="http://127.0.0.1:8000")).rstrip("/")


def _secret(name: str) -> str:
    """A secret of this installation, made once; O_EXCL decides among processes that start together."""
    DATA_DIR.mkdir(parents=True, exist_ok=True)
    path = DATA_DIR / name
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    value = secrets.token_urlsafe(50)
    with os.fdopen(descriptor, "w") as file:
        file.write(value)
    return value


SECRET_KEY = env.str("STASH_SECRET_KEY", default="") or _secret("secret_key")

ALLOWED_HOSTS = env.list(
    "STASH_ALLOWED_HOSTS", default=[urlsplit(URL).hostname or "localhost", "localhost", "127.0.0.1", "[::1]"]
)
CSRF_TRUSTED_ORIGINS = env.list("STASH_TRUSTED_ORIGINS", default=[URL])
HTTPS = URL.startswith("https://")
BEHIND_PROXY = env.bool("STASH_BEHIND_PROXY", default=False)
PROXIES = env.int("STASH_PROXIES", default=1 if BEHIND_PROXY else 0)
"""How many proxies of ours append to X-Forwarded-For."""

INSTALLED_APPS = [
    "daphne",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "stash.ops.apps.StaticFiles",
    "django.contrib.humanize",
    "channels",
    "rules.apps.AutodiscoverRulesConfig",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.idp.oidc",
    "django_htmx",
    "django_q",
    "stash.ui",
    "stash.audit",
    "stash.search",
    "stash.vectors",
    "stash.recall",
    "stash.ops",
    "stash.home",
    "accounts",
    "sessions_app",
    "wiki",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "stash.logging.RequestLog",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "accounts.middleware.ActorMiddleware",
]

if PROXIES:
    MIDDLEWARE.insert(0, "stash.proxy.ClientAddress")

ROOT_URLCONF = "stash.urls"
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz)$"]
WSGI_APPLICATION = "stash.wsgi.application"
ASGI_APPLICATION = "stash.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "accounts.context.team",
                "stash.home.context.rail",
            ],
        },
    }
]

# ---- database: SQLite for one machine, PostgreSQL for a team -------------------------------------------------------

DATABASE_URL = env.str("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'stash.sqlite3'}")
DATABASES = {"default": env.db_url_config(DATABASE_URL)}
_db = DATABASES["default"]
SQLITE = _db["ENGINE"].endswith("sqlite3")
if SQLITE:
    # WAL and IMMEDIATE with a long timeout, or concurrent writers fail with "database is locked".
    _db["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32000;",
    }
    _db["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
else:
    _db["CONN_MAX_AGE"] = None if ROLE == "web" else 0
    _db["CONN_HEALTH_CHECKS"] = ROLE == "web"
    if ROLE in ("ws", "all") and not TESTING:
        # Under ASGI every request would otherwise open its own connection.
        _db.setdefault("OPTIONS", {})["pool"] = {"min_size": 2, "max_size": env.int("STASH_POOL_SIZE", default=16)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# ---- cache, live hints, background work ---------------------------------------------------------------------------

REDIS_URL = env.str("REDIS_URL", default="")
if REDIS_URL:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}}
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [REDIS_URL]},
        }
    }
elif ROLE == "all" and WEB_PROCESSES == 1:
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
            # Device codes and sign-in throttles live here; the default of 300 would drop them under load.
            "OPTIONS": {"MAX_ENTRIES": 20_000},
        }
    }
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
else:
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.db.DatabaseCache",
            "LOCATION": "stash_cache",
            "OPTIONS": {"MAX_ENTRIES": 20_000},
        }
    }
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
# django-q2 tells its cache twice a second how it is; nobody reads that here, and it must not cost database writes.
CACHES["queue"] = {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}
LIVE_TICK = 30.0 if REDIS_URL else 2.0
"""Seconds between a watcher's own looks at the database, for hints that got lost."""

Q_CLUSTER = {
    "name": "stash",
    "orm": "default",
    "cache": "queue",
    "workers": env.int("STASH_WORKERS", default=1),
    "timeout": 600,
    "retry": 900,
    "max_attempts": 5,
    "poll": 1.0,
    "save_limit": 1000,
    "catch_up": False,
    "label": "Background work",
}

# ---- people ----------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
if TESTING:
    # Slow on purpose everywhere else; here hundreds of people are made who guard nothing.
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
SIGNUP = env.str("STASH_SIGNUP", default="invite")
"""open, invite or closed."""
OWNER_EMAIL = env.str("STASH_OWNER_EMAIL", default="")
LOGIN_REDIRECT_URL = "/"
LOGIN_URL = "account_login"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"

EMAIL_CONFIG = env.email_url("EMAIL_URL", default="consolemail://")
vars().update(EMAIL_CONFIG)
HAS_MAIL = "EMAIL_URL" in env.ENVIRON
DEFAULT_FROM_EMAIL = env.str("STASH_MAIL_FROM", default="Stash <stash@localhost>")

ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "add_email": "accounts.signin_forms.AddEmailForm",
    "change_password": "accounts.signin_forms.ChangePasswordForm",
    "login": "accounts.signin_forms.LoginForm",
    "reset_password_from_key": "accounts.signin_forms.ResetPasswordKeyForm",
    "set_password": "accounts.signin_forms.SetPasswordForm",
    "signup": "accounts.signin_forms.SignupForm",
}
ACCOUNT_LOGIN_METHODS = {"email", "username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*" if HAS_MAIL else "email", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if HAS_MAIL else "none"
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 15 * 60
ALLAUTH_TRUSTED_PROXY_COUNT = PROXIES

MFA_ADAPTER = "accounts.adapter.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Stash"
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not HTTPS

SOCIALACCOUNT_ADAPTER = "accounts.adapter.SocialAdapter"
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
SOCIALACCOUNT_PROVIDERS, _PROVIDER_APPS = sign_in_providers(env)
INSTALLED_APPS += _PROVIDER_APPS

IDP_OIDC_ADAPTER = "accounts.adapter.DeviceAdapter"
IDP_OIDC_DEVICE_CODE_EXPIRES_IN = 15 * 60
IDP_OIDC_ACCESS_TOKEN_EXPIRES_IN = 10 * 60
IDP_OIDC_RATE_LIMITS = {"device_user_code": "15/m/ip"}

# ---- operations -----------------------------------------------------------------------------------------------------

METRICS_TOKEN = env.str("STASH_METRICS_TOKEN", default="")
"""Opens /metrics (Prometheus); without it nothing is measured."""
if METRICS_TOKEN:
    INSTALLED_APPS.append("django_prometheus")
    MIDDLEWARE.insert(0, "django_prometheus.middleware.PrometheusBeforeMiddleware")
    MIDDLEWARE.append("django_prometheus.middleware.PrometheusAfterMiddleware")
READY_QUEUE_SECONDS = env.int("STASH_READY_QUEUE_SECONDS", default=300)
READY_DISK_MB = env.int("STASH_READY_DISK_MB", default=200)
OUTBOUND_ALLOW = env.list("STASH_OUTBOUND_ALLOW", default=[])
"""Hosts and networks that outgoing requests may reach although they are private, as ``name`` or ``10.1.0.0/16``."""

EMBEDDING = env.str("STASH_EMBEDDING", default="builtin")
"""``builtin``, ``static``, ``off``, a folder with model.onnx and tokenizer.json, or the https address of an API."""
EMBEDDING_MODEL = env.str("STASH_EMBEDDING_MODEL", default="text-embedding-3-small")
EMBEDDING_KEY = env.str("STASH_EMBEDDING_KEY", default="")
EMBEDDING_WAIT_MS = env.int("STASH_EMBEDDING_WAIT_MS", default=60)
"""A search waits no longer for likeness of meaning."""

MINIMUM_CLIENT = env.str("STASH_MINIMUM_CLIENT", default="0.1.0")
"""Older clients are told to update; what they send is kept."""

WIKI_DIR = DATA_DIR / "wikis"
"""A bare git repository for every project that has pages."""

# ---- seams ------------------------------------------------------------------------------------------------------

STASH_LISTENERS: list[str] = []
"""Dotted paths of ``sessions_app.listeners.Listener`` objects, called inside the transaction that changed a session."""

BRIEFING_SECTIONS = [
    "stash.recall.sections.about_project",
    "stash.recall.sections.who_is_on_what",
    "stash.recall.sections.recent_sessions",
]
"""What a briefing tells, in this order: ``stash.recall.briefing.Provider`` functions."""

SEARCH_DEAD_ENDS: list[str] = []
"""Who knows what was tried and failed: ``stash.recall.deadends.Provider`` functions."""

HOME_FRAGMENT = "stash.home.fragments.now_html"
"""What the activity socket sends to home pages: a function of the Actor."""

# ---- HTTP ---------------------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

STATIC_URL = "/static/"
STATIC_ROOT = Path(env.str("STASH_STATIC", default=str(DATA_DIR / "static")))
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if TESTING or DEBUG
        else "stash.assets.Assets"
    },
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = TESTING or DEBUG

MAX_BODY = 8 * 1024 * 1024
"""Largest request body in bytes, before gzip is undone; views that take more stream it."""
MAX_UNPACKED = 64 * 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_BODY + 64 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000

X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
SECURE_HSTS_SECONDS = 31536000 if HTTPS else 0
# Subdomains and the browsers' preload list are decisions of the domain's owner, not of one server on it.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_SSL_REDIRECT = HTTPS and env.bool("STASH_SSL_REDIRECT", default=False)

_SELF, _NONE = "'self'", "'none'"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [_NONE],
        "style-src": [_SELF],
        "script-src": [_SELF],
        "connect-src": [_SELF],
        "img-src": [_SELF],
        "font-src": [_SELF],
        "form-action": [_SELF, *sign_in_origins(SOCIALACCOUNT_PROVIDERS, env)],
        "base-uri": [_NONE],
        "frame-ancestors": [_NONE],
    },
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.authentication.KeyAuthentication",
        "accounts.authentication.BrowserAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["stash.api.permissions.HasActor"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["stash.api.parsers.JSON"],
    "DEFAULT_PAGINATION_CLASS": "stash.api.pagination.Cursor",
    "DEFAULT_THROTTLE_CLASSES": ["stash.api.throttles.PerKey"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "stash.api.errors.problem_response",
    "PAGE_SIZE": 50,
    "UNAUTHENTICATED_USER": None,
}
RATE_LIMITS = {
    "capture": env.int("STASH_RATE_CAPTURE", default=1200),
    "vfs": env.int("STASH_RATE_VFS", default=300),
    "other": env.int("STASH_RATE_OTHER", default=600),
}
"""Requests a minute per key (or per address without one), counted in each web process."""

SPECTACULAR_SETTINGS = {
    "TITLE": "Stash",
    "DESCRIPTION": "The shared memory of a team that works with coding agents.",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_NAME_OVERRIDES": {
        "ProjectVisibility": "accounts.models.Project.Visibility",
        "SessionVisibility": "sessions_app.models.Session.Visibility",
        "ConnectionVisibility": "accounts.models.Connection.Visibility",
        "SessionVisibilityRule": "accounts.models.Team.Default",
        "Role": "accounts.models.Membership.Role",
        "Scope": "stash.actors.SCOPES",
    },
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

from stash.logging import LOGGING  # noqa: E402, F401  (configured last: it reads nothing of the above)
