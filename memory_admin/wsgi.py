"""The product as a WSGI application."""

import os
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_admin.settings")


def with_whole_bodies(answer: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    """Return an application that is given chunked bodies with their length: Django reads as many bytes as are
    announced, and would take such a body for none."""

    def whole(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if environ.get("HTTP_TRANSFER_ENCODING") and not environ.get("CONTENT_LENGTH"):
            most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1  # one more than is let in: it is refused as too long
            body = environ["wsgi.input"].read(most)
            environ |= {"wsgi.input": BytesIO(body), "CONTENT_LENGTH": str(len(body))}
        return answer(environ, start_response)

    return whole


application = with_whole_bodies(get_wsgi_application())
