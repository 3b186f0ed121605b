"""The OpenAPI document, and a page to try it; both for anyone, their assets local."""

from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView


class Schema(SpectacularAPIView):
    """The OpenAPI document of every call."""


class Docs(SpectacularSwaggerSplitView):
    """A page to read and try the calls."""

    url_name = "schema"
    template_name = "governance/api/docs.html"
