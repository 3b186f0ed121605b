"""The answer in plain words, for the person who asked: English and Chinese. Counts alone."""

from collections.abc import Mapping, Sequence
from typing import Any

from governance.erasure.rules import FOUND_AGAIN, Outcome

FINGERPRINTS = "fingerprints against re-ingest"  # among what a report says is retained
EN = {
    "complete": "We erased what we remembered: {memories} memory texts, {turns} recorded messages, {proposals} proposals "
    "and {searches} search questions. Nobody can read them any more, and they no longer turn up in any search.",
    "partial": "We erased part of what you asked for. What is left, and why, is listed in the report; we go on with it.",
    "nothing-yet": "We could not erase anything of what you asked for yet. Why is listed in the report; we go on with it.",
    "held": "A legal hold stands in the way of what you asked for: for as long as it lasts the law obliges us to keep "
    "everything. Nothing was erased, and it is used as before. We go on by ourselves when the hold is lifted.",
    "held-partly": "A legal hold was placed while we were erasing: for as long as it lasts the law obliges us to keep "
    "what was left. Before that we erased {memories} memory texts, {turns} recorded messages, {proposals} proposals and "
    "{searches} search questions. We go on by ourselves when the hold is lifted.",
    "retracted": "What you named is used no more: {memories} memories are retracted and are no longer given to anybody. "
    "Their words are kept, as was asked.",
    "retracted-partly": "So far {memories} of the memories you named are retracted and no longer given to anybody. What "
    "is left, and why, is listed in the report; we go on with it.",
    "retracted-held": "A legal hold stands in the way of what you asked for. {memories} memories are retracted; "
    "everything else is used as before. We go on by ourselves when the hold is lifted.",
    "again": "When we looked again later, something of it was there once more. That was erased too, and is what these "
    "numbers count.",
    "backups": "Copies made earlier for emergencies are out of use: from {keys} on nobody can read them any more, and the "
    "last of them is deleted on {copies}.",
    "stays": "We keep that there was a request, when it was answered and by whom.",
    "fingerprint": "We also keep a fingerprint without any text by which we notice if the same is sent to us again. It is "
    "deleted after three years, or when you allow it anew.",
    "rights": "If you are not content with this answer you may complain to your data protection authority.",
}
ZH = {
    "complete": "我们已删除所记住的内容：{memories} 条记忆文本、{turns} 条对话记录、{proposals} 条待定内容和 {searches} 条检索问题。"
    "任何人都无法再读取它们，任何检索也不会再找到它们。",
    "partial": "您要求删除的内容已部分删除。尚未删除的内容及原因列在报告中，我们会继续处理。",
    "nothing-yet": "您要求删除的内容目前尚未能删除。原因列在报告中，我们会继续处理。",
    "held": "您要求删除的内容处于法律保全中：在此期间，法律要求我们全部保留。我们没有删除任何内容，这些内容照常使用。"
    "保全解除后，我们会自行继续处理。",
    "held-partly": "删除过程中设立了法律保全：在此期间，法律要求我们保留其余内容。此前我们已删除 {memories} 条记忆文本、"
    "{turns} 条对话记录、{proposals} 条待定内容和 {searches} 条检索问题。保全解除后，我们会自行继续处理。",
    "retracted": "您所指的内容不再使用：{memories} 条记忆已撤回，不再提供给任何人。按请求，其文字予以保留。",
    "retracted-partly": "您所指的记忆中，目前已有 {memories} 条撤回，不再提供给任何人。其余内容及原因列在报告中，我们会继续处理。",
    "retracted-held": "您要求的内容处于法律保全中。已撤回 {memories} 条记忆，其余照常使用。保全解除后，我们会自行继续处理。",
    "again": "我们后来复查时又发现了其中一部分，也已删除；以上数字即为这部分的数量。",
    "backups": "此前为应急而制作的备份已停用：自 {keys} 起任何人都无法再读取，最后一份将于 {copies} 删除。",
    "stays": "我们保留：曾有此请求、何时由谁答复。",
    "fingerprint": "我们还保留一个不含文字的指纹，用于识别同样内容再次传入。指纹三年后删除，或在您重新同意后失效。",
    "rights": "如果您对本答复不满意，可以向数据保护监管机构投诉。",
}


def for_the_person(rows: Sequence[Outcome], mode: str, report: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the paragraphs of the answer, by language; of a report all but these."""
    erased = {row.store: row.erased for row in rows}
    facts = {
        "memories": erased.get("memories", 0),
        "turns": erased.get("observations", 0),
        "proposals": erased.get("candidates", 0),
        "searches": erased.get("recalls", 0),
        "keys": next((kept["expires"] for kept in report["backups"] if kept["set"] == "keyring"), ""),
        "copies": report["last_copy_until"],
    }
    chosen = [_outcome(mode, report, any(erased.values()))]
    if mode == "erase":
        if report["status"] == "complete":
            chosen += ["again"] if any(e["result"] == FOUND_AGAIN for e in report["earlier"]) else []
            chosen += ["backups"] if report["backups"] else []
        chosen += ["stays"]
        chosen += ["fingerprint"] if any(kept["what"] == FINGERPRINTS for kept in report["retained"]) else []
    chosen += ["rights"]
    return {
        "en": [EN[name].format(**facts) for name in chosen],
        "zh": [ZH[name].format(**facts) for name in chosen],
    }


def _outcome(mode: str, report: Mapping[str, Any], something: bool) -> str:
    """Return which sentence says what became of it; `something`: whether anything is erased, or retracted, by now."""
    held, complete = "held" in report["grounds"], report["status"] == "complete"
    if mode == "retract":
        return "retracted" if complete else "retracted-held" if held else "retracted-partly"
    if complete:
        return "complete"
    if held:
        return "held-partly" if something else "held"
    return "partial" if something else "nothing-yet"
