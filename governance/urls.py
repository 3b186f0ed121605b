"""Both doors of the web: agents under `/api/v1/`, people everywhere else; and what watches the process."""

from django.urls import include, path
from django.views.i18n import set_language

from governance.api import health

urlpatterns = [
    path("language/", set_language, name="set_language"),
    path("api/v1/", include("governance.api.urls")),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("", include("governance.web.urls")),
    path("", include("governance.web.account_urls")),
]
