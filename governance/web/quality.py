"""The quality report: how reviewers decide, as a table and as a file without text."""

import csv
from datetime import timedelta

from django.http import HttpResponse
from django.utils import timezone

from governance.candidates.quality import quality
from governance.overview import queries as overview
from governance.web.desk import desk
from governance.web.htmx import DeskRequest, show

DAYS = 30


@desk("see-queue")
def report(request: DeskRequest) -> HttpResponse:
    rows = quality(request.actor, timezone.now() - timedelta(days=DAYS))
    context = {"rows": rows, "names": overview.names_of(q.who for q in rows), "days": DAYS}
    return show(request, "governance/review/quality.html", context)


@desk("see-queue")
def export(request: DeskRequest) -> HttpResponse:
    """Return the report as CSV: ids and numbers."""
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="review-quality.csv"'
    lines = csv.writer(response)
    lines.writerow("reviewer decided approved edited rejected reversed undone agreement median_seconds".split())
    for q in quality(request.actor, timezone.now() - timedelta(days=DAYS)):
        share = "" if q.agreement is None else f"{q.agreement:.3f}"
        numbers = (q.decided, q.approved, q.edited, q.rejected, q.reversed, q.undone)
        lines.writerow([q.who, *numbers, share, "" if q.median_seconds is None else q.median_seconds])
    return response
