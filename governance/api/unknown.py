"""Every address that is none, answered like a thing that is not there."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from governance.api.endpoint import endpoint
from governance.errors import NotFound


@extend_schema(exclude=True)
@endpoint("GET", "POST", "PUT", "PATCH", "DELETE", reads_query=True)
def unknown(request: Request) -> Response:
    raise NotFound()
