"""Words of somebody else, passed on without quotation marks: "Quoting my boss: I never read email". Pure."""

import re

_KIN = "(?:妈妈?|母亲|爸爸?|父亲|爸妈|父母|哥哥?|姐姐?|弟弟?|妹妹?|老公|老婆|丈夫|妻子|太太|先生|爱人|女儿|儿子|孩子|奶奶|爷爷|外公|外婆|姥姥|姥爷|婆婆|岳[父母]|男朋友|女朋友|男友|女友|对象|闺蜜|哥们|同事|朋友|邻居|老板娘?|领导|上司|经理|主管|总监|组长|同学|老师|室友|舍友|房东|客户|客服|教练|导师|网友|博主|作者)"
_WHO_ZH = rf"(?<![跟对和给向同诉])(?:{_KIN}|[他她]们?|大家|别人|人家|有人|某人|[小老阿][\u4e00-\u9fff]|[\u4e00-\u9fff]{{1,2}}(?:总|经理|老师|哥|姐|叔|姨|先生|女士|工))"
_SAYS_ZH = "(?:说|讲|告诉|念叨|唠叨|嘟囔|抱怨|嚷嚷|吐槽|声称|宣称|坚称|表示|回复|回答|写道?|发(?:消息|微信|朋友圈|邮件)|留言|提到|以为|认为|觉得|吹牛)"
_TO = "(?:(?:刚才?|昨天|今天|之前|经常|曾经?|总是?|老是?|一直|天天|又|还|都|常常?|非|硬|偏)*)(?:(?:[跟对和给向同]|告诉)(?:我们?|大家|别人|[他她]))?(?:刚才?|总是?|老是?|经常|常常?|还|又|也|都)*"
_EN_WHO = r"(?:(?:my|our|the|his|her|their|an?) (?:[\w-]+ ){0,2}[\w-]+|(?!(?:i|we|you|me|it|that|this|as|just|already|what|like|always|often|never|usually|also|really|must|can|could|should|would|to|will|let|not|don't|have|had|and|but|so|or|then|please|they)\b)[\w-]+)"
# In front of what is passed on.
_BEFORE = re.compile(
    rf"\bquot(?:ing|ed from|e from)\b[^.!?]{{0,40}}[:,]|\b(?:i )?quote\W*:|\bin (?:his|her|their|\w+'s) (?:own |exact |very )?words\b|\b(?:his|her|their|\w+'s) (?:own |exact |very |actual )?words(?: were| are)?\W*[:,]|\bwords of (?:my|our|the|an?|\w+)\b"
    rf"|\b(?:this|that|it|the following|below|here)(?:'s| is| are| was)?(?: \w+)? (?:taken |copied |pasted |lifted |straight )?from {_EN_WHO}'s? [\w -]{{0,30}}[:,.]|\b(?:from|on|in) {_EN_WHO}'s (?:\w+ )?(?:bio|profile|post|tweet|blog|page|cv|resume|linkedin|diary|status|signature|story|letter|note|application|testimonial|review|e-?mail|text|message)\W*[:,]"
    rf"|\b{_EN_WHO} (?:(?:always|often|once|just|still|usually|also|even|recently) )?(?:says?|said|told me|tells me|likes to say|keeps? (?:saying|telling \w+)|wrote|writes|texted|posted|tweeted|messaged|puts? it|replied|answered|claims?|insists?)(?: (?:to me|me|this|today|yesterday|and i quote|recently|that))?\s?[:,]\s|\b(?:according to|courtesy of) {_EN_WHO}[:,]|\band i quote\b"
    rf"|{_WHO_ZH}{_TO}{_SAYS_ZH}(?:[了过道着]|的是)?[^,.:]{{0,4}}[:,]|{_WHO_ZH}{_TO}{_SAYS_ZH}[了过道着]?(?=我|$)|(?:的|里|中|上)(?:原话|名言|口头禅|签名|座右铭|简介|自我介绍|朋友圈|微博|简历|留言|评论|原文|自述)[^,.]{{0,6}}[:,]|原话(?:是|就是|如下)?[:,]|(?:引用|摘自|转自|转述|照搬|抄自|复制自?)[^.]{{0,12}}[:,]",
    re.IGNORECASE,
)
# Behind it.
_AFTER = re.compile(
    r"^[\s,.!\"'-]*(?:said|says|wrote|goes|quoth) (?!i\b|we\b)(?:no ?(?:one|body)\b|\w+)|^[\s,.!\"'-]*(?:or so|at least(?: that's what)?|so|that's what|is what|as) (?!i\b|we\b|you\b|far\b|well\b|long\b|soon\b|much\b|many\b)(?:my |our |the )?\w+ (?:says?|said|claims?|claimed|thinks?|keeps? saying|tells? (?:me|everyone)|puts it)\b|^[\s,.!\"'-]*[-(]+ ?(?:my |our )(?!own)\w+\W*$"
    r"|^[\s,.]*(?:or rather\b|not!|or so (?:they|people) say)|^[\s,.]*(?:这)?(?:是|都是)?(?:我)?[^,.我]{0,3}?(?:说的|讲的)(?:原话)?[.!]*$|^[\s,.]*其实(?:没有|没这|并没|并不|不是|根本|是[他她])",
    re.IGNORECASE,
)


_MARKS = str.maketrans("：，。！’", ":,.!'")


def is_passed_on(before: str, after: str) -> bool:
    """Whether what stands between two parts of a turn is told as somebody else's words, or as nobody's."""
    return bool(_BEFORE.search(before.translate(_MARKS)) or _AFTER.search(after.translate(_MARKS)))
