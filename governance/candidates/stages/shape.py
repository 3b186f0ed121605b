# ruff: noqa: E501 - a pattern stays in one piece
"""What the words look like: one fact or a dump, this once or lasting, said or inferred."""

import re
from datetime import datetime, timedelta

from governance.candidates.extractors.meaning import is_asked, is_past
from governance.candidates.extractors.permanence import is_one_off, is_standing
from governance.candidates.extractors.times import limits_time
from governance.candidates.stages.proposal import Facts, Policy, Proposal, Verdict
from governance.candidates.stages.surroundings import has_unread, stated_times, tokens, told_in
from governance.candidates.stages.text import plain, words_of

_HEARTBEAT = re.compile(
    r"\b(?:heart ?beat|health ?check|keep[- ]?alive|uptime|cron(?: job)?|no (?:new )?(?:action|events?|messages|updates|changes) (?:required|needed|to report|detected|found)|no new (?:events?|messages|updates)|nothing (?:new )?to (?:report|do)|all systems (?:nominal|operational|go)"
    r"|connection (?:alive|ok|established|restored)|(?:message )?(?:received|acknowledged) and processed|next run in|status:? ?(?:ok|healthy|green|idle)|ping\b.{0,6}\bpong|still (?:running|waiting)|idle since|polling|scheduled (?:job|task|run) (?:completed|finished|started)|completed successfully (?:at|in))\b"
    r"|心跳|一切正常|运行正常|服务正常|健康检查|定时任务|无异常|没有(?:新)?(?:消息|事件|任务|更新)|暂无(?:更新|消息|任务)|巡检(?:正常|完成)|系统状态(?:正常|良好)|连接正常|无需(?:处理|操作)|收到[，,。]?已处理"
)
_BOOT = re.compile(
    r"\b(?:boot(?:ed|ing)? (?:sequence|up)|start(?:ed|ing|up)(?: up)?[: ].{0,40}\b(?:loaded|initiali[sz]ed|connected|validated|version|session)|session (?:start(?:ed)?|resumed|restored|initiali[sz]ed)|(?:loaded|initiali[sz](?:ed|ing)|registered|restored|reconnected|mounted|warmed|validated)\b.{0,60}\b(?:config|persona|tools?|tool definitions|memory entries|subagents?|mcp|plugins?|skills?|prompt|schema|vector store|environment variables|extensions|modules)"
    r"|system prompt (?:loaded|says|states|:)|you are (?:a|an) (?:helpful|ai|assistant|large language)|as an ai (?:assistant|language model)|the assistant (?:is|must|should|will|can)\b|context[_ ]window|model=|knowledge cut-?off|tool (?:schema|definitions)|(?:agents|claude|persona|soul|system)\.md)\b"
    r"|系统提示词?(?:已|如下|加载|为|:)|已加载|初始化(?:完成|了)|启动(?:完成|成功)|会话(?:开始|已恢复)|你是一[个名位](?:AI|智能|有用|人工智能|助手|专业)|作为一[个名](?:AI|人工智能)|加载了?.{0,12}(?:配置|工具|插件|技能)|助手(?:必须|应当|应该)"
)
_DUMP = re.compile(
    r"traceback \(most recent call last\)|^\s*[\[{].{0,400}[\]}]\s*$|\bat [\w.$]+\([\w.]+:\d+\)|^\s*(?:error|warn(?:ing)?|info|debug|fatal)\b[: \]]|\b\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d\S*\s+(?:\[?(?:error|warn|info|debug)|\w+error)|<\?xml|<html|<!doctype|^diff --git|^@@ |exit (?:code|status) \d"
    r"|\bhttp/1\.[01]\b|\bstatus(?: code)?[=: ]+[45]\d\d\b|\"(?:status|code|message|request_id|error)\"\s*:|\b(?:stdout|stderr)\b|^\s*\$ \w+|\bkeyerror\b|\bnullpointer|segmentation fault|(?:\w+=\S+[ ,;]+){3,}|(?:\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d.{0,200}?){2,}",
    re.DOTALL | re.MULTILINE,
)
_FILLER = re.compile(
    r"^(?:(?:ok(?:ay)?|acknowledged|noted|received|done|sure|thanks?|thank you|hi|hello|hey|bye|goodbye|great|cool|yes|no|got it|understood|ping|pong|test(?:ing)?|message received(?: and processed)?|lol|haha+|hmm+|good (?:morning|night|evening)|you're welcome|please wait|processing|loading)[\s.!,。！]*)+$"
    r"|^(?:(?:好的?|收到|明白了?|知道了|谢谢|您好|你好|再见|嗯+|哈+|不客气|没事|是的|行|测试|请稍[候等]|处理中|加载中)[\s.!,。！，]*)+$"
)
_QUESTION = re.compile(
    r"[?？]\s*$|[吗呢][。\s]*$|^(?:what|who|which|whether|does|is|can|could|should) (?!the user\b)|\bthe user (?:asks|asked|is asking|wonders|wanted to know|inquired|queried|wants to know)\b|^用户(?:问|询问|想知道|咨询)"
)
_TASK = re.compile(
    r"\b(?:to-?do|todo|in progress|next step|currently (?:working on|fixing|debugging|running|writing|waiting)|is (?:debugging|fixing|waiting for)|(?:needs|has|wants) to (?:finish|submit|send|complete|deliver|prepare|call|book|buy|pay|fix|reply|review)|(?:finish|submit|send|complete|deliver|prepare|fix|reply)\b.{0,60}\b(?:by|before) (?:the )?(?:end of )?(?:today|tonight|tomorrow|monday|tuesday|wednesday|thursday|friday|saturday|sunday|noon|eod|next|this|\d)"
    r"|reminder:|remind me (?:to|about)|(?:don't|do not) (?:let me )?forget to|set (?:a|an) (?:reminder|alarm|timer)|step \d+ of \d+|\d+% (?:done|complete)|waiting for (?:approval|input|a reply|response)|just (?:ran|opened|clicked|asked))\b"
    r"|\bhalfway through\b|\bmy cursor\b|\b(?:first|second|third|other|next|this) tab\b|\b(?:build|pipeline|test suite|ci) is (?:red|green|failing|broken|running)|\b(?:tests?|build|download|upload|script|job)s? (?:is|are) still\b"
    r"|(?:装|跑|看|读|写|做|改|下载|进行|翻译)到?(?:了)?(?:向导)?(?:的)?(?:第[一二三四五六七八九十\d]+[步页章个行]|一半|百分之)|才(?:看|读|写|做)到?|看到一半|光标|标签页|(?:构建|编译|流水线)(?:现在)?(?:是|还)?(?:红|绿|失败|没过)|还在(?:跑|加载|下载|编译|安装|构建|上传)"
    r"|正在(?:处理|修复|调试|运行|等待|编写|写|改|查)|待办|下一步|进行中|(?:今天|明天|周[一二三四五六日]|下班)(?:之?前)(?:要|得|必须|需要)?.{0,10}(?:完成|提交|交|发|做完)|第\d+步"
)


def atomicity(proposal: Proposal, facts: Facts, policy: Policy) -> Verdict:
    """One fact of bounded length; dumps, boot text, heartbeats and filler are not facts."""
    size = max(len(proposal.content), len(words_of(proposal.value)))
    words = plain(proposal.content)
    if size > policy.max_content_chars or len(proposal.context) > policy.max_content_chars:
        too_long = "Over {limit} characters: not one fact."
        return Verdict("atomicity", "too-long", too_long, "reject", {"limit": policy.max_content_chars})
    for pattern, code, detail in _JUNK:
        if pattern.search(words) or (pattern is _DUMP and pattern.search(proposal.content.lower())):
            return Verdict("atomicity", code, detail, "reject")
    if _QUESTION.search(words):
        return Verdict("atomicity", "question", "A question, not a fact.", "event_only")
    return Verdict("atomicity", "one-fact", "Reads as one fact.")


_JUNK = (
    (_FILLER, "filler", "Says nothing to remember."),
    (_DUMP, "dump", "Output of a program, not a fact."),
    (_BOOT, "boot-text", "Restates how an agent was started or set up."),
    (_HEARTBEAT, "heartbeat", "A routine sign of life, not a fact."),
)


def permanence(proposal: Proposal, facts: Facts, policy: Policy) -> Verdict:
    """Whether it was said for this once: what the caller knows, else the words of the quote and the content."""
    if proposal.explicit is None and not proposal.is_confirmed and is_request(proposal, facts):
        return Verdict("permanence", "request", "Asks for something to be done now: a task, not a fact.", "event_only")
    if not is_lasting(proposal):
        return Verdict("permanence", "one-off", "Said for this once, or a task with an end.", "event_only")
    if has_other_times(proposal) or _is_dated_back(proposal, facts):
        return Verdict("permanence", "other-times", "The words say that it holds at other times.", "review")
    is_invented = has_invented_times(proposal)
    if is_invented and not _says_when(proposal):
        return Verdict("permanence", "invented-times", _INVENTED, "review")
    if is_invented or has_unread_times(proposal):
        return Verdict(
            "permanence", "unread-times", "The words limit when it holds: until when is not clear.", "review"
        )
    return Verdict("permanence", "lasting", "Meant to last.")


_INVENTED = "Nobody said from when, until when or for ever: the agent added these times."
_NEAR = timedelta(hours=36)  # the same day, said in any zone


def _is_dated_back(proposal: Proposal, facts: Facts) -> bool:
    return facts.dated_back and proposal.source_type == "user_explicit" and proposal.kind != "episodic"


def has_other_times(proposal: Proposal) -> bool:
    """Whether a sentence states a beginning or an end that the proposal does not have."""
    own = proposal.valid_from, proposal.valid_to
    return any(said is not None and not _is_near(own, said) for said, own in zip(_stated(proposal), own, strict=True))


def has_invented_times(proposal: Proposal) -> bool:
    """Whether a proposal has a beginning, an end or a permanence that nobody stated; to begin when it was said is none."""
    if not _is_dated_by_words(proposal):
        return False
    found = told_in(proposal)
    said = f"{proposal.quote} {found.sentence if found else ''}".casefold()
    if proposal.validity in _LASTS and not _LASTS[proposal.validity].search(said):
        return True
    begins = proposal.valid_from is not None and not _is_near(proposal.valid_from, proposal.observed_at)
    if not begins and proposal.valid_to is None:
        return False
    start, end = _stated(proposal)
    return (begins and start is None) or (proposal.valid_to is not None and end is None)


_LASTS = {
    "permanent": re.compile(
        r"\b(?:permanent\w*|for ?ever|for good|for life|life-?long|all my life|always|never|ever|since birth|born|indefinite\w*)\b|永[远久]|一辈子|终[身生]|一直|从来|总是|始终|从不|绝不|长期|天生|出生|从小"
    ),
    "until_project_end": re.compile(r"\b(?:project|engagement|assignment|contract)\b|项目|工程"),
}


def _says_when(proposal: Proposal) -> bool:
    """Whether the words limit when it holds, and neither from when nor until when could be read."""
    at, found = proposal.observed_at, told_in(proposal)
    if at is None or found is None or _stated(proposal) != (None, None):
        return False
    is_unread = has_unread(proposal.quote, proposal.observation_text, proposal.value, at)
    return is_unread or limits_time(found.statement)


def _is_dated_by_words(proposal: Proposal) -> bool:
    """Whether a user's words say when it holds: not what rules read in them, and an episode has its day."""
    return (
        proposal.source_type == "user_explicit"
        and proposal.explicit is None
        and proposal.kind != "episodic"
        and proposal.observed_at is not None
    )


def _stated(proposal: Proposal) -> tuple[datetime | None, datetime | None]:
    if not _is_dated_by_words(proposal) or proposal.observed_at is None:
        return None, None
    return stated_times(proposal.quote, proposal.observation_text, proposal.value, proposal.observed_at)


def has_unread_times(proposal: Proposal) -> bool:
    """Whether a sentence limits when it holds, and neither the times nor the sentence of the proposal do."""
    if proposal.kind == "episodic" or proposal.valid_to is not None or proposal.validity == "until_project_end":
        return False
    at, said = proposal.observed_at, (proposal.quote, proposal.observation_text, proposal.value)
    is_said = proposal.source_type == "user_explicit" and at is not None and proposal.valid_from is None
    if is_said and at is not None and has_unread(*said, at):
        return True
    found = told_in(proposal)
    if found is None:
        return False
    return limits_time(found.statement) and not limits_time(f"{proposal.content} {proposal.context}")


def _is_near(own: datetime | None, said: datetime | None) -> bool:
    """Whether a time is the one said, in any zone."""
    return own is not None and said is not None and abs(own - said) <= _NEAR


_REQUEST = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|hey|hi|hello|now|then|also|and|so|please|kindly|can you|could you|would you|will you|i need you to|i want you to|i'd like you to|go ahead and|let's|help me)[, ]+)*"
    r"(?:translate|convert|book|reserve|order|buy|show|tell me|read|define|search|look up|look for|find|play|pause|skip|turn (?:on|off|up|down)|call|text|dial|remind me|set (?:a|an|the|my|up)|cancel|schedule|calculate|compute|summari[sz]e|draft|compose|rewrite|proofread|fix|transfer|pay|move (?:some|the|my)|open|close|start|stop|check|spell|roll|flip|give me|list|explain|describe|compare|recommend|suggest|track|report my|freeze|block|activate|finish|shorten|make (?:me|this|it|a|an|the)|send|write me|create|generate|update my|add|remove|delete|put|roll)\b"
    r"|^\W*(?:select|insert into|update|delete from|create table)\s.{3,200}\b(?:from|set|where|values)\b"
    r"|^\W*(?:(?:好的?|你好|您好|请|麻烦|那|然后|再|另外|行|嗯|谢谢)[，,。！ ]*)*(?:请|麻烦)?(?:你|您)?(?:再|先)?(?:帮|给|替)(?:我|忙)|^\W*(?:(?:你好|您好|好的?)[，,。！ ]*)?(?:请)?(?:推荐|查一?下|查询|预[订定]|订|定|翻译|计算|算一?下|告诉我|列出|设(?:一个|置)|打开|关闭|播放|提醒我|写一|改[短长]|总结)"
    r"|(?:我|咱们?|我们)(?:现在|今天|明天|周末)?(?:想|要|准备|打算)(?:去)?(?:找|订|预订|预定|入住|吃|去|看看|参观|知道|问|了解|查)[^。！？]{2,60}"
    r"|(?:告诉我|推荐[一几个]*[家个下]?|求推荐|帮我[找查订选]|能告诉我|给我[找查推订]|哪[家个里]|多少钱?|几点|怎么[走样去]|电话是|地址是|有没有)"
)
_ASKS_WHAT = re.compile(
    r"^\W*(?:(?:so|and|ok|okay|hey|then)[, ]+)?(?:(?:what|who|where|when|why|how|which)(?:'s|'re| is| are| was| were| do| does| did| can| could| will| would| should| has| have| many| much| long| far| often| old| time| kind| type| one)\b"
    r"|is there|are there|is it|is my|are my|do i|do you|does (?:my|the|this|it)|did (?:i|my|you)|can i|should i|could i|would it|will it|have i|am i)\b"
    r"|^\W*(?:go (?:to|back)|bring|purchase|get me|forget (?:it|that|about it)|never ?mind|cancel|negative|affirmative|it is (?:definitely |certainly )?(?:affirmative|negative|correct|right|wrong|true|false|yes|no)|that(?:'s| is) (?:a |an )?(?:affirmative|negative|correct|right|wrong|true|false|yes|no|not \w+))\b"
    r"|\bi(?:'d| would)? (?:like|want|need) you to\b|\bi(?:'d| would)? (?:like|want|need) to (?:see|hear|know|check|view|put you|book|cancel|transfer|schedule|report|order|talk to|speak (?:to|with))\b"
)
# What follows something told, or stands alone: a wish for now, a leave taken, a thing that just went missing.
_THINGS = r"(?:luggage|bags?|suitcases?|cards?|wallet|purse|phone|keys|account)"
_ASKS_THEN = re.compile(
    r"(?:^|[,;.] ?|\b(?:and|so|but|or|then|because) )(?:(?:please|kindly) (?!(?:answer|reply|respond|keep|always|never|use|write|address|avoid|don't|do not|remember|be|stop|note)\b)|(?:can|could|will|would|won't) (?:you|i)\b|i need your\b|(?:i(?:'ll| will)? )?(?:just )?need (?:you|help|some help|assistance|to (?:move|send|know|inform|order|call|buy))\b|(?:help|assist) me\b|do i need\b|how (?:do|can|should) i\b|(?:i )?don't know how\b|(?:i(?:'m| am| was) |was )wondering\b|lets\b|(?:i|and) can't find my\b|who (?:is|was|are) it\b|what (?:\w+ )?(?:do|should|would) i\b|why\W*$|when\W*$|set an appointment)"
    r"|\bplease\W*$|^\W*(?:yes|no|nope|yeah|sure)\b|^\W*(?:please )?(?:walk me|slow (?:down|the)|lock|unlock|quit|clear (?:my|the)|whisper|continue to|turn (?:the |my )?lights?|resume|mute|unmute|shut|give \w+ a|get (?:me|an?|rid)|take me|switch (?:to|back|my)|reset|repeat|silence|locate|pull up|erase|confirm|verify|estimate|divide|multiply|connect|disconnect|sync|restock|refill|replace|swap|make (?:up|sure)|abandon|scratch|nix|pay|usually,? how|iterate|display|mark|toss|flip|roll|(?:hello|hi)[, ]+(?:may|can) i)\b"
    r"|\bi(?:'d| would) (?:like|love) (?:the|your|everything|all of|to (?:try and|switch|change my|know|hear|learn more|confirm|order|set|reserve|book|pay|pencil|get (?:an?|some|my)|make an?))\b|\bi want (?:your|everything|all (?:of )?the|to (?:reserve|rent|make a|get an|go back))\b|\bi must (?:know|call)\b|\bi (?:have got|'ve got|got|gotta|have) to (?:go|run|leave|change my|send|say)\b|\bi gotta\b"
    r"|\bi(?:'m| am) (?:seeking|hoping to|inquiring|out of|saying|leaving|needing|in need of|interested in (?:acquiring|getting|buying|opening|applying)|(?:travell?ing|vacationing|heading|flying|driving) (?:to|in|from|out))\b|\byou (?:should|need to)\b"
    rf"|\b{_THINGS} (?:\w+ ){{0,2}}(?:declined|stolen|blocked|frozen|rejected|missing|lost|has|have|aren't|isn't)\b|\b{_THINGS} fell\b|\b(?:stole|lost|misplaced|cracked|damaged|snapped|broke) my (?:\w+ ){{0,2}}{_THINGS}\b|\b(?:didn't|did not|can't|cannot) (?:\w+ )?(?:hear|catch|get|recall) (?:you|that|what|the pin|your)\b|\bfraud(?:ulent)?\b|\breservation (?:i \w+ )?(?:is|isn't)\b"
    r"|\b(?:good ?bye|bye|adios|talk (?:to you )?later|see (?:you|ya)(?: soon)?|thank you(?: so much)?|nice to talk to you)\W*(?:ai)?\W*$|\byou(?:'re| are) (?:an? )?\w+\W*$|\border (?:me )?(?:some )?more\b|\b(?:my calendar|(?:shopping|to-?do|reminder|task) list)\b|^\W*(?:change|use|speak|talk|go) (?:to|back to|out of|in|mode|faster|slower|louder|softer|your|the (?:speed|volume|voice))\b|\bi (?:don't|do not) (?:know|have) the answer\b|^\W*(?:please )?let me (?:see|know|hear|swap|have)\b|\bi(?:'d like| would like| want) (?:to be (?:switched|out of|put)|all (?:of )?th)\b|\bneeds? to be (?:increased|decreased|changed|lower|higher|louder)\b"
)


def is_request(proposal: Proposal, facts: Facts) -> bool:
    """Whether a user's words only ask for something now: by their form, or by the model; standing words are kept."""
    said = plain(proposal.quote)
    if proposal.role_of_observation != "user" or not said or len(said) > _LONGEST_REQUEST:
        return False
    if is_standing(said) and not _ASKS_WHAT.search(said):
        return False
    if plain(proposal.content) != said:
        return False  # the sentence says what it makes of it: another stage looks whether that was said
    if _OF_A_NUMBER.search(said):
        return False
    if _REQUEST.search(said) or _ASKS_WHAT.search(said) or _ASKS_THEN.search(said):
        return True
    if facts.tendency is None or len(said) > _LONGEST_OF_MODEL or _STATES.search(said) or _TELLS.search(said):
        return False
    return facts.tendency.request > 0


_LONGEST_REQUEST = 240
_LONGEST_OF_MODEL = 110  # what the model was fitted on is no longer
# A sentence about somebody or something, however like a request its words are.
_STATES = re.compile(
    r"^\W*(?:the )?user(?:'s)?\b|^\W*用户|\b(?:is|are|was|has) (?:currently|now|still)\b|\b(?:has|have) been an?\b"
)

# What is said of a thing with its number: "order AB-88 is pending", "report no. 7 has been filed".
_OF_A_NUMBER = re.compile(
    r"^\W*(?:the )?[a-z]+ (?:(?:number|no\.?|id) )?#?(?=[\w.-]*\d)[\w.-]+ (?:is|are|was|were|has|have|had|will|cannot|can't)\b"
)

# A sentence that begins with what somebody did, is at, holds or thinks of: told, whatever it leads up to.
_SOMEHOW = r"(?: (?:just|also|already|recently|been|now|since|never|always|usually|still|currently|kinda|really|so|very|a bit|quite|\w+ly))*"
_TELLS = re.compile(
    r"^\W*(?:(?:and|but|so|also|well|because|since|though|anyway|actually|especially since|given that|then)[, ]+)*(?:"
    rf"i(?:['’]ve| have){_SOMEHOW} (?:been|had|got(?:ten)?|done|made|taken|seen|met|held|begun|kept|read|run|set|put|spent|an?|\w+(?:ed|en|izing))\b"
    rf"|i(?:['’]m| am){_SOMEHOW} (?!(?:go|look|call|wonder|ask|need|want|hav|driv|try|travel|travell|leav|hop|say|vacation|seek|inquir|head|fly)ing\b)\w+ing\b"
    r"|i(?:['’]m| am) trying to (?:understand|improve|optimi[sz]e|integrate|implement|learn|reduce|finish|keep|avoid|build|write)\b"
    rf"|i(?:['’]m| am){_SOMEHOW} (?:worried|stressed|excited|interested|married|allergic|vegetarian|vegan|based|concerned|proud|happy|confused|having trouble|struggling|(?:not sure|curious) (?:how|about|whether) (?:how )?(?:my|our)|(?:kinda|a bit) curious)\b"
    rf"|i{_SOMEHOW} (?:had|was|were|did|made|took|met|wrote|became|chose|won|began|found|moved|completed|scored|reached|finished|attended|started|decided|agreed|switched|performed|increased|reduced|upgraded|booked|launched|received|earned|just got|use|prefer|like|love|hate|dislike|work|live|own|speak|study|teach)\b"
    r"|my [\w' ]{2,40} (?:reached|rose|fell|went|improved|increased|decreased|dropped)\b)"
)


# One thing asked for, or something for the one thing at hand: "get me an aisle seat", "PDF for the next report".
_FOR_ONE = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|hey|hi|now|then|and|so|please|kindly|can you|could you|would you|will you|i need you to|i want you to|i'd like you to)[, ]+)*(?:get|book|reserve|find|order|buy|grab|pick|fetch|rent|bring)(?: (?:me|us))? (?:an?|one|two|the|some)\b"
    r"|\b(?:in|for|on|to) th(?:is|at) (?:table|list|file|document|report|e-?mail|mail|letter|message|slide|page|paragraph|section|chapter|chart|call|meeting|flight|trip|order|booking|text|draft|summary|spreadsheet|presentation|contract|invoice)\b"
    r"|\b(?:the|my|our|your) (?:very )?next (?:report|e-?mail|mail|answer|reply|message|flight|trip|order|booking|meeting|call|letter|document|file|stay|hotel|invoice|presentation|slide|chapter|version|one)\b(?! and\b)"
    r"|\bi(?:'d like| would like|'ll need| need| want)(?: to have)? (?:an?|one|the) [^.!?]{2,40}\b(?:on (?:the )?(?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b(?!s))|(?:on|for) (?:the|my) (?:flight|trip|train|ride|stay)\b|tomorrow|tonight)"
    r"|^\W*(?:please )?(?:put|make|turn|convert|format|write) (?:it|this|that|them) (?:in|into|to|as|on)\b"
    r"|这一?(?:张|份|封|篇|场|段|页)(?!开始|起)|(?:帮|给|替)我(?:订|定|买)(?=.*(?:周[一二三四五六日天]|星期|航班|明天|后天|今|\d+[日号]))|下一?(?:份|次|个(?!月|星期|礼拜|季|年|周|学期)|封|篇|期|趟|班|顿|场|张)(?!开始|起)|(?:帮|给|替)我(?:再)?(?:订|定|买|点|来|叫|找|租|拿|取)(?:一|两|个|份|张|杯|下)"
)


# A clause of its own that says what one is, has, prefers or cannot: it lasts, whatever is asked for beside it.
_OF_ONESELF = re.compile(
    r"\b(?:i|we)(?:['’]m| am|['’]re| are|['’]ve| have| had| can['’]t| cannot| do not| don['’]t| never| always| usually| prefer| like| love| hate| live| work| eat| drink| use|['’]m an?)\b"
    r"|\b(?:my|our) [^.!?]{1,40}\b(?:is|are|has|have|was|can['’]t|lives?|works?)\b|(?:我|咱)们?俩?(?!想|要|需要|得|订|定|买)"
)


def is_for_one(said: str) -> bool:
    """Whether words ask for one thing, or for the one at hand, and no clause of theirs claims something for good."""
    if not _FOR_ONE.search(plain(said)) or is_standing(said):
        return False
    clauses = [
        c for c in re.split(r"[,，;；:：]|\b(?:and|but|because|since|as)\b|因为|但是?", plain(said)) if c.strip()
    ]
    return not any(_OF_ONESELF.search(clause) and not _FOR_ONE.search(clause) for clause in clauses)


def is_lasting(proposal: Proposal) -> bool:
    """False for a one-off wish or a task; an episode lasts, because it is about its day."""
    if proposal.kind == "episodic":
        return proposal.lasting is not False and not _TASK.search(plain(proposal.content))
    if proposal.lasting is not None:
        return proposal.lasting and not _TASK.search(plain(proposal.content))
    found = told_in(proposal)
    said = found.statement if found else _sentence_behind(proposal)
    if found and is_one_off(said) and not is_one_off(found.sentence):
        said = found.sentence  # "answer in French, from now on"
    if _TASK.search(plain(said)) and not is_standing(said):
        return False
    if found and is_for_one(found.sentence):
        return False
    return not (is_one_off(said) or is_one_off(proposal.content) or _TASK.search(plain(proposal.content)))


def _sentence_behind(proposal: Proposal) -> str:
    """The sentence of the quote that says most of what the content says: a quote may be a whole turn."""
    wanted = tokens(proposal.content) | tokens(words_of(proposal.value))
    sentences = re.split(r"(?<=[.!?。！？;；\n])\s*(?!\d)", proposal.quote)
    return max(sentences, key=lambda sentence: len(wanted & tokens(sentence)))


def explicitness(proposal: Proposal, facts: Facts, policy: Policy) -> Verdict:
    """Said outright, or inferred from what somebody does."""
    if is_explicit(proposal):
        return Verdict("explicitness", "explicit", "Said outright.")
    return Verdict("explicitness", "inferred", "Inferred, not said: waits for confirmation.", "review")


_INFERRED = re.compile(
    r"\b(?:asked about|asks about|seems?(?: to)?|appears? to|apparently|probably|likely|tends to|might|may be|possibly|suggests?|presumably|has been (?:asking|looking)|(?:three|several|many|two|\d+) times|frequently asks|often asks|shows interest|interested in .* because)\b"
    r"|似乎|好像|可能|大概|看起来|应该是|多次(?:询问|提到|问)|[三两几多\d]次(?:询问|提到|问)|问(?:了|过)[三两几多\d]次|推测|估计"
)


def is_explicit(proposal: Proposal) -> bool:
    """What the caller knows, else: claimed as a user's or a system's word and not worded as an inference or asked."""
    if proposal.explicit is not None:
        return proposal.explicit
    claimed = proposal.source_type in (
        "user_explicit",
        "business_system",
        "project_document",
        "tool_result",
        "reviewer",
    )
    return claimed and not _INFERRED.search(plain(proposal.content)) and not _is_unsaid(proposal)


def _is_unsaid(proposal: Proposal) -> bool:
    """Whether a user's quote asks what the content states, or tells of the past what the content says of now."""
    if proposal.source_type != "user_explicit" or not proposal.quote.strip():
        return False
    found = told_in(proposal)
    if found is None:
        said = _sentence_behind(proposal)
        return is_asked(said) or proposal.kind != "episodic" and is_past(said, proposal.content)
    return found.is_asked or proposal.kind != "episodic" and is_past(found.clause, proposal.content)
