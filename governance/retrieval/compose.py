"""The answer: what was chosen as the database has it at this instant, within the budget, in its frame."""

from collections.abc import Sequence

from governance.conflicts.queries import ConflictView
from governance.index import embedding
from governance.memories.queries import (
    Known,
    MemoryView,
    Moment,
    in_force_of,
    live_versions,
    views_of_versions,
    without_stale,
)
from governance.retrieval import block, rules
from governance.retrieval.answers import Answer, Conflicted, Omitted, Recalled
from governance.retrieval.course import Course, Hit, fate, key_name

NAMED = 50  # left-out memories that an answer names


def views(course: Course, chosen: Sequence[str], binding: Sequence[str]) -> dict[str, MemoryView]:
    """Return what was chosen as the database has it at this instant: what was retracted meanwhile is not there, what
    was revised meanwhile is there as its new version."""
    ruling = {b.rpartition(".")[0] for b in binding}
    known = Known({s.id: s for s in (*course.scopes, *course.ruling)}, course.words)
    stated = live_versions({v.rpartition(".")[0] for v in chosen} | ruling)
    # Rules that people set accompany every recall, also one that asks what was known before they were set.
    now = Moment(course.moment.as_of)
    rules_held = [v for v in in_force_of(stated, now) if v.binding and v.memory_id in ruling]
    if course.question.history or course.question.known_at is not None:
        others = [v for rows in stated.values() for v in rows if v.id in {*chosen} and not v.tombstone]
    else:
        others = [v for v in in_force_of(stated, now) if v not in rules_held]
    views = [
        *views_of_versions(without_stale(others), course.moment, among=stated, known=known),
        *views_of_versions(rules_held, now, among=stated, known=known),
    ]
    return {f"{v.id}.{v.version}": v for v in views if v.content}


def compose(course: Course, hits: list[Hit], views: dict[str, MemoryView], binding: list[MemoryView]) -> Answer:
    """Return the answer: what fits the budget in a frame, and the rest by reason."""
    by_memory = {v.id: v for v in views.values()}
    rule_names = {key_name(v.key, v.about) for v in binding if v.key}
    shown: dict[str, tuple[Hit, MemoryView]] = {}
    for hit in [h for h in hits if not h.fate]:
        view = views.get(hit.id) if course.question.history else views.get(hit.id) or by_memory.get(hit.belief.memory)
        if view is None:
            hit.fate = "gone"
            continue
        hit.overridden = key_name(view.key, view.about) in rule_names and bool(view.key)
        shown[hit.id] = (hit, view)
    frame, headed = block.new_frame(course.moment.as_of), course.question.form == "sections"
    lines = {i: block.line(block.Item(v, h.stale, h.overridden)) for i, (h, v) in shown.items()}
    rule_lines = {f"{v.id}.{v.version}": block.rule_line(v) for v in binding}
    always = sorted(
        (i for i, (h, _) in shown.items() if "always" in h.via), key=lambda i: shown[i][0].belief.created_seq
    )
    rivals = _unsettled(course, hits)
    conflict_lines = {c.row.id: block.conflict_line(c) for c in rivals}
    ranked = _pieces(conflict_lines | {i: lines[i] for i in shown if i not in always}, headed)
    pieces = {piece.id: piece.tokens for piece in ranked}
    packed = rules.pack(
        frame=embedding.count_tokens(frame.around([*block.HEADINGS] if headed else [])),
        binding=_pieces(rule_lines, headed),
        always=_pieces({i: lines[i] for i in always}, headed),
        ranked=ranked,
        budget=course.question.token_budget,
        share=course.policy.always_share,
    )
    for i, reason in packed.left_out.items():
        if i in shown:
            hit = shown[i][0]
            hit.fate = reason
            if i in pieces:
                over = max(pieces[i] - (course.question.token_budget - packed.tokens), 1)
                hit.detail, hit.values = f"{over} tokens too many", {"over": over}
    given = [i for i in [*packed.always, *packed.ranked] if i in shown]
    asked = [conflict_lines[i] for i in packed.ranked if i in conflict_lines]
    decided = [*(rule_lines[i] for i in packed.binding), *asked]
    written = decided + [lines[i] for i in given]
    if headed:
        told = [(block.section_of(shown[i][1]), lines[i]) for i in given]
        written = block.in_sections([("Decisions", line) for line in decided] + told)
    context = frame.around(written) if written else ""
    return Answer(
        id=course.id,
        policy=course.policy,
        memories=tuple(_recalled(*shown[i]) for i in given),
        binding=tuple(binding),
        conflicts=tuple(_conflicted(c) for c in rivals),
        omitted=_omitted(hits, [v for v in binding if f"{v.id}.{v.version}" in packed.left_out]),
        context=context,
        tokens=embedding.count_tokens(context) if context else 0,
        degraded=course.degraded,
        reason="" if given else _why_empty(course, hits),
        cursor=course.id if any(h.fate in ("limit", "budget") for h in hits) else "",
        left_out=tuple(fate(h) for h in hits if h.fate) if course.question.explain else (),
    )


def _unsettled(course: Course, hits: Sequence[Hit]) -> list[ConflictView]:
    """Return the conflicts about what was found, in the order of rank: each is answered with its rival claims."""
    found = dict.fromkeys(h.belief.memory for h in hits if h.fate == "conflicted")
    return [course.disputes[memory] for memory in found]


def _conflicted(view: ConflictView) -> Conflicted:
    claims = tuple(
        {
            "id": c.row.id,
            "value": c.value,
            "source": c.row.source_type,
            "confidence": c.row.confidence,
            "observed_at": c.row.observed_at,
            "valid_from": c.row.valid_from,
            "valid_to": c.row.valid_to,
        }
        for c in view.claims
    )
    return Conflicted(view.row.memory_id, view.row.scope_id, view.key, view.row.id, view.question, claims)


def _pieces(lines: dict[str, str], headed: bool) -> list[rules.Piece]:
    mark = "- " if headed else ""
    return [rules.Piece(i, embedding.count_tokens(mark + line)) for i, line in lines.items()]


def _recalled(hit: Hit, view: MemoryView) -> Recalled:
    return Recalled(
        view=view,
        score=round(hit.score, 4),
        parts=hit.parts,
        via=tuple(hit.via),
        found_by=hit.found_by,
        stale=hit.stale,
        overridden_by_binding=hit.overridden,
    )


def _omitted(hits: Sequence[Hit], rules_left: Sequence[MemoryView]) -> tuple[Omitted, ...]:
    """Return what was left out, by reason; every `always` and what lost to limit or budget by name."""
    groups: dict[str, list[Hit]] = {}
    for hit in hits:
        if hit.fate:
            groups.setdefault(hit.fate, []).append(hit)
    named: list[Omitted] = []
    if rules_left:
        ids_left = tuple({"id": v.id, "version": v.version, "key": v.key} for v in rules_left)
        named.append(Omitted("binding-budget", len(ids_left), ids_left))
    room = NAMED
    for reason, group in groups.items():
        shown = [h for h in group if "always" in h.via]
        if reason in ("limit", "budget", "overruled"):
            others = [h for h in group if "always" not in h.via][:room]
            room -= len(others)
            shown += others
        names = tuple({"id": h.belief.memory, "version": h.belief.number, "key": h.key} for h in shown)
        named.append(Omitted(reason, len(group), names))
    return tuple(named)


def _why_empty(course: Course, hits: Sequence[Hit]) -> str:
    fates = {h.fate for h in hits}
    if not course.held:
        return "nothing-held"
    if fates & {"budget", "always-share"}:
        return "budget"
    if "conflicted" in fates:
        return "conflicted"
    return "below-floor" if "floor" in fates else "no-match"
