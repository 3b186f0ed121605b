"""Every page of the demo and of an empty tenant, with who looks at it: what pictures and checks are made of."""

from dataclasses import dataclass
from io import StringIO

from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from governance.erasure.models import ForgetRequest
from governance.ledger import sealing
from governance.ledger.outbox import drain
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.scopes.models import ApiKey
from governance.scopes.queries import agent_actor
from tests.browser.crawl import every_page
from tests.factories import a_tenant
from tests.web.people import a_member

# Who looks at the pages: what one of them has seen is not pictured again for the next.
PEOPLE = ("admin", "reviewer", "compliance", "auditor", "operator")
DOOR = {
    "sign-in": "/sign-in/",
    "password-forgotten": "/password/",
    "password-sent": "/password/sent/",
    "password-link-gone": "/password/MQ/set-password/",
    "password-done": "/password/done/",
    "nothing-there": "/nowhere/",
}


@dataclass(frozen=True)
class Shown:
    """A page, and who looks at it; None: nobody who has signed in."""

    client: Client | None
    name: str
    address: str


def of_the_demo(language: str = "en") -> list[Shown]:
    """Load the demo, do in it what a page needs to be there, and return every page of everybody."""
    sealing.forget_known_keys()
    call_command("demo", stdout=StringIO())
    worked()
    clients = {name: a_client(name, language) for name in PEOPLE}
    pages = [Shown(None, name, address) for name, address in DOOR.items()]
    for who, more in {name: _set_up(name, clients) for name in PEOPLE}.items():
        known = {page.name for page in pages}
        found = every_page(clients[who]) | more
        pages += [Shown(clients[who], name, address) for name, address in found.items() if name not in known]
    assert {"recall", "forget-request", "erasure-report", "person", "policy-draft"} <= {page.name for page in pages}
    return pages


def of_an_empty_tenant(language: str = "en") -> list[Shown]:
    """Return every page of somebody with all roles where nothing has happened yet."""
    sealing.forget_known_keys()
    a_member(a_tenant("acme"), "rita", "reviewer", "administrator", "resolver", "compliance")
    client = a_client("rita", language)
    return [Shown(client, name, address) for name, address in every_page(client).items()]


def cookies(shown: Shown, language: str, url: str) -> list[dict[str, str]]:
    """Return what a browser has to hold to look at a page as they do."""
    session = {"sessionid": shown.client.cookies["sessionid"].value} if shown.client else {}
    return [{"name": n, "value": v, "url": url} for n, v in ({"django_language": language} | session).items()]


def worked() -> None:
    while drain():
        pass


def a_client(name: str, language: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=name))
    client.cookies["django_language"] = language
    return client


def _set_up(name: str, clients: dict[str, Client]) -> dict[str, str]:
    """Make what a page of somebody needs to be there, and return the pages that no link leads to."""
    if name == "admin":
        clients["admin"].post("/policy/draft/begin/")
        key = ApiKey.objects.select_related("agent").filter(revoked_at=None)[0]
        recall(Question(query="Which language does she want?", user="tom"), by=agent_actor(key.agent, key))
    if name != "compliance":
        return {}
    request = ForgetRequest.objects.get()
    a_client("privacy", "en").post(f"/forget/{request.id}/approve/", {"plan_hash": request.plan_hash})
    worked()
    return {"person": clients[name].post("/people/find/", {"user": "maria"}).headers["Location"]}
