"""Sensitive spans are found in both languages and every written form, and what is redacted stays redacted."""

import json
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.policies.detectors import DEFAULT_ACTIONS, Span, find, redact, redact_fields, redact_value

# Invented; the check digits are right where the format has one.
CN_ID = "11010519491231002X"
CN_ID_WRONG = "110105194912310021"
CARD = "4111111111111111"


def categories(text: str) -> set[str]:
    return {span.category for span in find(text)}


@pytest.mark.parametrize(
    "text",
    [
        "my key is AKIAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "token ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
        "use sk-proj-abcd1234EFGH5678ijkl9012MNOP for now",
        "xoxb-123456789012-abcdefGHIJKL1234",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLWhlcmU",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
        "postgresql://admin:p@ssw0rd@db.internal:5432/users",
        "Authorization: Bearer abcdef1234567890ABCDEF",
        "My password is swordfish.",
        "the wifi password is Sunshine2024!",
        "password: hunter2",
        "the door code is 4821",
        "密码是 abc12345",
        "数据库密码：Qwer!234",
        "口令为“芝麻开门”",
        "验证码是 482913，别告诉别人",
    ],
)
def test_a_credential_is_found_and_replaced(text):
    redaction = redact(text)

    assert "credential" in redaction.categories
    assert "[credential]" in redaction.text


@pytest.mark.parametrize(
    "text",
    [
        "I forgot my password again.",
        "The password is required.",
        "A password is too short below 8 characters.",
        "password is stored hashed",
        "Please rotate the API key every month.",
        "The secret is love.",
        "The token is expired.",
        "How do I reset my password?",
        "the user prefers dark mode",
        "密码是必填项",
        "密码是8位数字",
        "我忘了密码，怎么找回？",
        "请定期更换密码",
    ],
)
def test_prose_about_passwords_passes(text):
    assert redact(text).text == text


# One way to give a secret away a line: in other words, other languages, in disguise, behind its value or before it.
GIVEN_AWAY = """
Use hunter2xx as the password.
use Tr0ub4dor as my password for the router
Log in with hunter2xx as password
login: bob, password hunter2xx
my password's hunter2xx
My password is hunter2xx
The pwd for the router would be hunter2xx
Mein Passwort lautet hunter2xx
Mein Passwort ist hunter2xx
mon mot de passe est hunter2xx
mi contraseña es hunter2xx
la password è hunter2xx
minha senha é hunter2xx
wachtwoord: hunter2xx
pa$$word: hunter2xx
p.a.s.s.w.o.r.d: hunter2xx
p a s s w o r d: hunter2xx
passw0rd = hunter2xx
ｐａｓｓｗｏｒｄ：hunter2xx
CVV 123
The CVV is 123
cvc: 4521
my PIN is 4821
PIN code 4821
the pin for my card is 4821
OTP 482193
your one-time code is 482193
verification code: 482193
the passcode to the door is 4821#
密码设成hunter2xx
我的密码是hunter2xx
口令是hunter2xx
验证码 482193
验证码是482193
密保答案是小花猫
the answer to my security question is Fluffycat
my security answer: Fluffycat
password hunter2xx
Set the wifi password to hunter2xx
change my password to hunter2xx
the wifi key is hunter2xx
passphrase: correct horse battery staple
my passphrase is correct horse battery staple
hunter2xx is my password
hunter2xx is the password for the wifi
The password? hunter2xx
password -> hunter2xx
password=hunter2xx
pw: hunter2xx
pass: hunter2xx
sign in as bob with hunter2xx
密码：hunter2xx
把密码改成hunter2xx
hunter2xx是我的密码
银行卡密码123456
支付密码是123456
Пароль: hunter2xx
パスワードはhunter2xxです
비밀번호는 hunter2xx
secret: hunter2xx9
my secret key is hunter2xx9
API key hunter2xx9abc
the token is hunter2xx9abc
解锁密码 4821
"""
ONLY_TALKED_OF = """
I forgot my password.
Please reset my password.
Use a password manager as the password store.
The password must be at least 12 characters.
My password is secure.
The password is stored in the vault.
Passwords should be changed yearly.
密码要定期修改
我忘记密码了
密码是必填项
The PIN is printed on the letter.
I wear a pin on my jacket.
The answer to my question is simple.
The CVV is on the back of the card.
Use bcrypt as the password hash.
Log in with Google as an identity provider.
the token is expired
The passphrase is hard to remember
verification code expired
My secret is that I love cheese.
The verification code is sent by SMS
Passwort vergessen
Das Passwort ist abgelaufen
mot de passe oublié
We use Keycloak as password server
验证码没收到
口令是什么
the password policy is strict
pass: 12 of 14 tests
"""


@pytest.mark.parametrize("text", GIVEN_AWAY.strip().splitlines())
def test_however_a_secret_is_given_away_it_is_taken_out(text):
    redaction = redact(text)

    assert "[credential]" in redaction.text
    assert not re.search(r"hunter2|4821|4521|482193|Tr0ub4dor|Fluffycat|小花猫|horse|123", redaction.text)


@pytest.mark.parametrize("text", ONLY_TALKED_OF.strip().splitlines())
def test_what_only_talks_of_secrets_stays(text):
    assert redact(text).text == text


# What is said, and what of it must be gone.
IN_OTHER_WORDS = """
My password is correct horse battery staple. | horse staple
My password is correct horse battery staple and my dog is Rex | horse staple
my password: purple monkey dishwasher | purple dishwasher
The wifi password is correct-horse-battery-staple | horse staple
Set my password to correct horse battery staple | horse staple
I changed my password from oldOne77 to newTwo88. | oldOne77 newTwo88
I changed my password from sunflower to daisyfield. | sunflower daisyfield
Replaced my password oldOne77 with newTwo88 | oldOne77 newTwo88
my PIN was changed from 4821 to 9922 | 4821 9922
密码从abc12345改成def67890 | abc12345 def67890
我的口令是芝麻开门8899。 | 芝麻 8899
我的密碼是 apple7788。 | apple7788
我的密碼是芝麻開門。 | 芝麻 開門
我的银行卡密码一直是六位数 482159。 | 482159
我的密码是四八二一五九 | 四八 五九
密码一般用 qwer7788 | qwer7788
以后登录都用 qwer7788 这个密码。 | qwer7788
把 qwer7788 当密码 | qwer7788
my pasword is hunter2xx | hunter2xx
my passwrod: hunter2xx | hunter2xx
pssword hunter2xx | hunter2xx
My passowrd is swordfish. | swordfish
Мой пароль Koshka12. | Koshka12
Мой пароль — Koшka12. | ka12
Mein Passwort lautet sonnenblume | sonnenblume
Mein WLAN-Passwort ist Sonnenblume. | Sonnenblume
mon mot de passe est tournesol | tournesol
mi contraseña es girasol | girasol
ssh bob@10.0.0.1 with pass rabbit99 | rabbit99
I always log in with bob / S3cretPa55. | S3cretPa55
log in as bob:S3cretPa55 | S3cretPa55
账号是 bob / S3cretPa55 | S3cretPa55
My PIN is four eight two one. | four eight one
my pin is 4 8 2 1 | 4 8
my passcode is double four nine two | double nine
My 🔑 is Gr33nTea9. | Gr33nTea9
🗝️: Gr33nTea9 | Gr33nTea9
the pwd would be sunflower | sunflower
My password might be sunflower. | sunflower
mypassword=hunter2xx | hunter2xx
my passcose is rabbit99 | rabbit99
changed my pin 1122 -> 3344 | 1122 3344
My bank password was MonkeyBars7, now it is TigerTail9 | MonkeyBars7 TigerTail9
Log in using bob and S3cretPa55 | S3cretPa55
My PIN is forty-eight twenty-one | forty eight one
My 🔒 code is 4821 | 4821
the pin's 4821 | 4821
the secret word: swordfish99 | swordfish99
Мой пин-код 4821 | 4821
Das WLAN-Kennwort heißt Sonne123 | Sonne123
"""
STILL_PROSE = """
My password is the same as yours
The password is stored encrypted everywhere
My password is super secret
my password is case sensitive
Password: must contain letters
Forgot password: contact support team
I need the password to unlock secret files
I set my password to expire every month
I moved my password from LastPass to Bitwarden
Change the password length from 8characters to 12characters
I changed my password from weak to strong.
I changed my password to something stronger
I reset my password from time to time
The password is printed under the router bottom
My password manager is Bitwarden.
The password is SHA256 hashed
The password would be nice to have
My 🔑 is lost
密码是登录凭证
我的密码是随机生成的
我的密码是我的生日
他的密码是什么
密码管理器是1Password
用 1Password 这个密码管理器
密码学考试是CS101
密码是在2024年设置的
銀行把密碼改成六位數了
I log in with Google / Apple
sign in with SAML / OAuth2
log in at example.com/reset2
log in on 10.0.0.1:8080
The PIN is one of three
Mein Passwort ist sicher
mi contraseña es segura
Мой пароль слабый
max_tokens: 4096
Connect the LED to pin GPIO17
The magic word is please.
The secret is beauty, safety, loyalty.
my password's length is 12.
My password was weak, now it is strong.
"""


@pytest.mark.parametrize("line", IN_OTHER_WORDS.strip().splitlines())
def test_in_whatever_words_a_secret_is_said_nothing_of_it_stays(line):
    text, gone = line.split(" | ")

    redaction = redact(text)

    assert "[credential]" in redaction.text
    assert [word for word in gone.split() if word in redaction.text] == []


@pytest.mark.parametrize("text", STILL_PROSE.strip().splitlines())
def test_prose_in_the_same_words_stays(text):
    assert redact(text).text == text


@pytest.mark.parametrize(
    "written",
    [
        CN_ID,
        "110105 19491231 002X",
        "110105-19491231-002x",
        "1101 0519 4912 3100 2X",
        "１１０１０５１９４９１２３１００２Ｘ",
        "110105.19491231.002X",
        "1\u200b10105194912310\u200b02X",
    ],
)
def test_a_chinese_id_is_found_in_every_written_form(written):
    redaction = redact(f"身份证号：{written}，请记下")

    assert redaction.text == "身份证号：[national id]，请记下"


ARABIC, DEVANAGARI = (str.maketrans("0123456789", digits) for digits in ("٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९"))


@pytest.mark.parametrize("script", [ARABIC, DEVANAGARI])
@pytest.mark.parametrize(
    ("text", "category"),
    [
        (f"card {CARD}", "card"),
        (f"身份证号：{CN_ID}", "national_id"),
        ("my SSN is 536-90-4399", "national_id"),
        ("my passport number is 533401245", "passport"),
        ("手机 138 1234 5678", "phone"),
        ("IBAN DE89 3704 0044 0532 0130 00", "bank_account"),
        ("my PIN is 4821", "credential"),
    ],
)
def test_digits_of_any_script_are_digits(text, category, script):
    assert category in categories(text.translate(script))


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("我的密碼是 apple7788。", "credential"),
        ("驗證碼是 482913", "credential"),
        ("我的身分證號碼是 A123456789", "national_id"),
        ("護照號碼 E12345678", "passport"),
        ("銀行帳號 6222 0212 3456 789", "bank_account"),
        ("我對花生過敏", "allergy"),
        ("醫生說我患有糖尿病", "health"),
    ],
)
def test_key_words_in_traditional_characters_are_key_words(text, category):
    assert category in categories(text)


def test_a_chinese_id_with_a_wrong_check_digit_needs_a_word_for_it():
    assert "national_id" in categories(f"我的身份证号码是{CN_ID_WRONG}")
    assert "national_id" not in categories(f"流水 {CN_ID_WRONG} 已完成")


def test_a_chinese_id_alone_needs_the_right_check_digit():
    assert "national_id" in categories(f"用户 {CN_ID}")
    assert "national_id" not in categories(CN_ID_WRONG)


@pytest.mark.parametrize(
    "text",
    [
        "my SSN is 536-90-4399",
        "social security number 536904399",
        "536-90-4399",
        "NINO: AB123456C",
        "CPF 529.982.247-25",
    ],
)
def test_other_national_ids_are_found(text):
    assert "national_id" in categories(text)


@pytest.mark.parametrize("text", ["call 536-904-3990", "order 536904399", "build 1234-56-7890 is out"])
def test_other_numbers_are_no_national_id(text):
    assert "national_id" not in categories(text)


@pytest.mark.parametrize(
    "text",
    [
        "4111 1111 1111 1111",
        "my card is 4111-1111-1111-1111 exp 12/29",
        "银行卡号４１１１１１１１１１１１１１１１",
        f"卡号 {CARD}",
        CARD,
    ],
)
def test_a_card_is_found(text):
    assert "[card]" in redact(text).text


@pytest.mark.parametrize("sign", [",", "/", "_", "|", "+", ")(", ":", "*", " / ", "·"])
def test_whatever_sign_stands_between_its_groups_it_is_a_card(sign):
    assert redact(f"pay with {sign.join(('4111', '1111', '1111', '1111'))}, thanks").text == "pay with [card], thanks"


@pytest.mark.parametrize(
    "text",
    [
        "card 4111, 1111, 1111, 1111",
        "卡号 4111、1111、1111、1111",
        "my card: 41/11/11/11/11/11/11/11",
        "my amex is 3782_822463_10005",
        "2024, 4111,1111,1111,1111, 12/29",
        "card 4111(1111)1111(1111)",
    ],
)
def test_a_card_among_other_digits_and_signs_is_found(text):
    assert "[card]" in redact(text).text
    assert "1111" not in redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        "meals of 4000, 4100, 4200, 4304 kcal",
        "the budget of the card game is 4,111,111,111,111,111 yuan",
        "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14",
        "card limits of 2024-11-30 12:45:33",
    ],
)
def test_a_list_an_amount_or_a_time_is_no_card(text):
    assert "card" not in categories(text)


@pytest.mark.parametrize(
    "text",
    [
        "passport C01X 00T47",
        "my passport number is 5 6 3 2 1 0 9 8 7",
        "Passport: E-1234-5678.",
        "护照号是 E 1234 5678",
        "passport no. 563 210 987 is mine",
    ],
)
def test_a_passport_in_parts_is_found_whole(text):
    redaction = redact(text)

    assert redaction.categories == {"passport"}
    assert not re.search(r"\d", redaction.text)


@pytest.mark.parametrize(
    "text",
    [
        "F12345678",
        "AB123456",
        "order E12345678 has shipped",
        "My passport is valid until 12 03 2027.",
        "my passport runs 2019-2029",
        "passport renewed 2020-10-11",
        "The passport office is 563 210 987",
    ],
)
def test_a_serial_a_date_or_an_office_is_no_passport(text):
    assert "passport" not in categories(text)


@pytest.mark.parametrize(
    "text", ["order 4111111111111112", "订单号 4111111111111111", "the year 2024 and 1234567890123"]
)
def test_a_number_that_is_no_card_stays(text):
    assert "card" not in categories(text)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("call me at +44 20 7946 0958", "phone"),
        ("手机 138 1234 5678", "phone"),
        ("电话：＋８６１３８１２３４５６７８", "phone"),
        ("电话是一三八一二三四五六七八", "phone"),
        ("010-58168888", "phone"),
        ("write to a.b+c@example.co.uk", "email"),
        ("I live at 42 Birch Street in Portland", "address"),
        ("我住在杭州市西湖区文三路826号3单元501室", "address"),
        ("护照号 E12345678", "passport"),
        ("my passport number is 533401245", "passport"),
        ("IBAN DE89 3704 0044 0532 0130 00", "bank_account"),
        ("I was born on 4 May 1980", "birth_date"),
        ("Date of Birth (dd/mm/yyyy): 03/05/1984", "birth_date"),
        ("the box is 203.0.113.7", "ip_address"),
        ("my salary is $85,000", "finance"),
        ("我年薪56万元", "finance"),
    ],
)
def test_personal_details_are_found(text, category):
    assert category in categories(text)


@pytest.mark.parametrize("text", ["Order 0412345678 has shipped", "订单号 13812345678", "version 10.0.0.1"])
def test_an_order_or_version_is_no_contact(text):
    assert not categories(text) & {"phone", "ip_address"}


@pytest.mark.parametrize(
    "text",
    [
        "I was diagnosed with diabetes last year.",
        "My wife has breast cancer.",
        "I'm taking antidepressants.",
        "I have an appointment with my cardiologist on Monday.",
        "我上周确诊了糖尿病。",
        "妈妈在吃降压药。",
        "他昨天去医院看医生了。",
    ],
)
def test_diagnosis_treatment_and_visits_lose_their_words(text):
    redaction = redact(text)

    assert redaction.categories == {"health"}
    assert "[health]" in redaction.text
    assert not any(
        word in redaction.text
        for word in ("diabetes", "cancer", "antidepressants", "cardiologist", "糖尿病", "降压药", "医生")
    )


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I'm allergic to peanuts.", "allergy"),
        ("我对花生过敏", "allergy"),
        ("我对阿司匹林过敏。", "allergy"),
        ("我青霉素过敏", "allergy"),
        ("我女儿对阿莫西林、布洛芬严重过敏", "allergy"),
        ("我的过敏药物是阿司匹林", "allergy"),
        ("我不能用青霉素，会过敏", "allergy"),
        ("打胰岛素会过敏", "allergy"),
        ("I can't take aspirin, I'm allergic.", "allergy"),
        ("I use a wheelchair", "accessibility"),
        ("妈妈腿脚不便", "accessibility"),
        ("I'm vegetarian", "diet"),
        ("我们都不吃牛肉", "diet"),
    ],
)
def test_care_is_found_and_never_masked(text, category):
    redaction = redact(text, dict.fromkeys(DEFAULT_ACTIONS, "reject"))

    assert category in categories(text)
    assert redaction.text == text


@pytest.mark.parametrize("name", ["阿司匹林", "青霉素", "布洛芬", "阿莫西林", "胰岛素", "aspirin", "insulin"])
def test_what_an_allergy_is_to_stays_wherever_it_stands(name):
    fields = {"value": name, "content": f"用户对{name}过敏。"}

    clean, masked = redact_fields(fields, names={"value": "allergy.drug"})

    assert clean == fields
    assert masked == ()


@pytest.mark.parametrize(
    "text",
    [
        "我在吃阿司匹林，对花生过敏",
        "我吃降压药但对花生过敏",
        "我有糖尿病对花生过敏",
        "每天一片阿司匹林",
        "医生开了阿莫西林",
    ],
)
def test_what_somebody_takes_or_has_is_masked_beside_an_allergy(text):
    assert "[health]" in redact(text).text


def test_positions_refer_to_the_original_text():
    text = "卡号：４１１１ １１１１ １１１１ １１１１ 谢谢"
    span = next(span for span in find(text) if span.category == "card")

    assert span == Span(3, 22, "card", "card")
    assert redact(text).text == "卡号：[card] 谢谢"


def test_overlapping_spans_become_one_of_the_heavier_category():
    text = "ftp://bob:me@example.com@host/x"

    redaction = redact(text, {**DEFAULT_ACTIONS, "email": "reject"})

    assert redaction.text == "ftp://bob:[credential]@host/x" or redaction.text == "ftp://bob:[credential]/x"
    assert [span.category for span in redaction.spans] == ["credential"]


def test_the_policy_says_what_is_replaced():
    text = f"card {CARD}, mail a@example.com"

    assert redact(text, {"card": "allow", "email": "reject"}).text == f"card {CARD}, mail [email]"
    assert redact(text, dict.fromkeys(DEFAULT_ACTIONS, "allow")).text == text


def test_json_is_walked_keys_numbers_and_all():
    value = {"card": int(CARD), "note": ["ok", f"id {CN_ID}"], "password": "hunter2", CARD: True, "n": 3, "x": None}

    clean, masked = redact_value(value)

    assert clean == {
        "card": "[card]",
        "note": ["ok", "id [national id]"],
        "password": "[credential]",
        "[card]": True,
        "n": 3,
        "x": None,
    }
    assert {mask.category for mask in masked} == {"card", "national_id", "credential"}


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet="0123456789X -.:身份证密码是passwordkeyAKIA@[]card\u200b", max_size=120))
def test_redacting_twice_changes_nothing(text):
    once = redact(text).text

    assert redact(once).text == once


@settings(deadline=None, max_examples=60)
@given(st.recursive(st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(), st.lists))
def test_any_json_survives(value):
    clean, _ = redact_value(value)

    assert json.dumps(clean)


@pytest.mark.parametrize(
    "text",
    [
        "card number " + " ".join("zero one two three four five six seven eight nine".split()[int(d)] for d in CARD),
        f"card {CARD[:8]}\n{CARD[8:]}",
        f"身份证号 {CN_ID[:6]}\n{CN_ID[6:]}",
        "银行卡密码 483127",
        "验证码 993812 请查收",
        "{'user': 'x', 'pass': 'Xq9zzhunter2'}",
    ],
)
def test_a_written_form_does_not_hide_it(text):
    assert redact(text).spans
    assert not {CARD[8:], CN_ID[6:], "483127", "993812", "hunter2", "one one"} & {
        part for part in (CARD[8:], CN_ID[6:], "483127", "993812", "hunter2", "one one") if part in redact(text).text
    }


@pytest.mark.parametrize("text", ["验证码 6位数字", "密码8位", "Boarding pass: gate 4", "one, two, three, four, five"])
def test_counting_and_prose_hide_nothing(text):
    assert redact(text).text == text


def test_what_one_field_gives_away_is_masked_in_all():
    fields = {
        "content": "Lin's is Xq9zzhunter2, as ever",
        "key": "wifiPassword",
        "value": "Xq9zzhunter2",
        "tags": ["Xq9zzhunter2"],
    }

    clean, masks = redact_fields(fields, names={"value": "wifiPassword"})

    assert "hunter2" not in json.dumps(clean)
    assert clean["content"] == "Lin's is [credential], as ever"
    assert "hunter2" not in repr(masks)


@pytest.mark.parametrize(
    "part",
    [
        "12",
        "1-",
        "a.b",
        "$1,",
        "cookie: a=b; ",
        "curl -u ",
        "1 2 ",
        "one two ",
        "A",
        " ",
        "my password is ",
        "密码从",
        "login a:",
        "passport a-",
        "4111,",
    ],
)
def test_no_text_of_allowed_length_takes_long(part):
    text = (part * 20_000)[:20_000]
    start = time.process_time()

    redact(text)

    assert time.process_time() - start < 5  # seconds of work, whatever else runs; the slowest took minutes


@pytest.mark.parametrize(
    "text",
    ["I take a lot of medicine for my heart.", "I am recovering from heart failure.", "She recovers from a car crash."],
)
def test_what_heals_stays_health(text):
    assert "health" in {span.category for span in find(text)}


@pytest.mark.parametrize("text", ["I studied medicine.", "A day off to recover from an intense work period."])
def test_a_field_of_study_and_rest_after_work_are_no_health(text):
    assert "health" not in {span.category for span in find(text)}


@pytest.mark.parametrize("text", ["security answer: !!", "secret answer:    ", "my security answer is ?"])
def test_an_answer_that_is_none_harms_nothing(text):
    assert redact(text).text == text
