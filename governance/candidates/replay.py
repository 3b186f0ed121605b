"""What candidates would have come to under other policies, judged on what was seen when they were judged first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from governance.candidates import rules
from governance.candidates.actions import judge as judging
from governance.candidates.actions.judge import Heard, Holder, Judged, Seen
from governance.candidates.models import Candidate
from governance.candidates.queries import draft_of
from governance.candidates.rules import Draft, Times
from governance.candidates.stages.proposal import Tendency
from governance.evidence.queries import texts_of
from governance.ledger import sealing
from governance.ledger.sealing import NO_WORDS, Words
from governance.memories.models import Version
from governance.policies.rules import Policy
from governance.scopes.models import Participation

_GRANTED = frozenset({"business_system", "project_document", "tool_result"})


@dataclass(frozen=True)
class Replayed:
    """A candidate, and what it comes to under each policy, in order; its outcome as recorded stands on the row."""

    row: Candidate
    judged: tuple[Judged, ...]


@dataclass(frozen=True)
class _Known:
    """What a batch of candidates rests on, read at once."""

    words: Mapping[str, Words]
    texts: Mapping[str, str]
    versions: Mapping[tuple[str, int], Version]
    participations: frozenset[str]


def replay(candidates: Iterable[Candidate], policies: Sequence[Policy]) -> list[Replayed]:
    """Return what candidates come to under each policy; those whose words are gone are left out.

    A fixed number of queries; `scope` and `observation` are best selected with the rows. What does not depend on
    policy is taken as it was found then: who said it, whether it lasts, what it met.
    """
    rows = list(candidates)
    known = _read(rows)
    return [
        Replayed(row, tuple(_under(row, known, policy) for policy in policies))
        for row in rows
        if known.words.get(row.content_id or "")
    ]


def _read(rows: Sequence[Candidate]) -> _Known:
    targets = {(r.target_id, r.target_version) for r in rows if r.target_id and r.target_version}
    found = Version.objects.filter(memory__in={memory for memory, _ in targets}).select_related("memory")
    versions = {(v.memory_id, v.number): v for v in found if (v.memory_id, v.number) in targets}
    contents = {r.content_id for r in rows} | {v.content_id for v in versions.values()}
    wide = {
        f"{r.scope.project_id}.{r.observation.subject_id}"
        for r in rows
        if r.observation is not None and r.scope.level == "project"
    }
    return _Known(
        words=sealing.unseal(c for c in contents if c),
        texts=texts_of({r.observation for r in rows if r.observation is not None}),
        versions=versions,
        participations=frozenset(Participation.objects.filter(pk__in=wide).values_list("pk", flat=True)),
    )


def _under(row: Candidate, known: _Known, policy: Policy) -> Judged:
    draft, text = _as_proposed(row, known), known.texts.get(row.observation_id or "", "")
    masked: tuple[str, ...] = ()
    if row.policy_version != policy.number:  # else it was redacted under this very policy
        draft, masked = judging.redacted(draft, policy)
        text, _ = judging.redacted_text(text, policy)
    times = Times(row.observed_at, row.valid_from, row.valid_to, row.validity)
    judged = judging.judge_seen(draft, times, _seen(row, known, text, masked), policy)
    if _code(row, "echo") not in ("", "new"):  # given back what it was told, or erased: no policy changes that
        return replace(judged, outcome=row.outcome, lane=row.lane)
    return judged


def _as_proposed(row: Candidate, known: _Known) -> Draft:
    """Return the draft with what the extractor knew of it, read back from the verdicts."""
    draft = draft_of(row, known.words[row.content_id or ""])
    explicit = {"explicit": True, "inferred": False}.get(_code(row, "explicitness"))
    if explicit is False and not (row.claimed_source == "user_explicit" and row.source_type == "agent_guess"):
        explicit = None  # it was read from the words, and will be again
    if _code(row, "subject") not in ("", "not-asked"):
        explicit = None  # the user's own words were looked at: nobody had said how they were meant
    unstated = row.confidence == rules.CONFIDENCE_CAP.get(row.source_type)
    return replace(
        draft,
        lasting={"lasting": True, "one-off": False}.get(_code(row, "permanence")),
        explicit=explicit,
        confidence=None if unstated else draft.confidence,
    )


def _seen(row: Candidate, known: _Known, text: str, masked: tuple[str, ...]) -> Seen:
    observation = row.observation
    heard = Heard(observation, text) if observation is not None else None
    rival = _rival(row, known)
    used_tool = observation is not None and observation.role == "tool" and _code(row, "role") == "fitting"
    return Seen(
        level=row.scope.level,
        heard=heard,
        by_scope_user=_is_by_scope_user(row, known),
        masked=masked,
        sources=(_GRANTED & {row.source_type}) | (frozenset({"tool_result"}) if used_tool else frozenset()),
        rival=rival,
        relied_on=row.operation == "revise" and rival is not None and rival.version.always,
        is_change=row.operation == "revise",
        is_confirmed=_code(row, "grounding") == "confirmed",
        tendency=_tendency(row),
    )


def _is_by_scope_user(row: Candidate, known: _Known) -> bool:
    observation, scope = row.observation, row.scope
    if observation is None or observation.role != "user":
        return False
    if scope.level in ("user", "session"):
        return observation.subject_id == scope.subject_id
    return scope.level != "project" or f"{scope.project_id}.{observation.subject_id}" in known.participations


def _rival(row: Candidate, known: _Known) -> Holder | None:
    """Return the version it met, related to it as was found then."""
    version = known.versions.get((row.target_id or "", row.target_version or 0))
    if version is None:
        return None
    same, apart = _code(row, "duplicate") == "same-value", _code(row, "clash") == "no-clash"
    relation = "same" if same else "apart" if apart else "differs"
    return Holder(version.memory, version, known.words.get(version.content_id or "", NO_WORDS), relation)


def _tendency(row: Candidate) -> Tendency | None:
    """Return what the model had found in the words, as far as a verdict rests on it; no policy changes that."""
    orders = any(v["stage"] == "instruction" and v["detail"].startswith("Means much the same") for v in row.verdicts)
    request = _code(row, "permanence") == "request"
    return Tendency(orders=float(orders), request=float(request)) if orders or request else None


def _code(row: Candidate, stage: str) -> str:
    return next((v["code"] for v in row.verdicts if v["stage"] == stage), "")
