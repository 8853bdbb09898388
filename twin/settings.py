"""Django settings for the demo ("embedded" mode) and for production, taken from environment variables.

Every variable starts with HYDRATWIN_. The embedded mode needs no variable. Production needs the variables
that have no safe default; if one is missing, the process stops with one line that names the variable.
"""

import os
import secrets
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote

import environ
from csp.constants import NONE, SELF

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()


class SettingsError(SystemExit):
    """A setting is missing or wrong; the process ends with this line instead of a traceback."""

    def __init__(self, text: str) -> None:
        super().__init__(f"hydratwin: {text}")


def _required(name: str, meaning: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise SettingsError(f"{name} is not set: production needs {meaning}")
    return value


def _url(name: str, default: str, meaning: str) -> str:
    """Return a Redis or Valkey address: required in production, local by default."""
    value = _required(name, meaning) if PRODUCTION else os.environ.get(name, default)
    if not value.startswith(("redis://", "rediss://", "unix://")):
        raise SettingsError(
            f"{name} must start with redis://, rediss:// or unix:// (got {value.split(':')[0]!r})"
        )
    return value


def _positive(name: str, default: float) -> float:
    try:
        value = float(os.environ.get(name) or default)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise SettingsError(f"{name} must be a number above 0 (got {os.environ.get(name)!r})")
    return value


def _switch(name: str, default: bool) -> bool:
    value = os.environ.get(name) or str(int(default))
    if value not in ("0", "1"):
        raise SettingsError(f"{name} must be 0 or 1 (got {value!r})")
    return value == "1"


def _kept_secret(path: Path) -> str:
    """Return the secret key of the embedded mode: created once, readable only by its owner.

    Several processes may start at the same time. The key file is linked only when it is complete, so all of
    them read the same key.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(64))
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text()


# mode

ENVIRONMENT: str = os.environ.get("HYDRATWIN_ENV", "embedded")
if ENVIRONMENT not in ("embedded", "production"):
    raise SettingsError(f"HYDRATWIN_ENV must be embedded or production (got {ENVIRONMENT!r})")
PRODUCTION: bool = ENVIRONMENT == "production"
DEBUG = False

DATA_DIR: Path = Path(os.environ.get("HYDRATWIN_DATA") or BASE_DIR / "var").resolve()
try:
    DATA_DIR.mkdir(parents=True, exist_ok=True)
except OSError as error:
    raise SettingsError(f"HYDRATWIN_DATA: cannot use {DATA_DIR} ({error.strerror})") from None

if PRODUCTION:
    SECRET_KEY = _required("HYDRATWIN_SECRET_KEY", "a random secret of at least 50 characters")
    _required("HYDRATWIN_ALLOWED_HOSTS", "the host names of the site, separated by commas")
else:
    SECRET_KEY = os.environ.get("HYDRATWIN_SECRET_KEY") or _kept_secret(DATA_DIR / "secret-key")
ALLOWED_HOSTS: list[str] = env.list("HYDRATWIN_ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("HYDRATWIN_CSRF_TRUSTED_ORIGINS", default=[])

# stores

if PRODUCTION:
    _required("HYDRATWIN_DATABASE_URL", "a database such as postgres://user:password@host/name")
_SQLITE_OPTIONS = {
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    "transaction_mode": "IMMEDIATE",  # a writer waits at BEGIN instead of failing half-way
    "timeout": 20,
}
_database: dict[str, Any] = {  # a path, not a URL, in which ? and # would have a meaning
    "ENGINE": "django.db.backends.sqlite3",
    "NAME": str(DATA_DIR / "hydratwin.sqlite3"),
}
try:
    if os.environ.get("HYDRATWIN_DATABASE_URL"):
        _database = env.db_url("HYDRATWIN_DATABASE_URL")
except Exception as error:
    raise SettingsError(f"HYDRATWIN_DATABASE_URL is not a database address ({error})") from None
if _database.get("ENGINE", "").endswith("sqlite3"):
    _database["OPTIONS"] = _SQLITE_OPTIONS
elif _database.get("ENGINE", "").endswith("postgresql"):
    _database["HOST"] = unquote(_database["HOST"])  # a socket directory is written as %2Frun%2Fpostgresql
    _database["CONN_HEALTH_CHECKS"] = True
else:
    raise SettingsError("HYDRATWIN_DATABASE_URL must start with postgres:// or sqlite:///")
DATABASES = {"default": _database}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Valkey or Redis: telemetry (durable), broker (Celery, database 0) and channel layer (database 1)
TELEMETRY_URL: str = _url(
    "HYDRATWIN_TELEMETRY_URL",
    "redis://127.0.0.1:6390/0",
    "the Valkey address for telemetry streams",
)
BROKER_URL: str = _url(
    "HYDRATWIN_BROKER_URL",
    "redis://127.0.0.1:6391/0",
    "the Valkey address for Celery",
)
CHANNELS_URL: str = _url(
    "HYDRATWIN_CHANNELS_URL",
    "redis://127.0.0.1:6391/1",
    "the Valkey address for the channel layer",
)
CHANNEL_LAYERS: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        # longer than the 5 s that the layer waits for a message, or every wait would be an error
        "CONFIG": {"hosts": [{"address": CHANNELS_URL, "socket_timeout": 15}]},
    }
}

# the live path; times in microseconds unless the name says otherwise

TELEMETRY_DELAY_US: int = (
    150_000  # a twin follows its machine with this delay, so that late samples can be fused
)
SHARDS: int = 32  # machines are spread over shards by hash; runners lease shards
LEASE_MS: int = 2_000  # a runner that does not renew within this time loses its shards
STREAM_CAP: int = 250_000  # entries; an hour of 50 Hz with one sample per entry is 180,000
MAX_FUTURE_US: int = 2_000_000  # how far a machine's clock may run ahead of ours
MAX_AGE_US: int = 30 * 24 * 3600 * 1_000_000  # older samples belong to an import, not to a live twin
MAX_BODY: int = 1_048_576  # bytes of a telemetry body, before and after decompression
MAX_SAMPLES: int = 1_000  # per telemetry body
MAX_STARTS: int = 10_000  # boots remembered per device, each for a week after its last sample
BODY_S: float = 10.0  # time limit for receiving a telemetry body
TELEMETRY_DIR: str = os.environ.get("HYDRATWIN_TELEMETRY_DIR", "")  # data of the server, if on this host
TELEMETRY_RESERVE: int = 256 * 2**20  # bytes; ingest refuses telemetry while less is free on its disk
STREAM_KEEP_S: float = _positive("HYDRATWIN_STREAM_KEEP_S", 60)  # minimum age of trimmed entries
HISTORY_S: float = _positive("HYDRATWIN_HISTORY_S", 10)  # seconds of samples per row of history
RATE_BODIES: float = _positive(
    "HYDRATWIN_RATE_BODIES", 1_000
)  # per second and device, in each ingest process
RATE_SAMPLES: float = _positive("HYDRATWIN_RATE_SAMPLES", 10_000)
RATE_BURST_S: float = 6.0  # a device that was silent may send this many seconds' worth at once

# MQTT: the broker and the bridge's account; without a URL there is no bridge
MQTT_URL: str = os.environ.get("HYDRATWIN_MQTT_URL", "")
MQTT_MAX_BODY: int = 262_144  # bytes; the bridge holds up to MQTT_IN_FLIGHT bodies in memory
MQTT_IN_FLIGHT: int = 250  # messages that the broker sends before the first is acknowledged

# applications

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "webui.accounts",  # before allauth, whose templates it replaces
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "axes",
    "csp",
    "ninja",
    "twin.fleet",
    "twin.audit",
    "twin.accounts",
    "twin.history",
    "twin.preferences",
    "twin.showroom",
    "twin.sites",
    "twin.usage",
    "twin.webhooks",
    "workers",
    "webui.shell",
    "webui.organisation",
    "webui.fleet",
    "webui.help",
    "webui.machine",
    "webui.onboarding",
    "webui.preferences",
    "webui.sockets",
    "webui.styleguide",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "webui.shell.middleware.StaticFiles",
    "webui.shell.middleware.never_stored",  # after the static files, which may be cached
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "webui.preferences.language.ChosenLanguage",  # after authentication, before any text is made
    "webui.shell.middleware.SignInRequired",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "webui.accounts.second_factor.SecondFactorRequired",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
    "webui.shell.middleware.Explained",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "webui.preferences.context.preferences",
                "webui.preferences.context.languages",
            ]
        },
    }
]

ROOT_URLCONF = "webui.urls"

# static files: the bundle is built into webui/static/dist, collected under hashed names, served by whitenoise

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
FILE_UPLOAD_PERMISSIONS = None  # the umask decides who may read collected files
_bundle = BASE_DIR / "webui" / "static"
STATICFILES_DIRS: list[Any] = [_bundle] if _bundle.is_dir() else []  # absent until the front end is built
STATICFILES_DIRS += [("guide", BASE_DIR / "docs" / "images")]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# signing in

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",  # first: it refuses accounts that are locked
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "account_login"
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_CALLABLE = "webui.accounts.views.locked"
AXES_RESET_ON_SUCCESS = True
AXES_ENABLE_ADMIN = False  # its tables have no organisation
AXES_VERBOSE = False

# accounts: by invitation; allauth provides the second factor, password reset by mail and the session list
ACCOUNT_ADAPTER = "webui.accounts.adapters.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Hydratwin: "
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 600  # s
PASSWORD_RESET_TIMEOUT = 3600  # s
MFA_ADAPTER = "webui.accounts.adapters.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Hydratwin"
MFA_TOTP_TOLERANCE = 1  # RFC 6238, 5.2: a code typed at the end of its 30 s is still valid on arrival
MFA_ALLOW_UNVERIFIED_EMAIL = True  # addresses are not verified, and a second factor must still be possible
USERSESSIONS_ADAPTER = "webui.accounts.adapters.SessionsAdapter"
# administrators, who decide about access, need a second factor
SECOND_FACTOR_REQUIRED: bool = _switch("HYDRATWIN_SECOND_FACTOR", PRODUCTION)

# counts attempts across all web processes; used for nothing else
CACHES = {"default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "attempts"}}

# mail: password resets and notices about account changes; without a server it goes to the log
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
if os.environ.get("HYDRATWIN_EMAIL_URL"):
    vars().update(env.email_url("HYDRATWIN_EMAIL_URL"))
DEFAULT_FROM_EMAIL = os.environ.get("HYDRATWIN_EMAIL_FROM") or "hydratwin@localhost"
EMAIL_TIMEOUT = 10  # s

# allows webhooks to private addresses and without TLS: for tests on this host, and inside a company
WEBHOOK_PRIVATE: bool = _switch("HYDRATWIN_WEBHOOK_PRIVATE", False)

# what browsers may do

CSRF_FAILURE_VIEW = "webui.shell.errors.csrf_failure"
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 14 * 24 * 3600
SECURE_SSL_REDIRECT = PRODUCTION
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]  # called from the internal network
# only behind a proxy that sets this header itself; otherwise a client could pretend to use TLS
_proxied = _switch("HYDRATWIN_TRUSTED_PROXY", False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _proxied else None
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = PRODUCTION
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],  # the same host, including WebSockets
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

# whether visitors may create an organisation; in production an administrator does it
_sign_up = os.environ.get("HYDRATWIN_SIGN_UP") or ("0" if PRODUCTION else "1")
if _sign_up not in ("0", "1"):
    raise SettingsError(f"HYDRATWIN_SIGN_UP must be 0 or 1 (got {_sign_up!r})")
SIGN_UP: bool = _sign_up == "1"

# time and language

TIME_ZONE = "UTC"
USE_TZ = True
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("fi", "Suomi")]  # each by its own name
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "webui.formats"
LANGUAGE_COOKIE_NAME = "hydratwin_language"  # for visitors who are not signed in
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SECURE = PRODUCTION
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE: Literal["Lax"] = "Lax"

# log: one line per event

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "twin.logs.OneLineFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s: %(message)s",
            "datefmt": "%H:%M:%S",
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "INFO"},
    "loggers": {
        "axes": {"level": "WARNING"},  # INFO would log four lines per sign-in
        "uvicorn": {"handlers": ["console"], "level": "INFO", "propagate": False},
        # a line per request; listed, because a child of a listed logger would be enabled again
        "uvicorn.access": {"handlers": [], "propagate": False},
    },
}
