"""The answer in plain words, for the person who asked: English and Chinese. Counts alone."""

from collections.abc import Mapping, Sequence

from governance.erasure.models import ForgetRequest
from governance.erasure.rules import Outcome

EN = {
    "complete": "We erased what we remembered: {memories} memory texts, {turns} recorded messages, {proposals} proposals "
    "and {searches} search questions. Nobody can read them any more, and they no longer turn up in any search.",
    "retracted": "What you named is used no more: {memories} memories are retracted and are no longer given to anybody. "
    "Their words are kept, as was asked.",
    "partial": "We erased part of what you asked for. What is left, and why, is listed in the report; we go on with it.",
    "held": "The law obliges us to keep what you asked us to erase for the time being. It is erased when that ends.",
    "again": "When we looked again later, something of it was there once more. That was erased too, and is what these "
    "numbers count.",
    "backups": "Copies made earlier for emergencies are out of use: from {keys} on nobody can read them any more, and the "
    "last of them is deleted on {copies}.",
    "stays": "We keep that there was a request, when it was answered and by whom, and a fingerprint without any text by "
    "which we notice if the same is sent to us again. It is deleted after three years, or when you allow it anew.",
    "rights": "If you are not content with this answer you may complain to your data protection authority.",
}
ZH = {
    "complete": "我们已删除所记住的内容：{memories} 条记忆文本、{turns} 条对话记录、{proposals} 条待定内容和 {searches} 条检索问题。"
    "任何人都无法再读取它们，任何检索也不会再找到它们。",
    "retracted": "您所指的内容不再使用：{memories} 条记忆已撤回，不再提供给任何人。按请求，其文字予以保留。",
    "partial": "您要求删除的内容已部分删除。尚未删除的内容及原因列在报告中，我们会继续处理。",
    "held": "依照法律，您要求删除的内容目前必须保留；保留义务结束后即予删除。",
    "again": "我们后来复查时又发现了其中一部分，也已删除；以上数字即为这部分的数量。",
    "backups": "此前为应急而制作的备份已停用：自 {keys} 起任何人都无法再读取，最后一份将于 {copies} 删除。",
    "stays": "我们保留：曾有此请求、何时由谁答复，以及一个不含文字的指纹，用于识别同样内容再次传入。"
    "指纹三年后删除，或在您重新同意后失效。",
    "rights": "如果您对本答复不满意，可以向数据保护监管机构投诉。",
}


def for_the_person(
    rows: Sequence[Outcome], request: ForgetRequest, status: str, backups: Sequence[Mapping[str, str]], *, again: bool
) -> dict[str, list[str]]:
    """Return the paragraphs of the answer, by language; `backups` are the report's sets."""
    erased = {row.store: row.erased for row in rows}
    facts = {
        "memories": erased.get("memories", 0),
        "turns": erased.get("observations", 0),
        "proposals": erased.get("candidates", 0),
        "searches": erased.get("recalls", 0),
        "keys": next((kept["expires"] for kept in backups if kept["set"] == "keyring"), ""),
        "copies": max((kept["expires"] for kept in backups), default=""),
    }
    if request.mode == "retract":
        chosen = ["retracted", "rights"]
    else:
        begun = status if request.started_at is not None else "held"
        chosen = [begun, *(["again"] if again else []), *(["backups"] if backups else []), "stays", "rights"]
    return {
        "en": [EN[name].format(**facts) for name in chosen],
        "zh": [ZH[name].format(**facts) for name in chosen],
    }
