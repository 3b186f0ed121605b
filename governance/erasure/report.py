"""The report: what was asked, planned, done and shown, from which its status is computed; signed, without words."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

import orjson
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.utils import timezone

from governance.erasure import needles
from governance.erasure.models import ErasureJournal, ForgetPlan, ForgetReport, ForgetRequest, StoreRow
from governance.erasure.person import FINGERPRINTS, for_the_person
from governance.erasure.proofs import folded, survey, survivors
from governance.erasure.proofs.files import Scan
from governance.erasure.proofs.readback import of_nobody_else, read_back
from governance.erasure.recipients import recipients, told_of
from governance.erasure.rules import Outcome, Reach, canonical, computed_status, digest
from governance.erasure.stores import STORES
from governance.erasure.stores.passing import Backups
from governance.evidence.models import Suppression
from governance.ledger import checks, sealing
from governance.ledger.apart import Progress, apart
from governance.ledger.events import stamp

FORMAT = "memory-governance/erasure-report/1"
INTEGRITY = ("algorithm", "sha256", "signature", "public_key")
NO_REPORT = "is no report of this product, or the key is none"
TAG = b"memory-governance/erasure-report/1\n"


def outcomes(request: ForgetRequest) -> list[Outcome]:
    """Return what became of each store, as far as it was worked off."""
    return [
        Outcome(
            store=row.store,
            found=row.found,
            erased=row.erased,
            restricted=row.restricted,
            retained=row.retained,
            absent=row.absent,
            failed=row.failed,
            left=row.left,
            error=row.error,
            done=row.state == "done",
        )
        for row in StoreRow.objects.filter(request=request)
    ]


def build(
    request: ForgetRequest, reach: Reach, *, held: bool, number: int, beat: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Return the report of a request as things stand; `status` and `grounds` are computed. Signed by `signed`."""
    began = timezone.now()
    rows = outcomes(request)
    touched = request.started_at is not None
    proof = _proof(request, reach, beat) if touched and not held else {}
    proofs = {name: bool(part["holds"]) for name, part in proof.items()}
    status, grounds = computed_status(rows, [s.name for s in STORES], held=held, proofs=proofs)
    plan = ForgetPlan.objects.filter(request=request).first()
    now = timezone.now()
    gone = touched and (status == "complete" or any(row.erased for row in rows))
    backups = Backups.sets(now) if gone and request.mode == "erase" else []
    earlier = list(ForgetReport.objects.filter(request=request).order_by("number"))
    first = next((r.made_at for r in earlier if r.result == "complete"), now)
    document = {
        "format": FORMAT,
        "number": number,
        "status": status,
        "grounds": list(grounds),
        "mandate": _mandate(request),
        "plan": {"hash": request.plan_hash, "approved_by": request.approved_by, "stores": _planned(plan)},
        "stores": [_line(row) for row in StoreRow.objects.filter(request=request)],
        "proof": proof,
        "backups": backups,
        "beyond_use_until": backups[0]["expires"] if backups and status == "complete" else "",
        "last_copy_until": max((kept["expires"] for kept in backups), default=""),
        "recipients": _recipients(request, reach, told=now if status == "complete" else None),
        "retained": retained(request),
        "earlier": [_before(r) for r in earlier],
        "time": {
            "received": stamp(request.received_at),
            "planned": stamp(request.planned_at),
            "approved": stamp(request.approved_at),
            "started": stamp(request.started_at),
            "verification_began": stamp(began),
            "answered": stamp(now),
            "in_time": first <= request.due_at,
            "erasing_seconds": round((began - request.started_at).total_seconds(), 3) if request.started_at else None,
            "verifying_seconds": round((now - began).total_seconds(), 3),
        },
    }
    return document | {"for_the_person": for_the_person(rows, request.mode, document)}


def _mandate(request: ForgetRequest) -> dict[str, Any]:
    return {
        "request": request.id,
        "tenant": request.tenant_id,
        "mode": request.mode,
        "channel": request.channel,
        "kinds_of_identifier": request.kinds,
        "selector_hmac": bytes(request.selector_mac).hex(),
        "subject": request.subject_id if request.whole_person else "",
        "filed_by": request.filed_by,
        "identity": request.identity,
        "verified_by": request.verified_by,
        "verified_at": stamp(request.verified_at),
        "approved_by": request.approved_by,
        "two_accounts": request.approved_by != request.filed_by,
        "received_at": stamp(request.received_at),
        "due_at": stamp(request.due_at),
        "extension": request.extension,
        "joined": request.joined,
    }


def _before(written: ForgetReport) -> dict[str, Any]:
    """Return what an earlier report or look said, by which it is known again."""
    named = {name: getattr(written, name) for name in ("number", "kind", "result", "sha256")}
    return named | {"made_at": stamp(written.made_at)}


def _recipients(request: ForgetRequest, reach: Reach, *, told: datetime | None) -> list[dict[str, Any]]:
    """Return whom it was given to: those told before, and those who are told with this report, once it is complete."""
    before = [one.line() for one in told_of(request)]
    given = {} if before else recipients(reach)
    at = {"told": told is not None, "told_at": stamp(told), "acknowledged_at": None}
    return before + [{"agent": a, "memories": len(m), **at} for a, m in given.items()]


def _planned(plan: ForgetPlan | None) -> Any:
    return plan.document["stores"] if plan is not None else []


def _line(row: StoreRow) -> dict[str, Any]:
    names = "store version method state found erased restricted retained absent failed left reason error worker passes"
    told = {name: getattr(row, name) for name in names.split()}
    return told | {"started_at": stamp(row.started_at), "finished_at": stamp(row.finished_at)}


def _proof(request: ForgetRequest, reach: Reach, beat: Callable[[], None]) -> dict[str, Any]:
    if request.mode == "retract":
        return dict(apart(records_of, request.id, progress=lambda done: beat()))
    looked_for = needles.read(request)
    back = read_back(reach, looked_for)
    left, derived = survivors.look(reach, looked_for), survivors.made_anew(reach)
    beat()
    wanted, shared = of_nobody_else(looked_for)
    scan = Scan(wanted)
    records = apart(records_of, request.id, progress=lambda done: beat())
    scanned = scan.found(beat)
    journal = ErasureJournal.objects.filter(request=request.id).first()
    return {
        "read_back": {"holds": back.holds and not left.unaccounted, **asdict(back), **asdict(left)},
        "derived": asdict(derived),
        "bytes": {
            "holds": not scanned.hits,
            "texts": len(looked_for.texts),
            "vectors": sum(len(v) for v in wanted.vectors.values()),
            "vectors_others_have": shared,
            "forms": ["utf-8", "utf-16", "json", "percent", "float32", "float16"],
            "files": scanned.files,
            "bytes": scanned.bytes,
            "hits": [asdict(hit) for hit in scanned.hits],
            "not_at_hand": scan.elsewhere,
        },
        "keys": {
            "holds": not back.opened,
            "algorithm": "AES-256-GCM, one key a content, wrapped by the master key",
            "where": "keyring database",
            "destroyed": len(reach.kids),
            "sampled_decryptions": back.decryptions_tried,
            "succeeded": back.decrypted,
        },
        **records,
        "journal": {
            "holds": journal is not None,
            "sha256": journal.sha256 if journal else "",
            "written_at": stamp(journal.written_at) if journal else None,
        },
    }


def records_of(request: str, *, progress: Progress) -> dict[str, Any]:
    """Return what every row there is shows: the rows of others are what they were, the chain is sound, and the state is
    what folding it from nothing gives."""
    row = ForgetRequest.objects.get(pk=request)
    chain = checks.chain_of(row.tenant_id, progress=progress)
    state = folded.compare(row, progress=progress)
    return {
        **({} if row.mode == "retract" else _bystanders(row, progress)),
        "chain": {"holds": not chain["findings"], "events": chain["events"], "findings": chain["findings"][:20]},
        "state": {
            "holds": not state.differences,
            "streams": state.streams,
            "events": state.events,
            "differences": [asdict(d) for d in state.differences[:20]],
            "whole": _whole(row.tenant_id),
        },
    }


def _whole(tenant: str) -> dict[str, Any] | None:
    """Return what the last comparison of all of a tenant's state said; None when there was none yet."""
    last = checks.checked(tenant, "state").last
    return {"finished_at": stamp(last.finished_at), "events": last.events, "found": last.found} if last else None


def _bystanders(request: ForgetRequest, progress: Progress) -> dict[str, Any]:
    compared = survey.compare(request, progress=progress)
    holds = not compared.unaccounted and compared.digest_before == compared.digest_after
    return {"bystanders": {"holds": holds, **asdict(compared)}}


def retained(request: ForgetRequest) -> list[dict[str, str]]:
    """Return what stays, on which ground and until when."""
    if request.mode == "retract":
        return [{"what": "all words, no longer recalled", "ground": "it was retracted, not erased", "until": ""}]
    last = Suppression.objects.filter(request=request.id).order_by("-until").first()
    until = last.until.date().isoformat() if last is not None and last.until else ""
    events = {"what": "events: who, when, which kind", "ground": "accountability, GDPR Art. 5(2)", "until": ""}
    fingerprints = {"what": FINGERPRINTS, "ground": "to honour the erasure", "until": until}
    return [events, fingerprints] if last is not None else [events]


# --- signing -------------------------------------------------------------------------------------------------------


def public_key() -> str:
    """Return the public half of the key that signs reports and heads, as hex: publish it."""
    return sealing.signing_key().public_key().public_bytes_raw().hex()


def signed(document: Mapping[str, Any]) -> tuple[str, str]:
    """Return (SHA-256 of a report, its signature), both as hex."""
    return digest(document), sealing.signing_key().sign(TAG + canonical(document)).hex()


def exported(document: Mapping[str, Any], sha256: str, signature: str) -> dict[str, Any]:
    """Return a report as it is handed out: with its signature and by which key it is checked."""
    integrity = {"algorithm": "Ed25519", "sha256": sha256, "signature": signature, "public_key": public_key()}
    return {"report": document, "integrity": integrity}


def check_file(raw: bytes, key: str) -> tuple[dict[str, Any], list[str]]:
    """Return (the report in a file, what is wrong with it): as `check`, and no field of it may come twice, of which
    one reader sees the first and another the last."""
    try:
        handed_out, twice = orjson.loads(raw), _twice(raw)
    except (ValueError, RecursionError):
        return {}, [NO_REPORT]
    if twice:
        return {}, [f"a field comes twice: {', '.join(map(ascii, sorted(twice)))}"]
    wrong = check(handed_out, key) if isinstance(handed_out, dict) else [NO_REPORT]
    return ({} if wrong else handed_out["report"]), wrong


def _twice(raw: bytes) -> set[str]:
    """Return the names that come more than once in one object of a JSON text."""
    found: set[str] = set()

    def note(pairs: list[tuple[str, Any]]) -> None:
        found.update(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)

    json.loads(raw, object_pairs_hook=note)
    return found


def check(handed_out: Mapping[str, Any], key: str) -> list[str]:
    """Return what is wrong with a report that was handed out, judged by the public key alone; empty: it is genuine."""
    try:
        document, integrity = handed_out["report"], handed_out["integrity"]
        raw, signature = canonical(document), bytes.fromhex(integrity["signature"])
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(signature, TAG + raw)
    except (AttributeError, KeyError, TypeError, ValueError):
        return [NO_REPORT]
    except InvalidSignature:
        return ["the signature is not that of this key over this report"]
    wrong = []
    if unsigned := sorted({*handed_out, *integrity} - {"report", "integrity", *INTEGRITY}):
        wrong.append(f"there are fields that nobody signed: {', '.join(map(ascii, unsigned))}")
    named = str(integrity.get("public_key", key))
    if integrity.get("algorithm", "Ed25519") != "Ed25519" or named.lower() != key.lower():
        wrong.append("it names another algorithm or key than it is signed with")
    if digest(document) != integrity.get("sha256"):
        wrong.append("the SHA-256 is not that of the report")
    if document.get("format") != FORMAT:
        wrong.append("the format is unknown")
    return wrong
