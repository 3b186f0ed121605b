"""Template tags of every page, loaded as built-ins: icons, the navigation, how a status looks."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django import template
from django.template.context import Context
from django.template.defaultfilters import date as django_date
from django.template.defaultfilters import pluralize as django_pluralize
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timesince
from django.utils.translation import get_language, gettext

from governance.policies.rules import KeyRule
from governance.policies.sections import FIELDS
from governance.web import labels, paging
from governance.web import text as texts

register = template.Library()

# Status or outcome -> (tone, icon): told apart by words and shape, never by colour alone.
STATUSES = {
    "active": ("good", "circle-check"),
    "committed": ("good", "circle-check"),
    "commit": ("good", "circle-check"),
    "sound": ("good", "shield-check"),
    "ok": ("good", "circle-check"),
    "scheduled": ("note", "calendar"),
    "deciding": ("note", "hourglass"),
    "merged": ("note", "git-merge"),
    "pending": ("wait", "clock"),
    "review": ("wait", "clock"),
    "conflicted": ("wait", "alert-triangle"),
    "open": ("wait", "alert-triangle"),
    "asked": ("note", "message-circle"),
    "resolved": ("good", "circle-check"),
    "reversed": ("quiet", "arrow-back-up"),
    "suspended": ("wait", "ban"),
    "degraded": ("wait", "alert-triangle"),
    "rejected": ("bad", "circle-x"),
    "reject": ("bad", "circle-x"),
    "revoked": ("bad", "circle-x"),
    "failed": ("bad", "alert-circle"),
    "tampered": ("bad", "alert-triangle"),
    "quarantine": ("bad", "shield-lock"),
    "event_only": ("quiet", "timeline"),
    "superseded": ("quiet", "history"),
    "expired": ("quiet", "hourglass"),
    "archived": ("quiet", "archive"),
    "withdrawn": ("quiet", "arrow-back-up"),
    "retracted": ("quiet", "trash"),
    "erased": ("quiet", "eye-off"),
    "received": ("wait", "inbox"),
    "verified": ("note", "user"),
    "planned": ("wait", "eye"),
    "approved": ("note", "hourglass"),
    "executing": ("note", "hourglass"),
    "verifying": ("note", "hourglass"),
    "complete": ("good", "shield-check"),
    "partial": ("bad", "alert-triangle"),
    "refused": ("quiet", "ban"),
    "found-again": ("bad", "alert-triangle"),
    "look-failed": ("wait", "alert-circle"),
    "waiting": ("quiet", "clock"),
    "done": ("good", "circle-check"),
}


@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """Return one icon of the sprite: decoration, unless a label says what it means."""
    hidden = format_html('role="img" aria-label="{}"', label) if label else mark_safe('aria-hidden="true"')
    return format_html(
        '<svg class="icon" width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="currentColor" '
        'stroke-width="2" stroke-linecap="round" stroke-linejoin="round" focusable="false" {}>'
        '<use href="{}#{}"/></svg>',
        hidden,
        static("vendor/tabler-icons/sprite.svg"),
        name,
    )


@register.inclusion_tag("components/status.html")
def status(value: str, text: str = "") -> dict[str, Any]:
    """Return the badge of a status; `text` replaces its name."""
    tone, name = STATUSES.get(value, ("quiet", "info-circle"))
    return {"tone": tone, "icon_name": name, "text": text or said(value.replace("_", " "))}


@register.inclusion_tag("components/nav_item.html", takes_context=True)
def nav_item(context: Context, url_name: str, text: str, icon_name: str, count: int | None = None) -> dict[str, Any]:
    """Return a link of the navigation, current on its own page and on every page below it."""
    url = reverse(url_name)
    path = context["request"].path
    return {
        "url": url,
        "text": text,
        "icon_name": icon_name,
        "url_name": url_name,
        "count": count,
        "current": path == url or (url_name != "dashboard" and path.startswith(url)),
    }


CODE = re.compile(r"[a-z]+(?:_[a-z]+)*")
FULL_WIDTH = "，。：；、？！（）"

# How dates are written in Chinese: the year first.
DATES = {
    "j M Y": "Y年n月j日",
    "j M Y H:i": "Y年n月j日 H:i",
    "j M Y H:i:s": "Y年n月j日 H:i:s",
    "j M": "n月j日",
    "j M H:i": "n月j日 H:i",
    "l j F": "n月j日 l",
}


def _is_chinese() -> bool:
    return (get_language() or "").startswith("zh")


@register.filter(expects_localtime=True, is_safe=False)
def date(moment: Any, form: str) -> str:
    """Return a date or time as Django does, in the order of the reader's language."""
    return str(django_date(moment, DATES.get(form, form) if _is_chinese() else form))


@register.filter
def parsed(stamp: str) -> datetime:
    """Return a time that a document holds as text."""
    return datetime.fromisoformat(stamp)


@register.filter
def age(moment: datetime) -> str:
    """Return how long ago a time was, in its largest unit."""
    passed = timesince(moment, timezone.now(), depth=1)
    return gettext("just now") if passed.startswith("0") else gettext("%s ago") % passed


@register.filter
def moment(at: datetime) -> SafeString:
    """Return how long ago a time was; the time itself is its title."""
    stamp, exact = django_date(timezone.localtime(at), "c"), django_date(timezone.localtime(at), "Y-m-d H:i:s T")
    return format_html('<time datetime="{}" title="{}">{}</time>', stamp, exact, age(at))


@register.filter
def revealed(value: Any) -> SafeString:
    """Return a text or value with every character that hides or pretends made visible."""
    return texts.revealed(texts.shown_value(value))


@register.simple_tag
def word_diff(old: str, new: str) -> SafeString:
    return texts.word_diff(old, new)


@register.filter
def value(held: Any) -> str:
    return texts.shown_value(held)


@register.simple_tag
def spoken(text: str, *, before: str = "", after: str = "") -> SafeString:
    """Return a text of a page in the reader's language between its blanks; a full-width sign brings its own."""
    said = gettext(text)
    return mark_safe(
        (before if said[0] not in FULL_WIDTH else "") + said + (after if said[-1] not in FULL_WIDTH else "")
    )


@register.filter
def said(text: Any) -> str:
    """Return a text of ours in the reader's language; one that is not in the catalogue as it is."""
    return gettext(str(text)) if text else str(text or "")


@register.simple_tag
def phrase(text: str, **values: Any) -> SafeString:
    """Return a sentence with values in braces in the reader's language, which may want them in another order."""
    return format_html(gettext(text), **values)


@register.filter
def listed(codes: Iterable[str]) -> str:
    """Return some codes as words, with what stands between the parts of a list."""
    return ("、" if _is_chinese() else ", ").join(map(spaced, codes))


@register.filter
def label(pointer: str) -> str:
    return labels.label_of(pointer)


@register.filter
def fault(text: str) -> str:
    return labels.fault_of(text)


@register.filter
def told(saying: Mapping[str, Any]) -> str:
    """Return a text of ours that has values in braces, text and values in the reader's language."""
    values = saying.get("values") or {}
    text = said(saying["detail"])
    return text.format(**{k: coded(v) if isinstance(v, str) else v for k, v in values.items()}) if values else text


@register.filter
def pluralize(number: Any, endings: str = "s") -> str:
    """Return an ending of a word; none in a language whose words have no plural."""
    return "" if _is_chinese() else django_pluralize(number, endings)


@register.filter
def spaced(code: str) -> str:
    """Return a code such as `user_explicit` as words."""
    return said(str(code).replace("_", " ").replace("-", " "))


@register.filter
def coded(code: str) -> str:
    """Return a code as it is in English, in words where the reader's language has some for it."""
    words = spaced(code)
    return code if words == str(code).replace("_", " ").replace("-", " ") else words


@register.filter
def worded(text: str, path: str) -> str:
    """Return what a policy says at a path, its codes as words."""
    kind = FIELDS[path].kind if path in FIELDS else ""
    if kind == "choice":
        return said(text.capitalize())
    return CODE.sub(lambda code: spaced(code[0]), text) if kind in ("several", "order") else text


@register.filter
def ground(code: str) -> str:
    """Return why a report is not complete, such as `left:cache`, as words."""
    what, _, where = code.partition(":")
    return f"{spaced(what)}: {spaced(where)}" if where else spaced(what)


@register.filter
def named(rule: KeyRule) -> str:
    """Return what a key rule is called in the reader's language."""
    return (rule.labels.get("zh") if _is_chinese() else "") or rule.labels.get("en") or rule.id


@register.filter
def at(mapping: Mapping[Any, Any], key: Any) -> Any:
    """Return what a mapping holds at a key, "" for nothing."""
    return mapping.get(key, "")


@register.filter
def has(collection: Any, member: Any) -> bool:
    return member in collection


@register.filter
def words(text: str) -> list[str]:
    """Return the words of a list written down in a template."""
    return text.split()


@register.filter
def many(number: int) -> str:
    """Return a number as the list shows it that it is the length of."""
    return paging.many(number)


@register.filter
def grouped(number: int) -> str:
    """Return a long number with its thousands apart."""
    return f"{number:,}"


@register.filter
def hundredth(percent: float) -> str:
    return f"{percent / 100:.2f}"


@register.filter
def per_cent(share: float | None) -> str:
    """Return a share as whole per cent, a dash where there is none."""
    return "–" if share is None else f"{100 * share:.0f} %"
