"""Rules for explicit statements in Chinese."""

import re
from collections.abc import Iterator

from governance.candidates.extractors import keys
from governance.candidates.extractors.english.clause import Clause, Rule
from governance.candidates.extractors.english.project import decision
from governance.candidates.extractors.statement import Said

_I = "(?:我们?|咱们?|本人|(?:这位|那位|该)?(?:客人|客户|顾客|乘客|旅客))"
_KIN = f"(?:我的?|咱)?(?P<kin>{keys.COMPANION_WORDS})(?:今年)?(?:\\d+岁了?)?[，,]?(?:她|他)?"
_X = "(?P<x>[^，。！？!?；;,\n\u2003：:]{1,40}?)"
_END = "(?=[，。！？!?；;,\n\u2003]|$|因为|所以|但是?|而且|不过|请|了?$|吧|哦|啊|呢|的时候)"
_ADV = "(?:都|也|一直|一向|平时|通常|比较|更|最|很|特别|非常|真的|还是|其实|就|从来|现在|更加|尤其|超级?|挺|蛮|太|实在|向来|一般|只|个人)*"
_NOT_OBJECT = re.compile(
    "^(?:你|您|他|她|它|这(?!种)|那|什么|哪|的|了|吗|上(?!海)|谁|怎么|听你|知道|一下|看看|这样|这个|那个|它们|他们)"
)
_TAIL = re.compile("(?:的)?(?:了|吧|呢|啊|哦|呀|哈|嘛|啦|哟|的)+$")


def _trim(text: str) -> str:
    return _TAIL.sub("", text.strip(" “”\"'「」"))


def _answer_language(clause: Clause) -> Iterator[Said]:
    value = keys.language(clause["x"])
    yield Said("language", value, f"用户希望用{clause['x']}回答。", lasting=clause.lasts)


def _code(clause: Clause) -> Iterator[Said]:
    value = keys.code_language(clause["x"])
    yield Said("preference.code.language", value, f"用户希望代码示例使用 {value}。", lasting=clause.is_standing)


def _format(clause: Clause) -> Iterator[Said]:
    value = keys.output_format(clause["x"])
    yield Said(
        "preference.output.format",
        value,
        f"用户希望输出为 {value}。",
        lasting=clause.is_standing or bool(clause["state"]) and clause.lasts,
    )


_STYLES = (
    (re.compile("短|简洁|简短|精简|简明|言简意赅|少废话"), "preference.answer.length", "short"),
    (re.compile("详细|具体|长|细致|展开"), "preference.answer.length", "detailed"),
    (re.compile("列表|要点|分点|条目"), "preference.answer.layout", "bullet points"),
    (re.compile("正式|专业|书面"), "preference.answer.tone", "formal"),
    (re.compile("随意|轻松|口语|亲切"), "preference.answer.tone", "informal"),
)


def _style(clause: Clause) -> Iterator[Said]:
    for pattern, key, value in _STYLES:
        if pattern.search(clause["x"]):
            lasting = clause.lasts if clause["state"] else clause.is_standing
            yield Said(key, value, f"用户希望回答{clause['x']}。", lasting=lasting)
            return


def _emoji(clause: Clause) -> Iterator[Said]:
    yield Said("preference.answer.emoji", "none", "用户不希望回答里有表情符号。", lasting=clause.lasts)


_SEAT = re.compile("(靠窗|靠过道|过道|走廊)")
_SEATS = {"靠窗": "window", "靠过道": "aisle", "过道": "aisle", "走廊": "aisle"}


def _dimension(phrase: str) -> tuple[str, str]:
    core = re.sub("^(?:用|使用|说|讲|看|写|以)", "", _trim(phrase))
    core = re.sub("(?:来?(?:回答|回复|示例|写代码|写|代码|格式|输出|的代码|座位|的座位|的位子))$", "", core)
    if (known := keys.dimension(core))[0]:
        return known
    if match := _SEAT.search(phrase):
        return "preference.travel.seat", _SEATS[match[1]]
    return "", ""


def _likes(clause: Clause) -> Iterator[Said]:
    phrase, verb = re.sub("(?:多|更多)?一?[些点]$", "", _trim(clause["x"])), clause["verb"]
    if (
        re.match("[吃喝看听玩坐住用穿读]?的", phrase)
        or not phrase
        or _NOT_OBJECT.match(phrase)
        or phrase.startswith("去")
        and not clause["strong"]
    ):
        return
    likes = not re.search("不|讨厌|恨|受不了|反感|嫌|怕", verb)
    chosen = re.search("偏好|更|最|首选|比较|prefer", clause.match[0])
    key, value = _dimension(phrase) if likes and (chosen or _SEAT.search(phrase)) else ("", "")
    content = f"用户{'喜欢' if likes else '不喜欢'}{phrase}。"
    thing = re.sub(
        "^(?:吃|喝|看|听|玩|住|坐|用|穿|读)(?=.{2})|(?:这|那)(?:[首部个位种类][\u4e00-\u9fff]{0,4})$|[《》]", "", phrase
    )
    part = "" if re.fullmatch("[吃喝看听玩住坐用穿读的]+", thing) else keys.slug(thing)
    if key:
        yield Said(key, value, content, lasting=clause.lasts)
    elif part:
        yield Said(f"preference.taste.{part}", "like" if likes else "dislike", content, lasting=clause.lasts)


def _favourite(clause: Clause) -> Iterator[Said]:
    if re.match("(?:他|她|它|这|那|此|都|也|就|你)", _trim(clause["x"])):
        return
    topic = {"颜色": "color", "语言": "language", "编程语言": "code.language"}.get(clause["t"], keys.slug(clause["t"]))
    value = keys.dimension(_trim(clause["x"]))[1] or _trim(clause["x"])
    yield Said(f"preference.{topic}", value, f"用户最喜欢的{clause['t']}是{_trim(clause['x'])}。")


def _wish(clause: Clause) -> Iterator[Said]:
    phrase = _trim(clause["x"])
    if not clause.is_standing or _NOT_OBJECT.match(phrase):
        return
    key, value = _dimension(phrase)
    if key or (part := keys.slug(phrase)):
        yield Said(key or f"preference.wish.{part}", value or phrase, f"用户希望{phrase}。")


# Not who somebody is but what they are called to do, or nobody's name at all.
_CALLED_TO = re.compile(
    "什么|谁|你|他|她|了|个|一|车|外卖|醒|去|来|起床|起来|吃饭|吃药|喝水|回家|回去|回来|出门|出来|开会|睡觉|上课|上班|下班|加班|干活|交|等|帮|别|不|做"
)


def _name(clause: Clause) -> Iterator[Said]:
    name = re.sub("(?:就(?:行|好|可以|成)|即可|好了|行了|吧|啊|呀|哈)+了?$", "", _trim(clause["x"]))
    if 1 <= len(name) <= 12 and not _CALLED_TO.match(name):
        yield Said("profile.name", name, f"用户的名字是{name}。")


def _home(clause: Clause) -> Iterator[Said]:
    place = re.sub("(?:这边|那边|生活|工作|定居|上班|了)+$", "", _trim(clause["x"]))
    if (
        place
        and not re.match("这|那|哪|酒店|宾馆|几|一|什么|附近|家", place)
        and not re.search("酒店|宾馆|旅馆|民宿|客栈", place)
    ):
        yield Said("profile.home.city", place, f"用户住在{place}。")


def _job(clause: Clause) -> Iterator[Said]:
    yield Said("profile.job.title", clause["x"], f"用户是{clause['x']}。")


# Where somebody works, not for whom: "我在深圳工作".
_PLACE = re.compile(
    "(?:中国|国内|国外|海外|大陆|本地|当地|老家|外地)?(?:北京|上海|广州|深圳|天津|重庆|成都|杭州|武汉|西安|南京|苏州|长沙|郑州|青岛|宁波|无锡|佛山|东莞|合肥|福州|厦门|济南|沈阳|大连|哈尔滨|长春|石家庄|太原|昆明|贵阳|南宁|南昌|海口|三亚|兰州|西宁|银川|呼和浩特|乌鲁木齐|拉萨|温州|泉州|常州|南通|徐州|烟台|珠海|中山|惠州|嘉兴|绍兴|金华|台州|潍坊|洛阳|香港|澳门|台湾|台北|高雄|广东|浙江|江苏|山东|四川|湖北|湖南|河南|河北|福建|安徽|江西|陕西|山西|辽宁|吉林|黑龙江|云南|贵州|广西|海南|甘肃|青海|宁夏|新疆|西藏|内蒙古"
    "|浦东|海淀|朝阳|南山|福田|中关村|望京|陆家嘴|日本|东京|大阪|韩国|首尔|新加坡|美国|纽约|旧金山|硅谷|洛杉矶|西雅图|波士顿|芝加哥|加拿大|多伦多|温哥华|英国|伦敦|德国|柏林|慕尼黑|法国|巴黎|意大利|米兰|西班牙|荷兰|瑞士|瑞典|澳大利亚|澳洲|悉尼|墨尔本|新西兰|泰国|曼谷|马来西亚|吉隆坡|越南|印度|迪拜|欧洲|北美)*"
    "|[\u4e00-\u9fff]{2,8}(?:[省市县区镇乡村州国岛]|路|街|附近|那边|这边)"
)


def _employer(clause: Clause) -> Iterator[Said]:
    if not re.match("家|这|那|哪|外|附近|公司|线上", clause["x"]) and not _PLACE.fullmatch(clause["x"].split("的")[0]):
        yield Said("profile.employer", clause["x"], f"用户在{clause['x']}工作。")


def _timezone(clause: Clause) -> Iterator[Said]:
    yield Said("profile.timezone", clause["x"], f"用户的时区是{clause['x']}。")


def _age(clause: Clause) -> Iterator[Said]:
    yield Said("profile.age", clause["x"], f"用户今年{clause['x']}岁。")


def _trait(clause: Clause) -> Iterator[Said]:
    value = _trim(clause["x"])
    if value and not re.match("什么|多少|谁|哪", value):
        yield Said(f"profile.{_TRAITS[clause['t']]}", value, f"用户的{clause['t']}是{value}。")


_TRAITS = {
    "职业": "job.title", "工作": "job.title", "公司": "employer", "老家": "hometown", "家乡": "hometown", "生日": "birthday", "专业": "major", "爱好": "hobby", "国籍": "nationality",
    "母语": "native_language", "预算": "budget", "身高": "height", "鞋码": "shoe_size", "时区": "timezone", "目标": "goal", "部门": "department", "领导": "manager", "上司": "manager",
}  # fmt: skip


def _someone(clause: Clause) -> tuple[str, str]:
    called = clause.companion
    kin = keys.companion(called)
    return (
        kin,
        f"用户的{'妈妈' if called == '妈' else '爸爸' if called == '爸' else called.removeprefix('我')}"
        if kin
        else "用户",
    )


def _care(group: str, part: str, kin: str) -> str:
    return ".".join(piece for piece in (group, kin, part) if piece)


def _things(text: str) -> Iterator[str]:
    for thing in re.split("[、和跟与及或,，]|还有|以及", text):
        if thing := _trim(thing):
            yield thing


def _allergy(clause: Clause) -> Iterator[Said]:
    kin, who = _someone(clause)
    for thing in _things(clause["x"]):
        if (part := keys.ingredient(thing)) and not re.search("不(?!锈钢)|没(?!药)|从未", thing):
            content, is_meant = f"{who}对{thing}过敏。", keys.is_reacted_to(thing)
            yield Said(_care("allergy", part, kin), True, content, about=kin, always=True, explicit=is_meant)


def _diet_type(clause: Clause) -> Iterator[Said]:
    kin, who = _someone(clause)
    value = "halal" if "清真" in clause["x"] else "vegan" if re.search("全素|纯素", clause["x"]) else "vegetarian"
    yield Said(_care("diet", "type", kin), value, f"{who}{clause['x']}。", about=kin, always=True)


def _avoids(clause: Clause) -> Iterator[Said]:
    kin, who = _someone(clause)
    both = bool(re.search("我们|咱们|俩|都|两个人", clause.match[0]))
    for thing in _things(re.sub("(?:的东西|食物|制品)$", "", clause["x"])):
        part = keys.ingredient(thing)
        if part and not re.match("(?:全|纯)?素(?:食|了)?$|清真|饭|早饭|晚饭|午饭|东西|什么|了|下|完|惯|起|到", thing):
            subject = "用户和同行的人都" if both and not kin else who
            yield Said(_care("diet", part, kin), "avoid", f"{subject}不吃{thing}。", about=kin, always=True)
        if not kin and re.search("不(?:爱|喜欢)吃", clause.match[0]) and (taste := keys.slug(thing)):
            yield Said(
                f"preference.taste.{taste}", "dislike", f"用户不喜欢吃{thing}。"
            )  # also where it was liked before


_NEEDS = (
    (re.compile("轮椅"), "wheelchair"),
    (re.compile("腿|走|行动|拐|爬楼|膝"), "walking"),
    (re.compile("色盲|色弱"), "color_vision"),
    (re.compile("视|盲|失明|读屏|大字|眼"), "vision"),
    (re.compile("听|聋|耳|手语"), "hearing"),
)


def _access(clause: Clause) -> Iterator[Said]:
    kin, who = _someone(clause)
    for pattern, part in _NEEDS:
        if pattern.search(clause["x"]):
            yield Said(_care("accessibility", part, kin), clause["x"], f"{who}{clause['x']}。", about=kin, always=True)
            return


_TECH = f"(?P<x>(?:{keys.DATABASE_WORDS}|{keys.CODE_WORDS})(?![A-Za-z])|[A-Z][A-Za-z.+#]*)\\s*(?:版本)?(?P<v>\\d+(?:\\.\\d+)*)?"
_ENV = f"(?:在|的)?(?P<env>{keys.ENVIRONMENT_WORDS})(?:环境|服务器|库)?(?:上|里|中|下)?(?:的?数据库)?"


def _decides(clause: Clause) -> Iterator[Said]:
    key, value = decision(clause["x"], clause["v"], clause["env"])
    where = f"{clause['env']}环境" if clause["env"] else "项目"
    yield Said(key, value, f"{where}使用 {clause['x']}{' ' + clause['v'] if clause['v'] else ''}。", level="project")


def _replaces(clause: Clause) -> Iterator[Said]:
    """Another one instead: "不要中文要英文"; "不要再用英文回答" names none to replace."""
    if clause["cut"] or any(_dimension(clause["old"])) or keys.database(_trim(clause["old"])):
        yield from _corrects(clause)


def _corrects(clause: Clause) -> Iterator[Said]:
    key, value = _dimension(clause["x"])
    found = keys.database(_trim(clause["x"]))
    if key:
        yield Said(key, value, f"用户更正为{_trim(clause['x'])}。", intent="correct", lasting=clause.lasts)
    elif found:
        yield Said("project.database", found, f"项目使用 {found}。", level="project", intent="correct")


def _forgets(clause: Clause) -> Iterator[Said]:
    key, value = "", ""
    for word in re.findall("[A-Za-z+#]+|[\u4e00-\u9fff]+文|[\u4e00-\u9fff]+语", clause["x"]):
        if found := keys.database(word):
            key, value = "project.database", found
        elif (known := keys.dimension(word))[0]:
            key, value = known
    level = "project" if key.startswith("project.") else "user"
    yield Said(key, value, f"用户要求忘记：{_trim(clause['x'])}。", level=level, intent="retract")


def _notes(clause: Clause) -> Iterator[Said]:
    phrase = _trim(clause["x"])
    if phrase and not re.match("了吗|吗|什么|一下$|你", phrase):
        yield Said(f"note.{keys.slug(phrase)}", phrase, f"用户要求记住：{phrase}。")


def _instructs(clause: Clause) -> Iterator[Said]:
    phrase = _trim(clause["x"])
    if clause.is_standing and phrase and not re.match("再说|再看|再聊|会|可能|有|没|是", phrase):
        words = _trim(clause.sentence if clause.complains else clause.match[0])
        group, kind = ("wish", "semantic") if re.search("我|安排|推荐", words) else ("instruction", "procedural")
        yield Said(f"preference.{group}.{keys.slug(words)}", words, f"用户的长期要求：{words}。", kind=kind)


def _task(clause: Clause) -> Iterator[Said]:
    yield Said("", clause["x"], f"用户要求{clause['x']}。", kind="episodic", lasting=False)


def _event(clause: Clause) -> Iterator[Said]:
    words = re.sub("我们?", "", clause["x"]).strip("，, ")
    yield Said("", words, f"用户{words}。", kind="episodic")


def _rule(pattern: str, build: object) -> Rule:
    return Rule(re.compile(pattern, re.IGNORECASE), build)  # type: ignore[arg-type]


_LANG = f"(?P<x>{keys.LANGUAGE_WORDS})"
_CODE = f"(?P<x>(?<![A-Za-z])(?:{keys.CODE_WORDS})(?![A-Za-z]))"
_FORMAT = f"(?P<x>(?<![A-Za-z])(?:{keys.FORMAT_WORDS})(?![A-Za-z]))"
_WHEN = "(?:昨天|前天|上(?:个)?(?:周|星期|礼拜|月)[一二三四五六日天末]?|去年|前年|今年[一二三四五六七八九十\\d]{1,2}月|[一二两三四五六七八九十\\d]{1,3}(?:天|周|个月|年)前|\\d{4}年(?:\\d{1,2}月)?)"

RULES: tuple[Rule, ...] = (
    _rule(
        f"^(?:不对|不是|错了|说错了|更正|抱歉|不好意思|等等|纠正)[，,。：: ]*(?:一下[，,：: ]*)?(?:我(?:是说|的意思是|想说的?是)|应该是|是|改成|换成|用|要)*{_X}(?:回答|回复)?[。！!]?$",
        _corrects,
    ),
    _rule(f"我(?:是说|的意思是|指的是){_X}{_END}", _corrects),
    _rule(
        f"不(?:是|用|要)(?P<old>[^，,。]{{1,10}}?)(?P<cut>[，,]|而(?=是)|改(?=用))?(?:而?是|要|用|改用){_X}{_END}",
        _replaces,
    ),
    _rule(
        f"(?<![别能会可许敢没])(?<!不要)(?:忘掉|忘记|忘了|别记(?!错|混|得)|不要再?记住?|别再记|删掉|删除)(?:关于)?(?:我(?:说过|之前说)?的?)?{_X}(?:这件事|的事|这一点)?[。！!]?$",
        _forgets,
    ),
    # care
    _rule(f"(?:{_KIN}|{_I})?{_ADV}对{_X}(?:严重|轻度|有点|有些|都|也|会)*过敏", _allergy),
    _rule(f"(?:{_KIN}|{_I}){_ADV}(?:有)?(?P<x>[\u4e00-\u9fff]{{1,4}})过敏", _allergy),
    _rule(f"(?:{_KIN}|{_I}){_ADV}(?P<x>乳糖|麸质|果糖|酒精)不耐受?", _allergy),
    _rule(
        f"(?:{_KIN}|{_I}){_ADV}(?:改|开始|是)?(?P<x>吃(?:全|纯)?素|(?:全|纯)?素食(?:者|主义者)?|只吃清真(?:食品)?|(?:要|需要)清真)",
        _diet_type,
    ),
    _rule(
        f"(?:{_KIN}|{_I}俩?(?:两个人)?|大家|俩人|两个人)[，,]?{_ADV}(?:不(?:能|可以|爱|喜欢)?吃|忌口?|戒了?)(?P<x>[^，。！？!?；;,\n]{{1,16}}?){_END}",
        _avoids,
    ),
    _rule(
        f"(?:{_KIN}|{_I})[^。！？!?；;\n]{{0,14}}?(?P<x>(?:坐|用|需要)轮椅|腿脚不(?:太)?(?:便|好|方便|灵便)|行动不(?:太)?(?:便|方便)|走路(?:不(?:太)?(?:便|方便|稳)|困难|很?慢|吃力)|走不(?:了|动)(?:远路|太远|路|长路)|爬不了楼梯?|不能爬楼梯?|膝盖不好|拄拐杖?|听力(?:不(?:太)?好|障碍|下降)|耳背|戴助听器|视力(?:不(?:太)?好|障碍|很差)|(?:是)?(?:盲人|色盲|色弱|聋人)|需要(?:大字|读屏|无障碍|手语)[\u4e00-\u9fff]{{0,6}})",
        _access,
    ),
    # the project
    _rule(
        f"(?P<env>)(?P<x>{keys.DATABASE_WORDS})(?P<v>)(?:用到|用至|到|至|一直用到)(?=[\\d一二三四五六七八九十])",
        _decides,
    ),
    _rule(
        f"(?:{_ENV}\\s*)(?:我们|项目|团队)?{_ADV}(?:先|统一|继续|暂时|将|会)*(?:用|使用|采用|是|改用|换成|切换?(?:到|成)|迁移?到)的?(?:是)?\\s*{_TECH}",
        _decides,
    ),
    _rule(
        f"(?:我们|项目|团队|咱们|公司|后端|数据库|本项目|这个项目)(?P<env>){_ADV}(?:里|中|已经?|先|统一|继续|决定|将|会|改|还|确定|商定|了)*(?:用|使用|采用|留在|停留在|保持在?|坚持用?|改用|换成|换到|切换?(?:到|成)|迁移?到|转到|转用|升级?到|选用|选择|选)了?的?(?:是)?\\s*{_TECH}",
        _decides,
    ),
    _rule(
        f"(?:^|[，,。；;])\\s*(?P<env>)(?:继续|统一|先|就|还是|决定|都)*(?:留在|停留在|保持在?|坚持用?|继续用|沿用|别升级[，,]?(?:留在|用))\\s*{_TECH}",
        _decides,
    ),
    _rule(
        f"(?:从|自)?[\\d一二三四五六七八九十]+月[\\d一二三四五六七八九十]*[日号]?(?:起|开始|以后|之后)?[，,]?(?:我们|项目)?(?P<env>)(?:用|使用|改用|换成|换到|切到|切换到|迁移到|改成)\\s*{_TECH}",
        _decides,
    ),
    # language, code, format, style
    _rule(
        f"(?:用|使用|说|讲|改用|换成|切换(?:到|成|为)?|以){_LANG}(?:来|跟我|和我|给我|与我)*(?:回答|回复|答复|交流|沟通|聊天?|对话|说话?|讲|解释|写(?=[，。！!；;,\n]|$|吧|给我|回))(?!这|那|下面|一[篇封段首])",
        _answer_language,
    ),
    _rule(
        f"(?:以后|今后|从现在(?:开始|起)|往后|默认|一律|都|请|改|麻烦)(?:请|都|一律|一直)*(?:用|使用|说|讲|改用|换成|切换(?:到|成|为)){_LANG}(?=[，。！!；;,\n]|$|吧|和我|跟我|就)",
        _answer_language,
    ),
    _rule(f"{_I}{_ADV}(?:想要?|希望|喜欢|习惯)(?:你)?(?:用|说|讲|看){_LANG}", _answer_language),
    _rule(
        f"(?:用|使用|给我?|写|提供|改用|换成|以)\\s*{_CODE}\\s*(?:来|的|语言)*(?:写|示例|例子|代码|举例|回答|演示|实现)*",
        _code,
    ),
    _rule(
        f"(?:(?P<state>输出格式(?:是|为|用|要|：|:)?|{_I}{_ADV}(?:要|希望|想要|需要)(?:输出|导出|报告|结果|数据|文件|表格)*(?:用|是|为)?)|(?:输出|导出|保存|生成|给我?|发|用|改成|换成|存)(?:成|为|用|到)?)\\s*{_FORMAT}\\s*(?:格式|文件)?",
        _format,
    ),
    _rule(
        "(?:回答|回复|解释|答案|内容)(?:请|要|得|尽量|都|应该|可以|写得?|再|更)*(?P<x>(?:简短|简洁|精简|短|简明|详细|具体|正式|口语|随意)(?:一?点|一些|些)?)",
        _style,
    ),
    _rule(
        f"(?P<state>{_I}{_ADV}(?:喜欢|希望|想要|要|偏好)){_ADV}(?P<x>简短|简洁|精简|简明|详细|具体|正式)(?:一?点|一些)?的(?:回答|回复|解释|说明)",
        _style,
    ),
    _rule("(?:不要|别|别再|不要再|少)(?:用|发|加)?(?:任何)?(?:表情(?:符号)?|emoji)", _emoji),
    # tastes
    _rule(f"我最(?:喜欢|爱)的(?P<t>[\u4e00-\u9fff]{{1,6}}?)(?:就|一直|还|永远)?是{_X}{_END}", _favourite),
    _rule(f"(?:^|[，,]){_X}(?:就)?是我最(?:喜欢|爱)的(?P<t>[\u4e00-\u9fff]{{1,6}}?){_END}", _favourite),
    _rule(
        f"{_I}{_ADV}(?P<verb>(?:不(?:太|怎么|是很|大)?)?(?:喜欢|爱(?=[吃喝看听玩坐住用穿读打])|偏好|钟爱|热爱|享受)|讨厌|恨(?=[^不])|受不了|反感|偏爱)(?P<strong>)(?:的?是)?{_X}{_END}",
        _likes,
    ),
    # who
    _rule(
        f"(?:我的?(?:名字|全名|大名|英文名|昵称)(?:是|叫)|(?<![帮给替让叫请])我(?:叫(?:做)?(?!的|车|了|下|个|辆|台|一|醒|外卖|你)|姓(?=.))|(?:请|以后|你可以|可以|就)?(?:叫|称呼)我(?:为|做|作)?)\\s*(?P<x>[A-Za-z\u4e00-\u9fff·]{{1,12}}?){_END}",
        _name,
    ),
    _rule(
        f"我(?:们家)?(?:现在|目前|一直|平时|家)?(?:住在?|搬(?:到|去|来)了?|定居(?:在|于)?|常住|长期住在?){_X}{_END}",
        _home,
    ),
    _rule(f"我(?:现在|目前)?在(?P<x>[\u4e00-\u9fffA-Z]{{2,8}}?)(?:生活|定居|居住){_END}", _home),
    _rule(f"我家(?:在|住){_X}{_END}", _home),
    _rule(
        "我(?:是|做|当)(?:一[名个位]|个)?(?P<x>[\u4e00-\u9fff]{0,6}?(?:工程师|程序员|老师|教师|医生|护士|律师|设计师|经理|学生|会计|厨师|作家|记者|司机|研究员|分析师|顾问|教授|警察|军人|演员|歌手|摄影师|翻译|编辑|销售|产品经理|创业者|自由职业者|公务员|退休(?:教师|工人|人员)?))(?=[，。！!；;,\n]|$|，)",
        _job,
    ),
    _rule(f"我(?:现在|目前)?在(?P<x>[\u4e00-\u9fffA-Za-z]{{2,16}}?)(?:公司)?(?:上班|工作|任职|就职){_END}", _employer),
    _rule(
        "我(?:的时区)?(?:是|在)(?P<x>(?:UTC|GMT)\\s?[+-]\\d{1,2}|东[一二三四五六七八九十]+区|西[一二三四五六七八九十]+区|北京时间)",
        _timezone,
    ),
    _rule("我(?:今年|现在)?(?P<x>\\d{1,3})岁", _age),
    _rule(f"我的(?P<t>{'|'.join(_TRAITS)})(?:是|为|在){_X}{_END}", _trait),
    # wishes, instructions, notes, tasks, events
    _rule(f"{_I}{_ADV}(?:想要?|要|需要|希望|只要)(?:你|您|酒店|你们)?{_X}{_END}", _wish),
    _rule(
        f"(?:(?<=^)|(?<=[，,。；;：:请你您 ]))(?:以后|今后|从现在(?:开始|起)|从今往后|往后|每次|每当|永远|一律|默认|总是)(?:请|都|你|您|就|要|得|务必|一定|给我|帮我|把|别|不要|不许)*{_X}{_END}",
        _instructs,
    ),
    _rule(f"(?:别再|不要再|不许再|再也别|再也不要){_X}{_END}", _instructs),
    _rule(
        f"(?:(?:(?<=^)|(?<=[，,。；;：:请我要 ]))记得(?=我|把|要|给|别|以后|每|提醒|在|不|是给)(?<!我记得)|(?<!能)(?:请)?(?:记住(?!的|了)|记下来?|记一下|别忘了|不要忘记|请注意|备注一下))[：:，,]?\\s*{_X}[。！!]?$",
        _notes,
    ),
    _rule(
        "(?P<x>(?:在)?[^，。！？\n]{0,8}(?:之前|以前|前)(?:把|要|得|必须)?[^，。！？\n]{0,4}(?:完成|提交|发给|交|做完|写完|搞定|寄出|付|订好)[^，。！？\n]{0,20})",
        _task,
    ),
    _rule(
        f"(?P<x>{_WHEN}我们?(?:刚|终于|一起)?[^，。！？!?\n]{{0,6}}?(?:去了|去过|买了|搬到?了|开始|毕业|结婚|参加了?|认识了|加入了?|离开了|辞职|换了|看了|养了|领养了|完成了|学了|拿到|获得|生了|升职)[^。！？!?\n]{{0,30}})",
        _event,
    ),
    _rule(
        f"(?P<x>我们?(?:刚|终于|一起)?{_WHEN}[^，。！？!?\n]{{0,6}}?(?:去了|去过|买了|搬到?了|开始|毕业|结婚|参加了?|认识了|加入了?|离开了|辞职|换了|看了|养了|领养了|完成了|学了|拿到|获得|生了|升职)[^。！？!?\n]{{0,30}})",
        _event,
    ),
)
