"""What to ask when nobody knows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Rival:
    """What a question says of one claim."""

    value: Any
    source_type: str
    source_ref: str
    observed_at: datetime


SOURCE_NAMES: Mapping[str, Mapping[str, str]] = {
    "en": {
        "business_system": "the business system",
        "user_explicit": "the user",
        "project_document": "a project document",
        "tool_result": "a tool",
        "inferred_behaviour": "behaviour",
        "agent_guess": "an agent",
        "reviewer": "a reviewer",
        "summary": "a summary",
    },
    "zh": {
        "business_system": "业务系统",
        "user_explicit": "用户",
        "project_document": "项目文档",
        "tool_result": "工具",
        "inferred_behaviour": "行为推断",
        "agent_guess": "智能体",
        "reviewer": "审核员",
        "summary": "摘要",
    },
}


def question(label_en: str, label_zh: str, rivals: Sequence[Rival]) -> str:
    """Return the clarifying question for rival claims, oldest first, in the language of their values."""
    ordered = sorted(rivals, key=lambda r: r.observed_at)
    first = ordered[0]
    last = next((r for r in reversed(ordered) if r.value != first.value), ordered[-1])
    if any("\u4e00" <= c <= "\u9fff" for r in ordered for c in f"{r.value}") or _is_chinese(label_en):
        told = "；".join(f"{_who(r, 'zh')}说是“{_text(r.value)}”（{r.observed_at:%Y-%m-%d}）" for r in ordered)
        moved = f"是否已从“{_text(first.value)}”改为“{_text(last.value)}”？"
        return f"关于{label_zh or label_en}：{told}。现在以哪个为准？{moved}"
    told = "; ".join(f"{_who(r, 'en')} says “{_text(r.value)}” ({r.observed_at:%Y-%m-%d})" for r in ordered)
    return (
        f"About {label_en}: {told}. Which one holds now, and was it moved from “{_text(first.value)}” to "
        f"“{_text(last.value)}”?"
    )


def _is_chinese(text: str) -> bool:
    return any("\u4e00" <= c <= "\u9fff" for c in text)


def _who(rival: Rival, language: str) -> str:
    name = SOURCE_NAMES[language][rival.source_type]
    system = rival.source_ref.split("@", 1)[0]
    return f"{name} ({system})" if system and rival.source_type not in ("user_explicit", "reviewer") else name


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
