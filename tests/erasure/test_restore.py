"""The drill: create, back up, erase, put back; what was erased is gone again before anybody is served."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from governance.erasure import restore as restoring
from governance.erasure.backup import back_up_database, back_up_keyring
from governance.erasure.execute import run
from governance.erasure.models import ErasureJournal
from governance.erasure.restore import refuse_in_quarantine, restore
from governance.erasure.rules import Selector
from governance.errors import Invalid, WrongState
from governance.index.models import Entry
from governance.ledger import quarantine, sealing, triggers
from governance.ledger.actions import sign_heads
from governance.ledger.models import Content, ContentKey, Event, NamedKey, PastHead, SignedHead
from governance.ledger.rebuild import rebuild
from governance.ledger.verify import verify
from governance.memories.models import Memory
from governance.retrieval.actions import recall
from governance.retrieval.answers import Question
from governance.scopes.queries import find_subject
from tests.erasure.test_run import Wish, approved, lived
from tests.factories import a_memory, indexed

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "keyring"])


@pytest.fixture
def copies(agent, tmp_path) -> tuple[Memory, Path, Path]:
    """A memory of Ann's, and backups of database and keyring from before she is forgotten."""
    memory = lived(agent)
    return memory, back_up_database(tmp_path / "backups"), back_up_keyring(tmp_path / "keys")


def forgotten(cora, carl) -> None:
    assert run(approved(Wish(Selector(user="ann")), cora, carl)).status == "complete"
    sign_heads()


def another_machine(settings, tmp_path) -> Path:
    """Empty the keyring and return the journal's copy: as on a machine that has nothing but the backups."""
    kept = tmp_path / "copied-journal.jsonl"
    kept.write_bytes(Path(settings.JOURNAL_FILE).read_bytes())
    settings.JOURNAL_FILE = tmp_path / "new-machine" / "journal.jsonl"
    for model in (ContentKey, NamedKey, SignedHead, PastHead, ErasureJournal):
        model.objects.all().delete()
    sealing.forget_known_keys()
    return kept


def is_gone(memory: Memory, agent) -> bool:
    row = Memory.objects.get(pk=memory.pk)
    contents = list(row.versions.values_list("content", flat=True))
    indexed()
    given = recall(Question(keys=("profile.home.city",), user="ann"), by=agent).memories
    return row.erased and not given and all(words.erased for words in sealing.unseal(contents).values())


def test_a_backup_holds_no_index_and_no_clear_words(copies, monkeypatch):
    _, folder, keyring = copies
    finish, entries = restoring.finish, []
    monkeypatch.setattr(restoring, "finish", lambda *a: entries.append(Entry.objects.count()) or finish(*a))
    memories = Memory.objects.count()

    restore(folder, replace=True)

    assert entries == [0]
    assert Memory.objects.count() == memories
    for file in (*folder.iterdir(), *keyring.iterdir()):
        assert b"Ljubljana" not in file.read_bytes()
    assert not list(folder.glob("keyring*")) and not list(keyring.glob("database*"))


def test_put_back_beside_its_keyring_the_erased_stays_unreadable_and_is_erased_again(agent, cora, carl, copies):
    memory, folder, _ = copies
    forgotten(cora, carl)

    done = restore(folder, replace=True)

    assert done.problems == []
    assert done.erasures == 1
    assert is_gone(memory, agent)
    assert find_subject(agent.tenant, "ann") is None
    assert verify(agent.tenant).findings == []
    assert rebuild(apply=False).differences == []
    assert quarantine.current() is None


def test_with_an_old_keyring_it_is_readable_and_nobody_is_served_until_the_journal_is_replayed(
    agent, cora, carl, copies, settings, tmp_path, monkeypatch
):
    memory, folder, keyring = copies
    forgotten(cora, carl)
    kept = another_machine(settings, tmp_path)
    put_back: list[bool] = []

    def look_first(done, heads, say):
        content = Memory.objects.get(pk=memory.pk).versions.get(number=2).content_id
        put_back.append("Ljubljana" in str(dict(sealing.unseal([content])[content])))
        with pytest.raises(WrongState):
            refuse_in_quarantine()
        with pytest.raises(CommandError, match="quarantine"):
            call_command("serve", port=18_181)
        return finish(done, heads, say)

    finish = restoring.finish
    monkeypatch.setattr(restoring, "finish", look_first)

    done = restore(folder, keyring=keyring, journal_file=kept, replace=True)

    assert put_back == [True]
    assert done.problems == []
    assert is_gone(memory, agent)
    assert not ContentKey.objects.filter(kid__in=_kids(memory)).exists()
    refuse_in_quarantine()


def _kids(memory: Memory) -> list[str]:
    contents = memory.versions.values_list("content", flat=True)
    return list(Content.objects.filter(pk__in=list(contents)).values_list("kid", flat=True))


def test_others_come_back_whole_and_are_found_again(agent, cora, carl, copies):
    _, folder, _ = copies
    forgotten(cora, carl)

    restore(folder, replace=True)
    indexed()

    found = recall(Question(query="Where does Bob live?", user="bob"), by=agent)
    assert [m.view.value for m in found.memories] == ["Bratislava"]
    assert Entry.objects.filter(memory=found.memories[0].view.id).exists()


def test_the_chain_says_that_it_was_put_back_and_the_later_head_is_kept(agent, copies):
    _, folder, _ = copies
    a_memory(agent, "Ann works at night.", key="profile.hours")
    sign_heads()
    later = SignedHead.objects.get(tenant=agent.tenant)

    restore(folder, replace=True)

    kept = PastHead.objects.get(tenant=agent.tenant)
    assert (kept.seq, bytes(kept.hash)) == (later.seq, bytes(later.hash))
    assert Event.objects.filter(tenant=agent.tenant, type="chain-restored").count() == 1
    assert verify(agent.tenant).findings == []


def test_without_a_journal_it_is_demanded(copies, settings, tmp_path, cora, carl):
    _, folder, keyring = copies
    forgotten(cora, carl)
    another_machine(settings, tmp_path)
    before = Event.objects.count()

    with pytest.raises(Invalid) as refused:
        restore(folder, keyring=keyring, replace=True)

    assert refused.value.errors[0]["pointer"] == "/journal"
    assert Event.objects.count() == before
    assert quarantine.current() is None


def test_a_database_in_use_is_not_replaced_by_accident(copies):
    _, folder, _ = copies

    with pytest.raises(Invalid) as refused:
        restore(folder)

    assert "--replace" in refused.value.errors[0]["detail"]


def test_a_damaged_backup_is_refused(copies):
    _, folder, _ = copies
    file = next(folder.glob("database.*"))
    file.write_bytes(file.read_bytes()[:-1] + b"x")

    with pytest.raises(Invalid) as refused:
        restore(folder, replace=True)

    assert "damaged" in refused.value.errors[0]["detail"]


def test_a_backup_that_somebody_changed_stays_in_quarantine(agent, copies, monkeypatch):
    _, folder, _ = copies
    put = restoring._put

    def put_and_change(*args) -> None:
        put(*args)
        triggers.remove()
        Event.objects.filter(tenant=agent.tenant, seq=5).update(actor="eve")
        triggers.install()

    monkeypatch.setattr(restoring, "_put", put_and_change)

    done = restore(folder, replace=True)

    assert any("edit at 5" in problem for problem in done.problems)
    with pytest.raises(WrongState):
        refuse_in_quarantine()
    quarantine.lift()


def test_a_manifest_with_another_head_is_not_believed(copies):
    _, folder, _ = copies
    told = json.loads((folder / "manifest.json").read_bytes())
    told["heads"][0]["hash"] = "00" * 32
    (folder / "manifest.json").write_text(json.dumps(told))

    done = restore(folder, replace=True)

    assert any("not signed by us" in problem for problem in done.problems)
    quarantine.lift()


def test_commands_make_and_put_back(agent, cora, carl, tmp_path, capsys):
    lived(agent)
    call_command("backup", str(tmp_path / "a"))
    folder = capsys.readouterr().out.strip()
    call_command("backup", str(tmp_path / "b"), "--keyring")
    forgotten(cora, carl)
    capsys.readouterr()

    call_command("restore", folder, "--replace")

    assert "1 erasures replayed" in capsys.readouterr().out
