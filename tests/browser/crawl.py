"""Every page there is, found as a person finds them: by following links. A new page is in the tests by being linked."""

import re
from collections import deque
from html import unescape
from urllib.parse import urlsplit

from django.test import Client
from django.urls import Resolver404, resolve

LINK = re.compile(r'href="([^"#]+)"')
EACH = 2  # addresses that are looked at for links, of each kind of page
LEFT_OUT = ("export-quality", "sign-out")


def every_page(client: Client, start: str = "/") -> dict[str, str]:
    """Return an address of every page that can be reached, by the name of its kind."""
    found: dict[str, str] = {}
    looked: dict[str, int] = {}
    queue, seen = deque([start]), {start}
    while queue:
        address = queue.popleft()
        name = _name(address)
        if not name or looked.get(name, 0) >= EACH or name in LEFT_OUT:
            continue
        response = client.get(address)
        looked[name] = looked.get(name, 0) + 1
        if response.status_code != 200 or "text/html" not in response.headers["Content-Type"]:
            continue
        page = response.content.decode()
        if "<html" not in page:
            continue
        found.setdefault(name, address)
        for href in map(unescape, LINK.findall(page)):
            parts = urlsplit(href)
            if href.startswith("?"):
                href = urlsplit(address).path + href
            elif parts.scheme or parts.netloc or not href.startswith("/"):
                continue
            if href not in seen:
                seen.add(href)
                queue.append(href)
    return found


def _name(address: str) -> str:
    try:
        return resolve(urlsplit(address).path).url_name or ""
    except Resolver404:
        return ""
