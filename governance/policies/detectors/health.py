"""Words about a person's health, and about the care that serving them takes.

Diagnosis, treatment and visits are *health*. Allergies, accessibility and dietary needs are *care*: they govern
how somebody is served, are kept, and are never masked; where both readings meet, care wins.
"""

import re
from collections.abc import Iterator

from governance.policies.detectors.spans import Folded, Span

_CONDITIONS = (
    r"diabet(?:es|ic)|cancer|tumou?rs?|leuk(?:a)?emia|lymphoma|melanoma|carcinoma|hypertension|high blood pressure|asthma|arthritis|epilep(?:sy|tic)"
    r"|depress(?:ion|ed)(?= |\W|$)|anxiety disorder|panic (?:disorder|attacks?)|bipolar|schizophreni[ac]|ptsd|ocd|adhd|autis(?:m|tic)|anorexia|bulimia"
    r"|hiv|aids(?= |\W|$)|hepatitis|tuberculosis|pneumonia|bronchitis|covid(?:-19)?|influenza|malaria|stroke|heart (?:attack|disease|failure|condition)|arrhythmia"
    r"|angina|migraines?|dementia|alzheimer'?s|parkinson'?s|multiple sclerosis|lupus|fibromyalgia|endometriosis|pcos|infertility|miscarriage|ulcers?|ibs|crohn'?s"
    r"|colitis|gastritis|kidney (?:disease|failure|stones?)|cirrhosis|anemia|anaemia|osteoporosis|gout|psoriasis|eczema|shingles|herpes|syphilis|gonorrhea|chlamydia"
    r"|thyroid(?:itis)?|hypothyroidism|obesity|insomnia|sleep apnea|scoliosis|sciatica|hernia|concussion|fracture|sepsis|copd|emphysema|glaucoma|cataracts?|vertigo"
    r"|addiction|alcoholi(?:sm|c)|overdose|suicid(?:e|al)|self-harm|chronic (?:pain|fatigue|illness|disease|condition)|mental (?:illness|health (?:issue|condition|problem)s?)"
)
_TREATMENTS = (
    r"chemo(?:therapy)?|radiotherapy|radiation therapy|dialysis|surgery|transplant|biopsy|mri|ct scan|x-ray|ultrasound|colonoscopy|endoscopy|mammogram|blood (?:test|work)"
    r"|antidepressants?|antibiotics|insulin|metformin|statins?|ibuprofen|paracetamol|aspirin|penicillin|amoxicillin|warfarin|prozac|zoloft|xanax|ritalin|adderall|lithium"
    r"|prednisone|steroids|methadone|naloxone|medications?|(?<!emergency )(?<!sports )(?<!internal )(?<!studied )(?<!study )(?<!studying )(?<!school of )(?<!degree in )medicines?|meds|pills|painkillers?|prescription|physical therapy|physiotherapy|psychotherapy|rehab|ivf|abortion|vaccin\w+"
)
_DOCTORS = (
    r"doctor|physician|gp|specialist|cardiologist|oncologist|psychiatrist|psychologist|therapist|dermatologist|neurologist|gyn(?:a)?ecologist|urologist|surgeon|dentist"
    r"|pediatrician|paediatrician|hospital|clinic|emergency room|\ber\b|icu|ward|midwife|orthopedist|endocrinologist|physio(?:therapist)?"
)
_PERSON = r"(?:i|i'm|i've|my|me|we|he|she|his|her|they|their|wife|husband|mother|father|mom|dad|mum|son|daughter|guest|client|patient|mr|mrs|ms|dr)"
_TAIL = r"[^.!?;,\n\ufffc]{0,80}"
_HEALTH_EN = (
    (
        "diagnosis",
        rf"\b(?:diagnos(?:ed|is|es|tic)|prognosis|tested positive|(?:suffer(?:s|ed|ing)?|recover(?:s|ed|ing)?) from(?! (?:an? |the |my |our )?(?:long |busy |hard |intense |hectic )?(?:work|trip|travel\w*|flight|jet ?lag|shift|sprint|week|exams?|launch|deadline|outage)\b)|symptoms?(?: of| include)?|relapse\w*|in remission|got sick with|came down with)\b{_TAIL}",
    ),
    (
        "condition",
        rf"(?:\b{_PERSON}\b[^.!?;\n\ufffc]{{0,50}}?\s|\b(?:have|has|had|having|with|got|from)\s(?:\w+\s){{0,4}}?)(?P<span>(?:\w+[ -]){{0,2}}\b(?:{_CONDITIONS})\b)",
    ),
    (
        "treatment",
        rf"(?:\b{_PERSON}\b[^.!?;\n\ufffc]{{0,40}}?\s|\b(?:taking|takes|took|prescribed|on|underwent|undergoing|started|stopped|needs|needed|scheduled)\s(?:\w+\s){{0,3}}?)(?P<span>(?:\w+[ -]){{0,2}}\b(?:{_TREATMENTS})\b(?: for {_TAIL})?)",
    ),
    (
        "treatment",
        rf"\b(?:prescri(?:bed|bes|ption)|being treated (?:for|with)|treatment (?:for|with)|dosage of|\d+\s?mg\b|hospitali[sz]ed|admitted to (?:the )?hospital|discharged from|underwent|operated on)\b{_TAIL}",
    ),
    (
        "visit",
        rf"\b(?:{_PERSON}\b[^.!?;\n\ufffc]{{0,40}}?)\b(?P<span>(?:appointment|check-?up|visit(?:s|ed|ing)?|session|follow-?up|consult\w*|saw|seeing|see|went to|go to|going to|call(?:ed)?|referred to|treated by)\s(?:\w+\s){{0,3}}?(?:{_DOCTORS})\b{_TAIL})",
    ),
    (
        "visit",
        rf"\b(?P<span>(?:{_DOCTORS})(?:'s)? (?:appointment|visit|check-?up)|medical (?:history|record|condition|report|leave|procedure)s?|blood type)\b{_TAIL}",
    ),
    (
        "pregnancy",
        r"\b(?:i|i'm|she|she's|wife|daughter|sister)\b[^.!?;\n]{0,20}?\b(?P<span>pregnan(?:t|cy)(?:[^.!?;,\n\ufffc]{0,40}))",
    ),
)
_CONDITIONS_ZH = (
    "糖尿病|癌症?|肿瘤|白血病|高血压|低血压|高血脂|高血糖|心脏病|冠心病|心肌梗[死塞]|心绞痛|心律不齐|中风|脑梗|脑出血|哮喘|肺炎|肺结核|肝炎|乙肝|肝硬化|肾炎|肾结石|肾衰竭|尿毒症|胃炎|胃溃疡|肠炎"
    "|关节炎|风湿|痛风|骨质疏松|腰椎间盘突出|颈椎病|骨折|癫痫|抑郁症?|焦虑症|双相情感障碍|精神分裂症?|强迫症|自闭症|多动症|失眠症?|老年痴呆|阿尔茨海默|帕金森|艾滋病?|梅毒|淋病|性病|新冠|流感|甲亢|甲减|甲状腺\\w{0,3}"
    "|贫血|红斑狼疮|湿疹|银屑病|牛皮癣|肥胖症|偏头痛|白内障|青光眼|不孕不育|流产|宫颈\\w{0,3}|子宫肌瘤|乳腺\\w{0,3}|前列腺\\w{0,3}|慢性病|传染病|炎症|感染|疾病|综合征|障碍症"
)
_MEDICINES_ZH = "阿司匹林|布洛芬|青霉素|二甲双胍|胰岛素|阿莫西林|抗生素|降压药|安眠药"
_CLAUSE_ZH = r"[^。！？!?；;，,\n\ufffc]"
_HEALTH_ZH = (
    (
        "symptoms",
        rf"(?:出现|伴有|有|因)?(?:[\u4e00-\u9fff]{{2,8}}[、和及与,])*(?:不明)?[\u4e00-\u9fff]{{2,8}}(?:等|的)?症状{_CLAUSE_ZH}{{0,16}}|(?:感到|觉得|出现|一直|老是|经常|持续|总是){_CLAUSE_ZH}{{0,4}}(?:咳嗽|胸闷|胸痛|头晕|头痛|头疼|发烧|发热|恶心|呕吐|腹泻|腹痛|呼吸困难|心悸|疲劳|乏力|口渴|便血|肿块|麻木)",
    ),
    (
        "diagnosis",
        rf"(?:被?(?:确诊|诊断)|患有|患上|患了|罹患|(?<![获取值赢懂舍觉记认])得了(?={_CLAUSE_ZH}{{0,6}}(?:病|炎|癌|症|瘤|感冒|新冠|流感))|(?<!查)查出(?:有|患|了|得)|病史|症状(?:包括|有|为|是|:|表现)|病情|病历|检查出|并发症|后遗症|复发){_CLAUSE_ZH}{{0,30}}",
    ),
    (
        "condition",
        rf"(?:我|他|她|妈|爸|母亲|父亲|老婆|妻子|先生|丈夫|孩子|女儿|儿子|奶奶|爷爷|外婆|外公|客人|患者|病人|有|是){_CLAUSE_ZH}{{0,12}}?(?P<span>(?:{_CONDITIONS_ZH}))",
    ),
    (
        "treatment",
        rf"(?:服用|吃药|用药|开了?药|打针|输液|化疗|放疗|透析|手术|开刀|住院|出院|治疗|处方|疗程|康复训练|打胰岛素|注射|针灸|理疗|做了?(?:核磁|B超|CT|胃镜|肠镜|活检)){_CLAUSE_ZH}{{0,24}}",
    ),
    (
        "treatment",  # a medicine somebody takes; its bare name, such as what an allergy is to, says nothing of a person
        rf"(?:我|他|她|妈|爸|母亲|父亲|老婆|妻子|先生|丈夫|孩子|女儿|儿子|奶奶|爷爷|外婆|外公|客人|患者|病人|[吃服用打开喝换停加]|每[天日周晚早]|[\d一二两三半][片粒颗支针]){_CLAUSE_ZH}{{0,12}}?(?P<span>(?:{_MEDICINES_ZH})(?:(?!但|对|[而并]且|[也还]在){_CLAUSE_ZH}){{0,24}})",
    ),
    (
        "visit",
        rf"(?:(?:看|约了?|去看|陪\w{{1,3}}看)(?:了)?(?:心理|牙|中|专科|主治|家庭)?医生|挂(?:了)?(?:个)?(?:号|专家号)|就诊|复诊|门诊|急诊|体检报告|主治医[生师]|心理咨询|去(?:了)?医院|在{_CLAUSE_ZH}{{0,8}}医院(?:看病|检查|治疗|住院|做)){_CLAUSE_ZH}{{0,24}}",
    ),
    ("pregnancy", rf"怀孕{_CLAUSE_ZH}{{0,12}}|预产期{_CLAUSE_ZH}{{0,12}}|产检{_CLAUSE_ZH}{{0,8}}"),
)
_HEALTH_ENGLISH = tuple((name, re.compile(pattern)) for name, pattern in _HEALTH_EN)
_HEALTH_CHINESE = tuple((name, re.compile(pattern)) for name, pattern in _HEALTH_ZH)
_CJK = re.compile("[\u4e00-\u9fff]")
_HEALTH_CUE = re.compile(
    rf"\b(?:{_CONDITIONS}|{_TREATMENTS}|{_DOCTORS}|diagnos|prognos|tested positive|suffer|recover|symptom|relapse|remission|(?:got|with) sick"
    r"|came down|prescri|treat|dosage|\d+ ?mg|hospital|discharged|underwent|operated|medical|blood type|pregnan)"
)
_CARE = (
    (
        "allergy",
        re.compile(
            rf"\ballerg(?:y|ies|ic)\b(?: to{_TAIL})?|\banaphyla\w+|\bepi-?pen\b|\b\w+[- ](?:intolerant|intolerance)\b"
            rf"|\ballerg(?:y|ies)\b(?: \w+){{0,3}}:{_TAIL}|\b(?:can't|cannot|can not|don't|do not) (?:take|have|eat|use){_TAIL}, (?:(?:because|as|since) )?(?:i'm|i am) (?:\w+ )?allergic"
            rf"|对{_CLAUSE_ZH}{{1,30}}?(?:过敏|不耐受)|不(?:能|可以)?[用吃打碰喝]{_CLAUSE_ZH}{{1,20}}[，,](?:我|他|她|都|也|就|会|容易|要|一吃|一用)*过敏"
            rf"|过敏(?:药物?|原|源|史|的(?:药物?|东西)?)(?:是|为|:|包括){_CLAUSE_ZH}{{1,30}}|过敏|不耐受"
        ),
    ),
    (
        "accessibility",
        re.compile(
            r"\bwheelchairs?\b|\bscreen[- ]readers?\b|\bvoiceover\b|\b(?:visually|hearing|mobility)[- ]impaired\b|\b(?:colou?r[- ]?)?blind(?:ness)?\b|\bdeaf\b|\bhard of hearing\b|\bhearing aids?\b"
            r"|\bwalk(?:s|ing)?\s(?:\w+\s){0,2}(?:badly|poorly|slowly|with (?:a )?(?:cane|stick|walker|difficulty))|\b(?:trouble|difficulty|problems?) (?:walking|seeing|hearing|climbing)"
            r"|\b(?:can't|cannot|can not|unable to) (?:walk|climb|hear|see|stand)\b|\bstep[- ]free\b|\blarge print\b|\bdyslexi[ac]\b|\bbraille\b|\bcrutches\b|\bsign language\b|\bguide dog\b"
            r"|轮椅|无障碍|腿脚不(?:便|好|方便|灵)|行动不便|走路(?:不便|困难|不稳|慢)|走不(?:了|动)|拐杖|听力(?:不好|障碍|下降)|助听器|视力(?:不好|障碍|差)|失明|盲人|色盲|色弱|耳背|聋|爬不了楼|不能爬楼|读屏|大字"
        ),
    ),
    (
        "diet",
        re.compile(
            r"\b(?:vegetarians?|vegans?|pescatarians?|halal|kosher|gluten[- ]free|dairy[- ]free|nut[- ]free|sugar[- ]free diet|low[- ](?:salt|sodium|carb|sugar)|keto(?:genic)?|celiac|coeliac)\b"
            r"|\b(?:do not|don't|doesn't|does not|can't|cannot|never) (?:eat|drink)\s(?!it\b|that\b|this\b)\w+|吃素|素食|全素|蛋奶素|清真|忌口|忌(?:辛辣|海鲜|生冷)|不(?:能)?吃[\u4e00-\u9fff]{1,4}|不喝酒|无麸质|低盐|低糖|低脂|生酮|戒糖"
        ),
    ),
)


def find_health(folded: Folded) -> Iterator[Span]:
    """Clauses about diagnosis, treatment and visits, and the words of care; a health span that holds care is dropped."""
    care = [
        folded.span(*match.span(), category, "care")
        for category, pattern in _CARE
        for match in pattern.finditer(folded.lower)
    ]
    yield from care
    english = _HEALTH_ENGLISH if _HEALTH_CUE.search(folded.lower) else ()
    chinese = _HEALTH_CHINESE if _CJK.search(folded.text) else ()
    for name, pattern in (*english, *chinese):
        for match in pattern.finditer(folded.lower):
            start, end = match.span("span") if "span" in pattern.groupindex else match.span()
            span = folded.span(start, end, "health", name)
            if not any(span.start < other.end and other.start < span.end for other in care):
                yield span
