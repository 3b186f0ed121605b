"""The Workbench: what an agent would be given at a question, why, and how it differs at another moment or policy.

What is typed travels in the body alone, and is kept nowhere.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_POST

from governance.overview.rehearsing import Seen, Side, act_as
from governance.policies.queries import choices
from governance.policies.rules import RankWeights
from governance.retrieval.answers import Question, Recalled
from governance.scopes.queries import find_subject, living_keys
from governance.web.desk import desk
from governance.web.htmx import DeskRequest, page_or_fragment
from governance.web.recall_words import reason_in_words, why_in_words
from governance.web.workbench_form import WorkbenchForm

PARTS = ("relevance", "scope", "freshness", "confidence", "kind", "risk")


@desk("act-as-agent")
def page(request: DeskRequest) -> HttpResponse:
    sent = request.POST if request.method == "POST" else None
    return _show(request, _form(request, sent), [])


@require_POST
@desk("act-as-agent", again=page)
def try_recall(request: DeskRequest) -> HttpResponse:
    """Ask as an agent, and show what it would be given."""
    form = _form(request, request.POST)
    said = form.clean_values()
    seen = act_as(said["key"], _sides(said), expected=said["expected"], by=request.actor)
    unknown = bool(said["user"]) and find_subject(request.tenant.id, said["user"]) is None
    return _show(request, form, [_shown(one, seen) for one in seen], is_unknown=unknown)


def _form(request: DeskRequest, sent: Any) -> WorkbenchForm:
    keys = [(key.pk, f"{key.agent.name} · {key.pk[-8:]}") for key in living_keys(request.tenant.id)]
    return WorkbenchForm(sent, keys=keys, policies=choices(request.tenant.id))


def _show(
    request: DeskRequest, form: WorkbenchForm, sides: list[dict[str, Any]], *, is_unknown: bool = False
) -> HttpResponse:
    context = {"form": form, "sides": sides, "is_unknown": is_unknown}
    context["has_keys"] = bool(form.fields["key"].choices)  # type: ignore[attr-defined]
    return page_or_fragment(request, "governance/workbench/page.html", "governance/workbench/_seen.html", context)


def _sides(said: Mapping[str, Any]) -> list[Side]:
    question = Question(
        query=said["query"],
        user=said["user"],
        project=said["project"],
        session=said["session"],
        limit=said["limit"],
        token_budget=said["token_budget"],
        form=said["form"],
        as_of=said["as_of"],
        known_at=said["known_at"],
        explain=True,
    )
    if said["beside"] == "moment":
        return [Side(question), Side(replace(question, as_of=said["other_as_of"], known_at=said["other_known_at"]))]
    if said["beside"] == "policy":
        return [Side(question), Side(question, said["other_policy"])]
    return [Side(question)]


def _shown(seen: Seen, all_seen: list[Seen]) -> dict[str, Any]:
    answer = seen.rehearsal.answer
    others = [{m.view.id for m in o.rehearsal.answer.memories} for o in all_seen if o is not seen]
    return {
        "seen": seen,
        "answer": answer,
        "milliseconds": round(sum(answer.timings.values())),
        "hits": [
            {"hit": hit, "bars": list(_bars(hit, seen.policy.rank)), "only_here": _is_new(hit, others)}
            for hit in answer.memories
        ],
        "left_out": [{"view": view, "reason": reason_in_words(fate)} for view, fate in seen.left_out],
        "omitted": sum(o.count for o in answer.omitted),
        "why": why_in_words(seen.why) if seen.why else "",
    }


def _is_new(hit: Recalled, others: list[set[str]]) -> bool:
    return bool(others) and all(hit.view.id not in other for other in others)


def _bars(hit: Recalled, weights: RankWeights) -> Iterator[dict[str, Any]]:
    """Yield each part of a score with the weight it counts by; the width of its bar is the part in percent."""
    for name in PARTS:
        part, weight = hit.parts[name], getattr(weights, name)
        yield {"name": name, "part": part, "weight": weight, "width": round(100 * part), "off": name == "risk"}
