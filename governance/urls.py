"""Both doors of the web: agents under `/api/v1/`, people everywhere else; and what watches the process."""

import sys

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import include, path
from django.views import defaults
from django.views.i18n import set_language

from governance.api import health
from governance.api.errors import is_for_agents, problem_early
from governance.web import unavailable

urlpatterns = [
    path("language/", set_language, name="set_language"),
    path("api/v1/", include("governance.api.urls")),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("", include("governance.web.urls")),
    path("", include("governance.web.account_urls")),
]


# What no view answered, each as its door says it.
def unreadable(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    return problem_early(request, exception) if is_for_agents(request) else defaults.bad_request(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    return problem_early(request, exception) if is_for_agents(request) else defaults.page_not_found(request, exception)


def failed(request: HttpRequest) -> HttpResponse:
    exception = sys.exc_info()[1]
    if isinstance(exception, Exception) and is_for_agents(request):
        return problem_early(request, exception)
    return unavailable.failed(request)
