"""The only writers of candidates, and through them of memories."""

from governance.candidates.actions.answer import answer
from governance.candidates.actions.aside import assign, let_in, set_aside
from governance.candidates.actions.blast import reverse_all, withdraw
from governance.candidates.actions.bulk import approve_many, preview, reject_many
from governance.candidates.actions.confirm import confirm
from governance.candidates.actions.decide import (
    approve,
    edit_and_approve,
    expire_due,
    first_of_two,
    is_barred,
    reject,
    reopen,
    window_of,
)
from governance.candidates.actions.filters import drop_filter, save_filter
from governance.candidates.actions.leases import break_lease, release, release_all, take, take_next
from governance.candidates.actions.merge import merge_keys
from governance.candidates.actions.observe import observe
from governance.candidates.actions.propose import propose
from governance.candidates.actions.resolve import resolve
from governance.candidates.actions.reverse import reverse
from governance.candidates.actions.revise import bind, restore, retract, revise
from governance.candidates.actions.widen import widen
from governance.candidates.actions.window import revert, settle, undo, undo_quietly
from governance.conflicts.rules import Resolution

__all__ = [
    "Resolution",
    "answer",
    "approve",
    "approve_many",
    "assign",
    "bind",
    "break_lease",
    "confirm",
    "drop_filter",
    "edit_and_approve",
    "expire_due",
    "first_of_two",
    "is_barred",
    "let_in",
    "merge_keys",
    "observe",
    "preview",
    "propose",
    "reject",
    "reject_many",
    "release",
    "release_all",
    "reopen",
    "resolve",
    "restore",
    "retract",
    "reverse",
    "reverse_all",
    "revert",
    "revise",
    "save_filter",
    "set_aside",
    "settle",
    "take",
    "take_next",
    "undo",
    "undo_quietly",
    "widen",
    "window_of",
    "withdraw",
]
