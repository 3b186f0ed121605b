"""For whoever runs it: alive, ready, and counted. Codes and numbers, never ids or words."""

from collections.abc import Iterable

from django.db import Error
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from governance.overview import health

REGISTRY = CollectorRegistry()
REQUESTS = Counter("api_requests", "Answers by route and status.", ["method", "route", "status"], registry=REGISTRY)
SECONDS = Histogram("api_request_seconds", "Time to answer.", ["method", "route"], registry=REGISTRY)
METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})


class Owed(Collector):
    """What commits still wait for, asked when somebody looks; not told while the database does not answer."""

    def describe(self) -> Iterable[GaugeMetricFamily]:
        return []

    def collect(self) -> Iterable[GaugeMetricFamily]:
        family = GaugeMetricFamily("outbox_owed", "Rows that wait, by topic.", labels=["topic"])
        try:
            owed = health.owed_by_topic()
        except Error:
            return
        for topic, number in owed.items():
            family.add_metric([topic], number)
        yield family


REGISTRY.register(Owed())


def count(request: HttpRequest, status: int, seconds: float) -> None:
    """Count one answer under its route's template: what stood in the address is not kept."""
    route = request.resolver_match.route if request.resolver_match else ""
    method = request.method if request.method in METHODS else "other"
    REQUESTS.labels(method, route, status).inc()
    SECONDS.labels(method, route).observe(seconds)


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200: the process is alive."""
    return JsonResponse({"status": "alive"})


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 when requests can be served (`degraded`: with less than all), 503 when not."""
    checks = health.checks()
    failed = [c for c in checks if not c.ok]
    state = "unready" if any(c.needed for c in failed) else "degraded" if failed else "ready"
    body = {"status": state, "checks": {c.name: "ok" if c.ok else c.reason for c in checks}}
    headers = {"Cache-Control": "no-store"}
    if state != "unready":
        return JsonResponse(body, headers=headers)
    return JsonResponse(body, status=503, headers={**headers, "Retry-After": "1"})


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer in Prometheus' text form, for this process."""
    return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE_LATEST)
