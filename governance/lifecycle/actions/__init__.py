"""What is done to memories as they age: held, swept, summarised, invalidated."""

from governance.lifecycle.actions.by_hand import invalidate, put
from governance.lifecycle.actions.holds import Covered, lift_hold, place_hold
from governance.lifecycle.actions.plan import Plan, plan
from governance.lifecycle.actions.summaries import Rebuilt, rebuild_summaries, summarise
from governance.lifecycle.actions.sweep import begin, begin_for, look
from governance.lifecycle.actions.undo import begin_undo, begin_undo_for
from governance.lifecycle.actions.use import count_uses

__all__ = [
    "Covered",
    "Plan",
    "Rebuilt",
    "begin",
    "begin_for",
    "begin_undo",
    "begin_undo_for",
    "count_uses",
    "invalidate",
    "lift_hold",
    "look",
    "place_hold",
    "plan",
    "put",
    "rebuild_summaries",
    "summarise",
]
