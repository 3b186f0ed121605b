"""A word goes in through every door there is; its person is forgotten; then nothing opens to it and nothing holds it."""

from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User

from governance.erasure.models import ForgetReport, ForgetRequest
from governance.erasure.needles import Needles
from governance.erasure.proofs.files import Scan
from governance.erasure.rules import reach_of
from governance.erasure.stores import STORES
from governance.index.models import Entry
from governance.ledger import sealing
from governance.ledger.models import Content
from governance.ledger.rebuild import rebuild
from governance.ledger.verify import verify
from governance.lifecycle.actions import summarise
from governance.lifecycle.models import Hold
from governance.memories.models import Memory
from governance.scopes.queries import actor_of_member
from tests.flows import sentinel as sentinels
from tests.flows.world import Agent, Person, World, drain_all

HIM = {"level": "user", "user": "lin"}


@pytest.fixture
def agent(world: World) -> Agent:
    return world.agent(more=["inspect", "revise", "retract"], sources=["business_system"])


@pytest.fixture
def rae(world: World) -> Person:
    return world.person("rae", "reviewer", "resolver", "administrator")


@pytest.fixture
def cora(world: World) -> Person:
    return world.person("cora", "compliance")


@pytest.fixture
def carl(world: World) -> Person:
    return world.person("carl", "compliance")


class Talk:
    """Everything that can be said of one person, the word in each of it."""

    def __init__(self, word: str, agent: Agent, rae: Person, cora: Person) -> None:
        self.word, self.user, self.agent, self.rae, self.cora = word, f"lin-{word}", agent, rae, cora

    def said_and_corrected(self) -> None:
        made = self.agent.state(
            "lin", f"My boat is called {self.word}.", said={"session": "one"}, key=f"boat.{self.word}",
            value=self.word, content=f"The boat is called {self.word}.", about=self.word, note=self.word,
        )  # fmt: skip
        heard = self.agent.observe("lin", f"No, it is {self.word} II.", extract=False)
        evidence = {"observation": heard["id"], "quote": f"No, it is {self.word} II."}
        change = {"expected_version": 1, "value": f"{self.word} II", "source_type": "user_explicit", "note": self.word}
        self.agent.ask("patch", f"memories/{made['memory']['id']}", {**change, "evidence": evidence})

    def retracted(self) -> None:
        made = self.agent.state("lin", f"My cat is called {self.word}.", key="cat.name", value=self.word)
        self.agent.ask(
            "delete", f"memories/{made['memory']['id']}", {"expected_version": 1, "reason": "delete-request"}
        )

    def pending_and_rejected(self) -> None:
        for key in ("profile.mood", "profile.wish"):
            made = self.agent.state(
                "lin", f"I long for {self.word}.", key=key, value=self.word, source_type="agent_guess", note=self.word
            )
            assert made["status"] == "pending"
        self.rae.reject(made["id"], "not-true", f"Nobody longs for {self.word}.")

    def contested_and_settled(self) -> None:
        for key in ("environment.prod.database", "environment.test.database"):
            for value, source in ((f"{self.word} one", "business_system"), (f"{self.word} two", "user_explicit")):
                made = self.agent.state("lin", f"It runs on {value}.", key=key, value=value, source_type=source)
        assert made["status"] == "merged", made
        page = self.rae.page(f"/conflicts/{made['conflict']}/")
        assert self.word in page

    def summarised(self, world: World) -> None:
        for place in ("Rome", "Naples", "Bari"):
            said = f"I went with {self.word} to {place}."
            self.agent.state("lin", said, kind="episodic", content=said)
        episodes = Memory.objects.filter(kind="episodic").order_by("pk")
        proposed = summarise(list(episodes), by=actor_of_member(User.objects.get(username="rae"), world.tenant.id))
        self.rae.approve(proposed.id)
        assert self.word in str(self.agent.recall(user="lin", query="Where did they go?"))

    def asked_and_tried(self) -> None:
        self.agent.recall(user="lin", session="one", query=f"Which boat is {self.word}?")
        key = self.rae.page("/workbench/").split('name="key"')[1].split('value="')[1].split('"')[0]
        form = {"key": key, "user": self.user, "query": f"Which boat is {self.word}?", "limit": 6}
        tried = self.rae.http.post("/workbench/try/", {**form, "token_budget": 800, "form": "lines"})
        assert tried.status_code == 200 and self.word in tried.content.decode()
        self.rae.http.post("/review/search/", {"words": self.user})
        self.rae.http.post("/review/filters/keep/", {"name": f"Of {self.user}", "words": self.user})

    def sent_twice(self) -> None:
        body = {"role": "user", "text": f"I sail {self.word} twice.", "user": "lin"}
        first, second = (self.agent.ask("post", "observations", body, status=201, idempotency_key="k1") for _ in "ab")
        assert first["id"] == second["id"]

    def refused(self) -> None:
        malformed = f'{{"role": "user", "text": "{self.word}'
        answers = [
            self.agent.http.post("/api/v1/observations", malformed, content_type="application/json"),
            self.agent.http.get(f"/api/v1/{self.word}?q={self.word}"),
            self.agent.send("post", "observations", {"role": self.word, "text": self.word, self.word: 1}),
            self.agent.send("post", "recall", {"user": self.word, "query": ["x", self.word]}),
            self.rae.http.post("/memories/search/", {"words": self.word * 900}),
            self.rae.http.get(f"/memories/{self.word}/"),
        ]
        assert all(400 <= a.status_code < 500 for a in answers[:4])
        assert not any(self.word in a.content.decode() for a in answers[:4])

    def held_for_a_while(self) -> None:
        self.cora.http.post(
            "/retention/holds/", {"user": self.user, "ground": "litigation", "note": f"On {self.word}."}
        )
        lifted = self.cora.http.post(f"/retention/holds/{Hold.objects.get().id}/lift/")
        assert lifted.status_code == 302

    def copied_for_the_person(self) -> None:
        found = self.cora.http.post("/people/find/", {"user": self.user})
        copy = b"".join(self.cora.http.post(f"{found['Location']}export/").streaming_content)
        assert self.word in copy.decode()

    def asked_to_forget_in_vain(self) -> None:
        filed = self.file()
        self.cora.http.post(f"/forget/{filed.id}/refuse/", {"ground": "identity-not-shown"})

    def file(self) -> ForgetRequest:
        known = set(ForgetRequest.objects.values_list("pk", flat=True))
        words = {"requester": f"Lin {self.word}", "reason": f"Nobody is to know of {self.word}."}
        form = {"mode": "erase", "user": self.user, "identity_verified": "document" if known else "", **words}
        assert self.cora.http.post("/forget/file/", form).status_code == 302
        drain_all()
        return ForgetRequest.objects.exclude(pk__in=known).get()


def test_what_went_in_through_every_door_is_found_in_no_store_opens_nowhere_and_lies_in_no_file(
    world: World, agent: Agent, rae: Person, cora: Person, carl: Person, folders: list[Path]
):
    talk = Talk(world.sentinel, agent, rae, cora)
    talk.said_and_corrected()
    talk.retracted()
    talk.pending_and_rejected()
    talk.contested_and_settled()
    talk.summarised(world)
    talk.asked_and_tried()
    talk.sent_twice()
    talk.refused()
    talk.held_for_a_while()
    talk.copied_for_the_person()
    talk.asked_to_forget_in_vain()
    drain_all()
    assert len(opening_to(world.sentinel)) > 20
    assert sentinels.files_holding(world.sentinel, folders) == []
    request = talk.file()
    reach = reach_of(request.plan.reach)
    vectors = stored()

    carl.http.post(f"/forget/{request.id}/approve/", {"plan_hash": request.plan_hash})
    drain_all()

    request = ForgetRequest.objects.get(pk=request.pk)
    written = ForgetReport.objects.get(request=request)
    assert (request.status, request.grounds) == ("complete", []), written.document["proof"]
    assert {s.name: s.find(reach) for s in STORES if s.bucket == "erase" and s.find(reach)} == {}
    assert opening_to(world.sentinel) == []
    assert all(words.erased for words in sealing.unseal(reach.all_contents()).values())
    found = Scan(Needles((world.sentinel,), {vectors.shape[1]: vectors})).found()
    assert found.hits == () and found.files > 3
    for page in (f"/forget/{request.id}/", f"/forget/{request.id}/reports/1/", f"/forget/{request.id}/reports/1/file/"):
        assert world.sentinel not in cora.page(page)
    assert world.sentinel not in rae.page("/audit-log/") + rae.page("/review/") + rae.page("/memories/")
    assert sentinels.files_holding(world.sentinel, folders) == []
    assert rebuild(apply=False).differences == []
    assert verify(world.tenant.id).findings == []


def stored() -> np.ndarray:
    rows = Entry.objects.filter(vector__isnull=False).values_list("vector", flat=True)
    return np.stack([np.frombuffer(bytes(v), dtype=np.float16) for v in rows]).astype(np.float32)


def opening_to(word: str) -> list[str]:
    """Return which sealed contents still open to a word, each by the fields that hold it."""
    opened = sealing.unseal(Content.objects.values_list("pk", flat=True))
    return [f"{pk}: {sorted(words)}" for pk, words in sorted(opened.items()) if word in str(dict(words))]
