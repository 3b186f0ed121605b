"""An event as a sentence: pure."""

import re
from collections.abc import Callable, Mapping
from typing import Any

NO_LONGER_CONTESTED = "noted that a memory is no longer contested"

# Type of event -> what its actor did. In braces: fields of the event; `{name:field}` is somebody's name.
SENTENCES: Mapping[str, str] = {
    "tenant-created": "created the tenant",
    "subject-seen": "named a person for the first time",
    "project-created": "created a project",
    "project-renamed": "renamed a project",
    "project-closed": "closed a project",
    "participant-added": "added a person to a project",
    "participant-removed": "removed a person from a project",
    "scope-opened": "opened a scope at level {level}",
    "session-ended": "ended a session",
    "agent-created": "created an agent",
    "agent-suspended": "suspended an agent",
    "agent-resumed": "resumed an agent",
    "key-issued": "issued the key {key}",
    "key-revoked": "revoked the key {key}",
    "role-granted": "gave {user} the role {role}",
    "role-withdrawn": "took the role {role} from {user}",
    "policy-published": "published policy {number}",
    "observed": "wrote down what a {role} said",
    "version-written": "wrote version {number} of a memory ({reason})",
    "memory-retracted": "retracted a memory with version {number} ({reason})",
    "evidence-added": "added evidence to version {version} of a memory",
    "about-added": "noted whom a memory is about",
    "candidate-proposed": "proposed a memory; policy {policy_version} answered {outcome}",
    "candidate-judged-again": "had a proposal judged again: {outcome}",
    "candidate-edited": "edited a proposal",
    "candidate-committed": "{decision} a proposal",
    "candidate-merged": "had a proposal merged into what is known",
    "candidate-rejected": "rejected a proposal: {reason}",
    "candidate-withdrawn": "withdrew a proposal",
    "decision-made": "decided to {verb} a proposal; it takes effect at {takes_effect_at}",
    "decision-undone": "had a decision undone before it took effect",
    "decision-reverted": "took a decision about a proposal back",
    "candidate-approved-once": "approved a proposal as the first of two",
    "candidate-approved-alone": "decided alone what policy wants two people for",
    "candidate-set-aside": "put a proposal aside: {aside}",
    "candidate-assigned": "handed a proposal over",
    "candidate-let-in": "let a held back proposal into the queue",
    "lease-broken": "took an open proposal from somebody",
    "scope-widened": "let a memory hold at level {level} as well",
    "filter-saved": "kept a filter of the queue",
    "filter-dropped": "dropped a filter of the queue",
    "candidate-expired": "let a proposal expire",
    "candidate-reopened": "opened a proposal again",
    "memory-contested": "noted that a memory is contested",
    "conflict-opened": "found a contradiction",
    "claim-made": "noted one side of a contradiction",
    "question-written": "wrote down what to ask about a contradiction",
    "conflict-resolved": "settled a contradiction: {choice}",
    "conflict-reversed": "took back how a contradiction was settled",
    "memory-aged": "put a memory elsewhere by its age or by hand ({step})",
    "source-named": "noted what version {version} of a summary rests on",
    "session-reopened": "opened a session again that a sweep had ended",
    "chain-restored": "put the database back from {backup}; events up to {seq} are not in it",
    "erasure-replayed": "erased again what a backup brought back",
    "subject-opted-out": "noted that a person does not want to be remembered",
    "subject-opted-in": "noted that a person may be remembered again",
    "person-exported": "handed out everything held of a person: {contents} texts",
    "hold-placed": "placed a legal hold ({ground})",
    "hold-lifted": "lifted a legal hold",
    "sweep-begun": "began a sweep under policy {policy_version}",
    "sweep-finished": "finished a sweep",
    "sweep-undo-begun": "had a sweep undone",
    "sweep-undone": "took back what a sweep did",
    "subject-fenced": "stopped all writing about a person who is being forgotten",
    "subject-released": "let it be written about a person again",
    "subject-erased": "erased who a person is",
    "contents-erased": "destroyed words",
    "forget-filed": "filed a forget request",
    "forget-joined": "asked for the same again",
    "forget-verified": "noted how it was shown who asks: {method}",
    "forget-narrowed": "left out what the words did not mean",
    "forget-planned": "planned what a forget request touches",
    "forget-approved": "approved the plan of a forget request",
    "forget-extended": "took more time for a forget request: {reason}",
    "forget-refused": "refused a forget request: {ground}",
    "forget-started": "began to forget",
    "forget-checked": "had worked off every store",
    "forget-resumed": "went on forgetting: {why}",
    "forget-allowed": "allowed anew what was forgotten: {basis}",
    "forget-answered": "answered a forget request: {status}",
    "forget-verified-again": "looked again for what was forgotten",
    "acted-as-agent": "tried what an agent would be given",
    "candidate-erased": "erased a proposal",
    "conflict-erased": "erased a contradiction",
    "memory-erased": "erased a memory",
    "recipient-told": "told an agent that what it was given is erased",
    "recipient-acknowledged": "took notice that what it was given is erased",
    "question-opened": "opened the question of a recall",
    "words-opened": "opened the words of version {version}",
}


# Fields that hold a code, which is read as words.
CODES = ("aside", "basis", "choice", "ground", "method", "reason", "step", "why")


def sentence(
    type_name: str, data: Mapping[str, Any], name_of: Callable[[str], str], say: Callable[[str], str] = str
) -> str:
    """Return what an event's actor did, to be read after the actor's name; without a sentence, its type.

    `say` puts the sentence into the reader's language.
    """
    template = SENTENCES.get(type_name)
    if template is None:
        return type_name.replace("-", " ")
    said = {name: _said(value, say) for name, value in data.items()}
    said |= {name: _said(str(data[name]).replace("-", " "), say) for name in CODES if name in data}
    if "user" in data:
        said["user"] = name_of(f"member:{data['user']}")
    if type_name == "candidate-committed":
        by_policy = str(data.get("decided_by", "")).startswith("policy:")
        said["decision"] = say(
            "had policy commit"
            if by_policy
            else "edited and approved"
            if data.get("reason") == "edited"
            else "approved"
        )
    if type_name == "memory-contested" and not data.get("contested", True):
        template = NO_LONGER_CONTESTED
    return say(template).format_map(_Lenient(said))


def _said(value: Any, say: Callable[[str], str]) -> str:
    plain = _plain(value)
    return say(plain) if plain and isinstance(value, str) else plain


def _plain(value: Any) -> str:
    text = str(value)
    if moment := _MOMENT.match(text):
        return "{} {} UTC".format(*moment.groups())
    return text.replace("_", " ") if isinstance(value, str) else text


_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d\S*Z$")


class _Lenient(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "?"
