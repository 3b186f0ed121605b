import pytest
from cryptography.exceptions import InvalidTag
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from governance.ledger import master, sealing
from governance.ledger.models import Content, ContentKey

pytestmark = pytest.mark.django_db(databases=["default", "keyring"])


def sealed(**words: object) -> sealing.Sealed:
    made = sealing.seal(words, tenant="ten_a", scope="scope_a", subject="sub_a")
    made.row().save()
    return made


def test_what_is_sealed_opens_again():
    made = sealed(content="喜欢喝茶 ☕", value={"drink": ["tea", 1]})

    words = sealing.unseal([made.id])[made.id]

    assert words["content"] == "喜欢喝茶 ☕"
    assert words["value"] == {"drink": ["tea", 1]}


def test_the_stored_bytes_do_not_hold_the_words():
    made = sealed(content="sentinel-zebra")

    row = Content.objects.get(pk=made.id)

    assert b"sentinel-zebra" not in bytes(row.ct)


def test_without_its_key_a_content_is_erased_and_its_hmacs_are_blank():
    made = sealed(content="gone")
    ContentKey.objects.filter(kid=made.kid).delete()

    words = sealing.unseal([made.id])[made.id]

    assert words.erased
    assert dict(words) == {}
    assert words.mac("anything") == b""


def test_words_moved_to_another_row_do_not_open():
    one, other = sealed(content="one"), sealed(content="other")
    row = Content.objects.get(pk=one.id)
    forged = Content(id="ct_forged", tenant=row.tenant, kid=other.kid, nonce=bytes(row.nonce), ct=bytes(row.ct))
    forged.save()

    with pytest.raises(InvalidTag):
        sealing.unseal(["ct_forged"])


def test_an_hmac_is_equal_for_equal_texts_of_one_scope_alone():
    assert sealing.mac("scope_a", "x") == sealing.mac("scope_a", "x")
    assert sealing.mac("scope_a", "x") != sealing.mac("scope_b", "x")
    assert sealing.mac("scope_a", "x") != sealing.mac("scope_a", "y")


def test_query_texts_of_one_person_and_day_share_a_key():
    one = sealing.seal_shared({"query": "a"}, tenant="t", scope="s", subject="p", period="2026-08-20")
    two = sealing.seal_shared({"query": "b"}, tenant="t", scope="s", subject="p", period="2026-08-20")
    next_day = sealing.seal_shared({"query": "b"}, tenant="t", scope="s", subject="p", period="2026-08-21")

    assert one.kid == two.kid
    assert next_day.kid != one.kid


def test_opening_many_contents_takes_a_fixed_number_of_queries(django_assert_max_num_queries):
    made = [sealed(content=str(n)).id for n in range(30)]

    with django_assert_max_num_queries(3):
        sealing.unseal(made)


def test_data_without_its_master_key_refuses_to_start(tmp_path):
    data, keys = tmp_path / "data", tmp_path / "keys"
    data.mkdir()
    (data / "keyring.sqlite3").write_bytes(b"something")

    with pytest.raises(ImproperlyConfigured, match="master key"):
        master.load(keys, data)

    assert not keys.exists()


def test_a_damaged_master_key_is_refused(tmp_path):
    keys = tmp_path / "keys"
    keys.mkdir()
    (keys / "master.key").write_bytes(b"short")

    with pytest.raises(ImproperlyConfigured, match="damaged"):
        master.load(keys, tmp_path)


def test_the_master_key_is_readable_by_its_owner_alone(tmp_path):
    master.load(tmp_path / "keys", tmp_path)

    assert (tmp_path / "keys" / "master.key").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o700


def test_the_secret_key_tells_nothing_of_the_master_key():
    assert settings.MASTER_KEY.hex() not in settings.SECRET_KEY
