"""What holds no more: "I'm no longer vegetarian", 我不再吃素了. Pure."""

import re

_WHO = r"\b(?P<who>(?:i|we|(?:my|our) (?:[\w-]+ ){0,2}?[\w-]+)\b(?:['’](?:m|re|s|ve)\b)?(?: (?:am|are|is|have|has|really|now|actually))*) "
_MORE = r"any ?(?:more|longer)\b"
_FORMER = (
    (re.compile(rf"{_WHO}no longer (?P<what>\w)", re.IGNORECASE), r"\g<who> \g<what>"),
    (re.compile(rf"{_WHO}not (?P<what>[^.!?;,]{{2,60}}?) {_MORE}", re.IGNORECASE), r"\g<who> \g<what>"),
    (
        re.compile(
            rf"{_WHO}(?:do not|don['’]t|does not|doesn['’]t) (?P<what>[^.!?;,]{{2,60}}?) {_MORE}", re.IGNORECASE
        ),
        r"\g<who> \g<what>",
    ),
    (
        re.compile(r"\b(?P<who>i|we)(?:['’]ve| have)? (?:stopped|quit|gave up|given up) being ", re.IGNORECASE),
        r"\g<who> am ",
    ),
)
_FORMER_ZH = re.compile(
    "(?P<who>我们?|咱们?|[他她]|[妈爸]|女儿|儿子|老婆|老公|妻子|丈夫|孩子)(?P<of>对[^，。！？!?；;,\n]{1,10}?)?(?:现在|已经|早就|早已|以后|也|都)*"
    "(?:不再(?:是)?(?P<what>[^，。！？!?；;,\n]{1,30}?)了?|不(?P<more>(?:是|吃[全纯]?素|住|在|喜欢|爱|对|过敏)[^，。！？!?；;,\n]{0,30}?)了)(?=[，。！？!?；;,\n]|$)"
)


def as_before(sentence: str) -> str:
    """Return a sentence as it was said while it held, where it tells that something holds no more; "" else."""
    for pattern, held in _FORMER:
        if pattern.search(sentence):
            return pattern.sub(held, sentence, count=1)
    found = _FORMER_ZH.search(sentence)
    if found is None:
        return ""
    held = f"{found['who']}{found['of'] or ''}{found['what'] or found['more']}"
    return sentence[: found.start()] + held + sentence[found.end() :]
