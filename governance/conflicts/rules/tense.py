"""Whether a sentence tells of something that is over: read from its verbs, English and Chinese.

"I took the night train" is over and stays as it was; "I live in Leeds" and "I have five plants" hold until something
changes. No parser: a finite past verb with its subject before it, and no finite present verb beside it.
"""

import re

# Irregular past forms that are no present form and no everyday noun as well.
_IRREGULAR = (
    "ate awoke beat became began bent bit blew bought broke brought built came caught chose cost crept cut dealt did "
    "dove drank drew drove dug fell fed felt fled flew forbade forgot forgave fought found froze gave got grew had "
    "heard held hid hit hurt kept knew laid lay led left lent lit lost made meant met paid put quit ran rang read rode "
    "rose said sang sank sat saw sent set shook shone shot shrank shut slept slid sold sought spent spoke stole stood "
    "stuck struck swam swept swore taught threw told took tore understood was went were woke won wore wrote"
)
_PAST = rf"(?:\w{{2,}}ed|{'|'.join(_IRREGULAR.split())})"
_BETWEEN = r"(?:\w+ly |also |just |only |then |both |once )?"
_SUBJECT = r"(?:i|we|you|he|she|it|they|who|that|which|one|\w+)"
_TOLD = re.compile(rf"\b{_SUBJECT} {_BETWEEN}{_PAST}\b")
# A verb form after these is a participle, and the sentence about now: "have finished", "is called", "being moved".
_PARTICIPLE = re.compile(
    r"\b(?:have|has|had|'ve|'s|'d|is|are|am|'m|'re|be|been|being|get|gets|getting|to|a|an|the|my|our|your|his|her|their)"
    rf" (?:\w+ly |not |never |also |just |been |already )*{_PAST}\b"
)
_PRESENT = re.compile(
    r"\b(?:am|is|are|isn't|aren't|have|has|haven't|hasn't|do|does|don't|doesn't|can|can't|will|won't|want|need|plan|intend"
    r"|remains?|stays?|costs?|includes?|seems?|belongs?|lives|works|uses|likes|loves|prefers|plays|speaks|drives|goes)\b"
    r"|(?<!to )\b(?:live|work|use|prefer|like|love|hate|think|know|own|go|drive|play|speak)\b"
    r"|\b(?:i|you|we|they|he|she|it|that|there|what|who)'(?:m|re|ve|ll|s)\b"
)
# Chinese marks what is over by 过, by 了 behind a verb with its object, and by 是 … 的 around the verb.
_VERBS = "送买卖坐去来读学办做写拿考认识结入毕长完开创生出住吃喝看听教骑飞走打赢输参加订收交请借找拍画装修搬换"
_IS_OVER = re.compile(
    rf"是[^，。；,;]{{0,14}}[{_VERBS}][^，。；,;]{{0,4}}的"
    r"|毕业于|[^，。；,;]{1,10}过(?!去|来|得|程|期|敏|年|节)"
    rf"|[{_VERBS}完到掉成好错坏断丢]了"
    r"|\d{4}年[^，。；,;]{0,4}才[进到来去入毕]|那[次回天年场]"
)
_IS_NOW = re.compile(r"现在|如今|目前|正在|每[天周月年]|一直|还在|打算|想要|最喜欢")


def is_over(text: str) -> bool:
    """Return whether a sentence, folded and with plain apostrophes, tells of something finished and of nothing else."""
    if _IS_OVER.search(text) and not _IS_NOW.search(text):
        return True
    if _PRESENT.search(text):
        return False
    return bool(_TOLD.search(_PARTICIPLE.sub(" ", text)))
