"""Ways of looking at the queue that people keep: the name and the words looked for are sealed, the facets are not."""

from collections.abc import Mapping

from governance.candidates import events, rules
from governance.candidates.models import SavedFilter
from governance.errors import Invalid, NotAllowed, NotFound
from governance.ledger import ids, sealing
from governance.ledger.writing import writing
from governance.scopes.rules import Actor

LONGEST = 200


def save_filter(
    facets: Mapping[str, str], *, by: Actor, name: str = "", words: str = "", is_shared: bool = False
) -> SavedFilter:
    """Return a filter, kept under a name; without one it only gives a word search an address. Raises Invalid."""
    if not by.may("see-queue"):
        raise NotAllowed()
    for pointer, text in (("/name", name), ("/words", words)):
        if problem := rules.unfit_text(text) or ("is too long" if len(text) > LONGEST else ""):
            raise Invalid({pointer: problem})
    kept = {k: v for k, v in {"name": name.strip(), "words": words.strip()}.items() if v}
    sealed = sealing.seal(kept, tenant=by.tenant, scope=by.tenant)
    saved = events.FilterSaved(owner=by.id, is_shared=is_shared, is_kept=bool(name.strip()), facets=dict(facets))
    with writing(by.tenant, by=by.id) as w:
        row: SavedFilter = w.record(saved, stream=ids.new("flt"), contents=[sealed])
    return row


def drop_filter(row: SavedFilter, *, by: Actor) -> None:
    """Drop one's own filter; an administrator drops any. Raises NotFound."""
    if row.tenant_id != by.tenant or (row.owner != by.id and not by.may("manage-roles")):
        raise NotFound()
    with writing(by.tenant, by=by.id) as w:
        w.record(events.FilterDropped(), stream=row.id, row=row)
