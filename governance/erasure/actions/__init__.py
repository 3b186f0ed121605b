"""What people and agents do about forgetting: file, verify, look at the plan, approve, refuse, extend."""

from governance.erasure.actions.consent import allow_again
from governance.erasure.actions.decide import approve, check_may_approve, extend, refuse
from governance.erasure.actions.file import file_request
from governance.erasure.actions.prepare import narrow, plan, verify_identity
from governance.erasure.actions.retention import file_due

__all__ = [
    "allow_again",
    "approve",
    "check_may_approve",
    "extend",
    "file_due",
    "file_request",
    "narrow",
    "plan",
    "refuse",
    "verify_identity",
]
