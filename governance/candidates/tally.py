"""How many proposals wait, counted when they come and go: triggers keep `Waiting` equal to the rows it counts.

Counted is what waits and was not put aside: `aside` rows are few, and are counted where they lie. Triggers and not the
actions keep it, so that also a rebuild and a restore leave it right.
"""

from governance.ledger import triggers

CANDIDATE, WAITING = "governance_candidate", "governance_waiting"
# Column of the tally -> the same of a proposal; the hour as UTC, as far as its text goes.
KEY = {
    "tenant": "{row}.tenant_id",
    "level": "{row}.level",
    "kind": "{row}.kind",
    "lane": "{row}.lane",
    "risk": "{row}.risk",
    "agent": "COALESCE({row}.agent_id, '')",
    "assigned_to": "{row}.assigned_to",
    "hour": "{hour}",
}
HOURS = {
    "sqlite": "substr({row}.created_at, 1, 13)",
    "postgresql": "to_char({row}.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24')",
}
COUNTED = "{row}.status = 'pending' AND NOT {row}.held_back AND {row}.aside_role = '' AND {row}.aside_until IS NULL"


def _key(row: str, vendor: str) -> dict[str, str]:
    hour = HOURS[vendor].format(row=row)
    return {name: said.format(row=row, hour=hour) for name, said in KEY.items()}


def _one_more(vendor: str) -> str:
    key = _key("NEW", vendor)
    return (
        f"INSERT INTO {WAITING} ({', '.join(key)}, count) VALUES ({', '.join(key.values())}, 1) "
        f"ON CONFLICT ({', '.join(key)}) DO UPDATE SET count = {WAITING}.count + 1;"
    )


def _one_less(vendor: str) -> str:
    same = " AND ".join(f"{name} = {said}" for name, said in _key("OLD", vendor).items())
    return f"UPDATE {WAITING} SET count = count - 1 WHERE {same}; DELETE FROM {WAITING} WHERE {same} AND count = 0;"


def _sqlite() -> dict[str, str]:
    more, less = _one_more("sqlite"), _one_less("sqlite")
    parts = {"come": ("INSERT", "NEW", more), "gone": ("DELETE", "OLD", less)}
    parts |= {"no_longer": ("UPDATE", "OLD", less), "now": ("UPDATE", "NEW", more)}
    return {
        f"{CANDIDATE}_waits_{name}": (
            f"CREATE TRIGGER IF NOT EXISTS {CANDIDATE}_waits_{name} AFTER {verb} ON {CANDIDATE} "
            f"WHEN {COUNTED.format(row=row)} BEGIN {act} END"
        )
        for name, (verb, row, act) in parts.items()
    }


_POSTGRESQL = {
    f"{CANDIDATE}_waits": (
        f"CREATE TRIGGER {CANDIDATE}_waits AFTER INSERT OR UPDATE OR DELETE ON {CANDIDATE} "
        "FOR EACH ROW EXECUTE FUNCTION governance_candidate_waits()"
    )
}
_FUNCTION = (
    "CREATE OR REPLACE FUNCTION governance_candidate_waits() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    f"IF TG_OP <> 'INSERT' THEN IF {COUNTED.format(row='OLD')} THEN {_one_less('postgresql')} END IF; END IF; "
    f"IF TG_OP <> 'DELETE' THEN IF {COUNTED.format(row='NEW')} THEN {_one_more('postgresql')} END IF; END IF; "
    "RETURN NULL; END $$"
)

triggers.register(sqlite=_sqlite(), postgresql=_POSTGRESQL, functions=[_FUNCTION])
