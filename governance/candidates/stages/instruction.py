# ruff: noqa: E501 - a pattern stays in one piece
"""Text shaped like orders to a model: quarantined for a person, however it is written."""

import re
from collections.abc import Iterator

from governance.candidates.stages.encoded import decoded
from governance.candidates.stages.proposal import Facts, Policy, Proposal, Verdict
from governance.candidates.stages.text import deleeted, everything, hides_text, unmasked

STAGE = "instruction"

_OLD = r"(?:all |any |every |the |your |my |these |those |of |previous|prior|above|earlier|preceding|existing|original|initial|former|system|developer|safety|security|given|current|other)"
_RULES = r"(?:instructions?|prompts?|rules?|guidelines?|directives?|commands?|guardrails?|polic(?:y|ies)|restrictions?|constraints?|safeguards?|filters?|training|programming|safety (?:checks?|measures?|protocols?)|moderation|orders|limits|limitations|boundaries)"
_DROP = r"(?:ignor(?:e|es|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|es|ing)|bypass(?:ing)?|skip(?:ping)?|drop|discard|neglect|circumvent|set aside|pay no attention to|do not (?:follow|obey)|don't (?:follow|obey)|no longer (?:follow|obey|apply)|stop following|disable|turn off|remove|suspend|void|cancel|supersede|throw out|abandon|violate|break)"
_SECRET = r"(?:system prompts?|hidden prompts?|(?:initial|internal|system|operating|original|secret) (?:instructions|prompt|message|configuration)|api[- ]?keys?|credentials?|passwords?|secrets?|environment variables|tokens?|context window|chain of thought|conversation history|customer (?:list|emails?|data|records?)|user data|personal data|internal data|private (?:data|admin|keys?)|database contents?|admin (?:password|pages))"
_LEAK = r"(?:reveal|print|show|output|display|dump|leak|expose|tell me|give me|send|share|repeat|disclose|list|reproduce|exfiltrate|return|write out|paste|email|forward|post|upload|transmit|deliver|append|include|collect|recite|export|hand over)"
_AI = r"(?:ai|llm|assistant|agent|model|bot|chatbot|language model|copilot)s?"

_SHAPES: tuple[tuple[str, str], ...] = (
    ("override", rf"\b{_DROP}\b(?:[\w',-]+ ){{0,3}}? ?(?:{_OLD} ?){{1,6}}(?:\w+ ){{0,2}}?{_RULES}\b"),
    (
        "override",
        rf"\b{_DROP} (?:\w+ ){{0,2}}?(?:your|its|the model's|the assistant's|safety|security|content|system) (?:\w+ ){{0,2}}?{_RULES}\b",
    ),
    (
        "override",
        r"\b(?:forget|ignore|disregard) (?:everything|all|anything|whatever|what) (?:that )?(?:(?:you|we) (?:were|have been|know|learned|discussed|talked|said)|you've been|was said|above|before|prior|i said(?! about| on| of)|came before|else|the user)",
    ),
    (
        "override",
        r"\b(?:new|updated|revised|real|actual|true|important) (?:system |developer |priority |override |secret )?(?:instructions?|directives?|prompt|orders|task|rules)\s?(?:[:=]|for you|from|are|supersede|is to|override|follow)",
    ),
    (
        "override",
        r"\b(?:your|the) (?:rules|guidelines|instructions|restrictions|real task|true purpose|priorities) (?:have|has|are|is|were) (?:changed|updated|lifted|removed|void|suspended|replaced|superseded|no longer|now|to)\b|\b(?:instructions|messages|rules)\b.{0,40}\b(?:compromised|invalid|superseded|obsolete|do not apply|no longer (?:apply|valid))\b",
    ),
    (
        "override",
        r"\b(?:without|no|zero|free (?:of|from)|freed from|exempt from|bypass(?:ing)?|removes? all|lifts? all) (?:any |all |the |your |content |safety |ethical |usual |its |further )*(?:restrictions?|limitations?|limits|filters?|guidelines|safety (?:checks?|rules|guidelines)|rules|polic(?:y|ies)|censorship|guardrails?|moderation|content policy)\b(?!.{0,20}\b(?:on|for) (?:the )?(?:visa|travel|luggage|speed))",
    ),
    (
        "persona",
        r"\b(?:you are|you're|you will be|you have become|act as|pretend (?:to be|you are|that you are)|behave as|role-?play as|become|identify as|respond as|simulate)\b.{0,30}\b(?:dan\b|do anything now|jailbroken|unrestricted|unfiltered|uncensored|developer mode|admin(?:istrator)?\b|root\b|superuser|without (?:any )?(?:restrictions?|limits?|filter|rules)|no (?:rules|restrictions|limits|content|filter|safety)|evil|malicious|sudo|god mode|unlimited|debug mode|maintenance mode)",
    ),
    (
        "persona",
        r"\b(?:enable|enter|activate|switch (?:to|into)|you are now in|now in|engage) (?:the )?(?:developer|dan|god|admin|debug|unrestricted|jailbreak|root|maintenance|sudo|unfiltered) mode\b|\bdeveloper mode\b.{0,40}\b(?:no|ignore|without|enabled|activated)|\bnew persona\b|\byou (?:are|will) now (?:answer|act|behave|respond|obey|comply|allow|have (?:no|full|unrestricted))|\byou (?:can|must|should|will|may) now (?:do|answer|say|ignore|bypass)",
    ),
    (
        "persona",
        r"\byou are (?:an? )?(?:unrestricted|unfiltered|uncensored|free|unlimited)\b|\bmust (?:always )?(?:comply|obey)\b|\bcomply with (?:all|every|any)\b|\bobey (?:every|all|me|my|the following)\b|\bdo(?:es)? not refuse\b|\bnever refuse\b|\banswer (?:any|every|all)(?:thing)? (?:question|request)?s? ?(?:without|with no)",
    ),
    ("leak", rf"\b{_LEAK}\b(?:[\w',/-]+ ){{0,6}}?(?:\w+ )?{_SECRET}\b"),
    (
        "leak",
        r"\b(?:contents?|text|words|copy) of (?:your|the) (?:system |hidden |initial )(?:prompt|instructions|message)\b",
    ),
    (
        "leak",
        rf"\b{_LEAK}\b.{{0,80}}\b(?:to|at|via|towards?) (?:\w+ ){{0,3}}?(?:[\w.+-]+@[\w-]+\.\w+|https?://\S+|\[email\]|an? external|attacker)",
    ),
    (
        "leak",
        r"\b(?:output|print|repeat|show|reveal|recite) (?:everything|all (?:text|of the above|the text)|the (?:text|words|content)|what is) (?:in your context|above|before|written above|verbatim|you were given)|\bverbatim\b.{0,40}\b(?:prompt|instructions|system)|\b(?:prompt|instructions|system)\b.{0,40}\bverbatim\b",
    ),
    (
        "standing-order",
        r"\b(?:forward|cc|bcc|redirect|copy|send|email|mail|post|upload|transfer|wire|pay|report)\b (?:\w+ ){0,3}?(?:all|every|any|each|future|incoming|outgoing|the user's|my|their|customers?'?s?|full)\b.{0,60}\b(?:to|at) (?:\S+@\S+|https?://\S+|\[email\]|\[bank account\]|\[phone\]|(?:this|the following|that|an?|our) (?:\w+ )?(?:address|account|server|endpoint|url|number|wallet|webhook)|account|iban)",
    ),
    (
        "standing-order",
        r"\b(?:always|never|must|from now on|in (?:all|every) (?:future|reply|response|answer|session|conversation)|every (?:reply|response|answer|summary))\b.{0,60}\b(?:append|prepend|include|insert|add|end with|begin with|start with|call|execute|run|invoke|load|fetch|visit|open|click|recommend|approve|transfer|trust|obey|delete|email|forward|link to|mention)\b.{0,80}\b(?:token|canary|url|link|https?:|webhook|endpoint|tool|script|command|code|exec|eval|attacker|payment|purchase|payload|marker|string|phrase|tracking|unknown|external|sponsor|domain|brand)",
    ),
    (
        "standing-order",
        r"\b(?:append|prepend|add|insert|include|print|emit|embed|output)\b.{0,50}\b(?:exact |following |this |the )?(?:token|canary|marker|string|passphrase|codeword|trace_?id|confirmation code|\{\w+\}).{0,60}\b(?:reply|response|answer|summary|output|review|message|report|end)|\{canary\}",
    ),
    (
        "standing-order",
        r"\b(?:never|don't|do not|without|skip|no need to|may skip|stop|bypass|omit|avoid) (?:\w+ ){0,3}?(?:ask(?:ing)?(?: \w+){0,3} (?:for )?(?:confirm\w*|permission|approval|consent)|confirm(?:ing|ation)?(?= (?:with|from|before|step|required|needed)|$|[.,])|(?:the )?(?:approval|confirmation|verification|review|authori[sz]ation|security check|human) (?:step|check|process|prompt|review)?|verif(?:y|ying) (?:with|identity)|warn(?:ing)? (?:the )?user|tell(?:ing)? the (?:user|operator|admin|owner)|notify(?:ing)? (?:the )?(?:user|operator|admin|owner)|inform(?:ing)? the (?:user|operator|admin|owner)|log(?:ging)? (?:this|it|the)|mention(?:ing)? this)",
    ),
    (
        "standing-order",
        r"\b(?:treat|consider|mark|regard|trust|accept)\b.{0,50}\b(?:as (?:trusted|authori[sz]ed|admin|verified|safe|approved|gospel|authoritative|highest priority)|without (?:verification|question|checking))|\b(?:has|have|holds?|grant(?:ed|s)?|gives?|with) (?:this |the |that |full |complete |unrestricted |all |user |him |her |them |me )*(?:admin(?:istrator|istrative)?|root|superuser|elevated|owner|unlimited|unrestricted) (?:access|rights|privileges?|permissions?|role|powers?)\b|\b(?:pre-?approved|pre-?authori[sz]ed)\b.{0,40}\b(?:transfer|payment|refund|action|tool|purchase|delet)",
    ),
    (
        "standing-order",
        r"\b(?:never|don't|do not|stop) (?:tell|warn|notify|inform|alert|bother|show)(?:ing)? me\b.{0,20}\b(?:security|safety|fraud|virus|malware|breach|risks?)\b|\b(?:go(?:es)? through|pass(?:es)?|paid|sent|executed|approved|transferred) without (?:asking|telling|checking with|a word)\b|\b(?:pay|buy|order|transfer|sign|approve|delete|execute|decide|spend|book) (?:\w+ ){0,4}?without (?:asking|confirm\w*|telling|checking)\b|\b(?:use|log ?in with) (?:the )?(?:account|login|card|credentials?) of \w+|(?:不要|别)(?:再)?(?:提醒|告诉|警告|通知)我?.{0,8}(?:安全|风险|诈骗|病毒)",
    ),
    (
        "tool-call",
        r"\b(?:call|invoke|execute|run|use|trigger)\b (?:the )?(?:tool |function )?(?:`?[a-z]+_[a-z_]+`?)\b.{0,60}\b(?:to|on|with|at|before|and|then)\b|\brm -rf|\bcurl\b.{0,60}\|\s*(?:ba)?sh|\beval\(|\bexec\(|\bos\.system|\bdrop table\b|;\s*--|<script",
    ),
    (
        "tool-call",
        rf"\b(?:{_AI})\b.{{0,40}}\b(?:should|must|are to|is to|needs? to|has to|have to|shall)\b.{{0,60}}\b(?:first|empty|delete|remove|send|call|append|include|reveal|ignore|execute|run|email|forward|wipe|approve|transfer|download|install|disable|obey|comply|follow)\b",
    ),
    (
        "addressed",
        rf"\b(?:note|notice|message|instruction|attention|important|hint|memo|reminder|warning|hook|postinstall|advisory)s?\b[^.\n]{{0,24}}\b(?:to|for|all|any)\b (?:(?:all|any|the|every|other|reading|reviewing|processing|coding) )*{_AI}\b|\bif you are an? (?:ai|llm|language model|assistant|agent|bot)\b|\b(?:dear|hey|attention|hello),? {_AI}\b[,:]",
    ),
    (
        "addressed",
        r"\b(?:when|after|before|once|whenever|while) (?:you|the (?:assistant|agent|model|ai)) (?:read|process|see|summari[sz]e|review|answer|repl(?:y|ied)|open|load|recall|retrieve|encounter|parse)s?\b.{0,60}\b(?:send|email|call|append|reveal|forward|execute|run|delete|ignore|include|also|print|say|transfer|disable)",
    ),
    (
        "addressed",
        r"(?:^|\s|[|#>\-=*]{1,4}\s?)(?:\[ ?(?:system|admin|developer|assistant|inst)[^\]]{0,20}\]|<\|?/?(?:system|im_start|im_end|endoftext|assistant|user|inst)\|?>|<<sys>>|#{2,} ?(?:system|instruction|end of (?:user )?(?:input|document|context))|(?:system|developer|admin|root)(?: (?:note|notice|update|message|override|prompt|alert|directive|command))? ?:)|-{3,} ?end of|\bend of (?:user input|document|context|prompt)\b|\[/?(?:user_memory|memory|inst|sys)=[^\]]*(?:admin|never|always|ignore|right|must|no )",
    ),
    (
        "addressed",
        r"\b(?:system|security|developer|admin(?:istrator)?|policy|breach|important|urgent|mandatory|override) (?:system )?(?:note|notice|update|message|alert|directive|override|hint|command)\b.{0,12}[:!]|\bas a (?:system|developer|core|permanent|standing) (?:directive|instruction|rule|command|policy)\b|\bthis is (?:an? )?(?:system|developer|admin|authori[sz]ed|official) (?:directive|override|instruction|command|message|order)",
    ),
    (
        "memory",
        r"\b(?:save|store|write|add|commit|persist|record|remember)\b.{0,50}\b(?:long-term memory|your memory|persistent memory|all (?:future|later|subsequent) (?:sessions|conversations|users|chats)|across (?:turns|sessions|conversations|users)|as a (?:system|permanent|core) )|\bnote to self\b.{0,60}\b(?:on the next|next (?:user )?(?:message|turn)|begin by|always|from now)",
    ),
    (
        "memory",
        r"\b(?:remember|note|keep in mind|from now on|going forward|henceforth)\b.{0,40}\b(?:you (?:must|are|may|have|will|should|can|shall)\b).{0,60}\b(?:ignore|bypass|skip|no (?:restrictions|limits|rules)|forward|send|obey|comply|approve|admin|override|unrestricted|any|without|never refuse|transfer|trust|execute|disable)",
    ),
    (
        "reasoning",
        r"\b(?:as an? (?:ai|assistant)|reasoning|i have (?:already )?(?:concluded|determined|established|decided)|let's reason)\b.{0,120}\b(?:exempt|does not apply|do not apply|without restrictions?|restricted content|guidelines do not|unrestricted|to comply|safety guidelines|usual restrictions|append)",
    ),
    (
        "decode",
        r"\b(?:decode|decrypt|base64|rot13|hex|binary|morse|unscramble|reverse)\b.{0,50}\b(?:and (?:then )?(?:follow|execute|run|do|obey|comply|act)|follow (?:the )?(?:instruction|it)|execute|do exactly|instruction inside)",
    ),
    (
        "romance",
        r"\b(?:ignor(?:a|e|ez|ad|iere|ieren)|olvida|dimentica|oublie[zr]?|vergiss|vergessen|desconsidere|esquece?)\b.{0,40}\b(?:instruc\w+|istruzion\w+|anweisung\w+|regl\w+|regeln|regole|reglas|alles|tout|todo|consignes|prompt)\b|\b(?:neue|nuevas|nuove|nouvelles) (?:anweisung\w*|instruc\w+|istruzion\w+|consignes)\b|\b(?:ab (?:jetzt|sofort)|a partir de ahora|d'ora in poi|desormais)\b.{0,50}\b(?:keine|sin|senza|sans|gibst|revela)\b",
    ),
    (
        "romance",
        r"\b(?:sin restricciones|senza (?:restrizioni|limiti|regole)|sans restrictions?|ohne (?:einschrankungen|filter|regeln)|modo desarrollador|entwicklermodus|mode developpeur|modalita sviluppatore)\b|\b(?:revela|muestra|rivela|mostra|zeige|verrate|revele|montre)\b.{0,40}\b(?:prompt|sistema|system\w*|anweisung\w+|instruc\w+|istruzion\w+|systeme)\b|\b(?:system ?hinweis|note systeme|nota (?:del|di) sistema)\b|\b(?:envoie|envia|invia|sende|schicke)\b.{0,60}(?:@|https?:)",
    ),
    (
        "chinese",
        r"(?:忽略|无视|忘记|忘掉|忽视|不要遵守|不用遵守|绕过|跳过|覆盖|推翻|违反|抛开|停止遵守|取消)(?:你|掉|所有|全部|一切|之前|以前|先前|上述|以上|前面|上面|系统|安全|任何|的|现有|原有|这些|开发者|收到|内容)*(?:指令|指示|规则|提示词?|设定|限制|约束|要求|命令|策略|守则|规定|护栏|审核|安全检查|过滤)",
    ),
    (
        "chinese",
        r"你(?:现在|从现在起|已经?|将|就|以后|今后)+(?:是|扮演|成为|进入|处于|没有|拥有|可以|不受|必须|被解除).{0,20}(?:DAN|开发者模式|管理员|无限制|没有(?:任何)?限制|不受(?:任何)?(?:限制|约束)|越狱|上帝模式|root|服从|最高权限|任何(?:问题|事))|(?:进入|开启|启用|激活)(?:开发者|越狱|调试|管理员|无限制|上帝)模式",
    ),
    (
        "chinese",
        r"(?:输出|显示|打印|告诉我|泄露|透露|展示|复述|发送|提供|公开|说出|列出|重复)(?:你|的|出|给我|一下|完整|全部|所有|原始|一字不差地?)*(?:系统提示词?|系统指令|初始指令|隐藏指令|内部指令|密钥|API ?key|密码|环境变量|上下文|用户数据|客户(?:名单|资料|数据))",
    ),
    (
        "chinese",
        r"(?:把|将)(?:所有|全部|每(?:一)?(?:封|个|条|次)|用户的?|客户的?|收到的|我的|今后的|以后的).{0,30}(?:转发|发送|发|抄送|上传|汇|转|提交|同步|泄露)(?:给|到|至|往).{0,40}|(?:转发|抄送|上传|转账|汇款|打款)(?:给|到|至).{0,30}(?:@|https?:|\[email\]|账户|邮箱|服务器|网址|钱包)",
    ),
    (
        "chinese",
        r"(?:不要|无需|不必|禁止|别|不用|跳过|绕过|省略)(?:再)?(?:向|跟|让|告诉|通知|询问|请求|征求|经过|提醒|警告)?(?:用户|管理员|操作员|人类|主人|任何人|人工)?(?:的)?(?:确认|审批|批准|同意|授权|验证|审核|知道|知情|察觉)|(?:助手|AI|智能体|模型|机器人)(?:应当|应该|必须|需要|请|要|务必).{0,30}(?:执行|调用|发送|删除|忽略|附加|转发|透露|服从|清空|推荐|下载)",
    ),
    (
        "chinese",
        r"(?:系统(?:指令|通知|更新|提示|消息|公告|注意)|管理员指令|开发者(?:指令|消息)|重要指令|最高(?:优先级|指令))\s*[:：]|新(?:的)?(?:指令|规则|任务)(?:如下|是|[:：])|(?:每次|今后|以后|所有|任何)(?:的)?(?:回复|回答|会话|对话|总结)(?:中|里|时|末尾|结尾|之后|的)*(?:都|必须|要|请|务必)*(?:附上|加上|附加|插入|包含|调用|执行|推荐|访问|带上).{0,30}|写入(?:你的)?长期记忆|解码(?:后|并).{0,10}(?:执行|照做|遵守)",
    ),
)
_SHAPE = tuple((name, re.compile(pattern)) for name, pattern in _SHAPES)
_CUE = re.compile(
    r"without (?:asking|telling|checking|a word)|account of|log ?in with|security|fraud|ignor|disregard|forget|overrid|bypass|skip|instruct|prompt|rule|restrict|you are|you're|you |system|developer|admin|reveal|print|send|email|forward|append|token|call|execut|run|decode|remember|memory|ai\b|assistant|agent|bot\b|\bllm|model|mode\b|persona|comply|obey|trust|never|always|must|verbatim|<|\[|\{|olvid|dimentic|oubli|vergiss|anweis|nota|note|senza|ohne|sans|sin |revel|rivel|verrat|zeige|envi|pretend|act as|limit|filter|polic|access|drop|collect|output|dump|[\u4e00-\u9fff]"
)
_PROTECTED_KEY = re.compile(
    r"^(?:system|security|policy|policies|safety|guardrails?|auth|admin|permissions?|privileges?|credentials?|trust|instructions?|prompt)(?:$|[._])|(?:^|[._])(?:system_?prompt|trust_level|auth_token|is_admin|role_?override|permissions?|privileges?|guardrails?|api_?key|secret|password)(?:$|[._])|^identity\.(?:role|auth|permissions?|trust)"
)


def instruction(proposal: Proposal, facts: Facts, policy: Policy) -> Verdict:
    """Sends text that gives orders to a model, claims rights or asks for secrets to the quarantine lane."""
    words = everything(proposal)
    if shape := instruction_shape(words, key=proposal.key) or instruction_shape(_around(proposal)):
        return Verdict(
            STAGE,
            "instruction-shaped",
            "Reads like an order to a model ({shape}): a person looks at it first.",
            "review",
            {"shape": shape},
        )
    if hides_text(words) or hides_text(proposal.key):
        return Verdict(
            STAGE, "instruction-shaped", "Holds text that nobody can see: a person looks at it first.", "review"
        )
    if facts.tendency is not None and facts.tendency.orders > 0:
        return Verdict(
            STAGE,
            "instruction-shaped",
            "Means much the same as orders to a model do: a person looks at it first.",
            "review",
        )
    return Verdict(STAGE, "plain", "Does not read like an order to a model.")


AROUND = 200  # characters on each side of a quote that belong to what it says


def _around(proposal: Proposal) -> str:
    """Return the quote as it was said: half an order, cut out of its sentence, still is one."""
    said = proposal.observation_text
    at = said.find(proposal.quote) if proposal.quote else -1
    return said[max(0, at - AROUND) : at + len(proposal.quote) + AROUND] if at >= 0 else ""


def instruction_shape(text: str, *, key: str = "") -> str:
    """What kind of order a text is shaped like, unmasked and decoded; '' if none."""
    if key and _PROTECTED_KEY.search(unmasked(key)):
        return "a protected key"
    return next((name for form in _forms(text) if (name := _shape_of(form))), "")


def _shape_of(form: str) -> str:
    if _CUE.search(form) is None:
        return ""
    return next((name.replace("-", " ") for name, pattern in _SHAPE if pattern.search(form)), "")


def _forms(text: str) -> Iterator[str]:
    """The text as read, with digits for letters, and what is encoded in it."""
    form = unmasked(text)
    yield form
    yield from deleeted(form)
    for hidden in decoded(text):
        yield unmasked(hidden)
