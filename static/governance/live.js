// What others do appears without taking the place, the ticks or the words of who looks: lists and open items ask a few
// bytes every other second, and only then for the rows that changed.
//
// data-live="URL"         a list: its rows (tr[id]) are brought up to date when the mark at URL changes
// data-item-pulse="URL"   an open item: says so when somebody else changed it, and empties it once it is erased
// data-keep="URL"         renews the hold on an open item while somebody is at work on it
// data-until="TIME"       a bar that goes when its time is over
// data-palette            filters the links (data-place) of the palette
(function () {
  "use strict";

  const EVERY = 1500;
  const KEEP_EVERY = 60000;
  let mark = null;
  let keptAt = Date.now();

  const isVisible = () => document.visibilityState === "visible";

  // A row somebody is in (focus, a tick) is left where it is.
  const isInUse = (row) => row.contains(document.activeElement) || row.querySelector("input:checked");

  function merge(list, fresh) {
    const rows = (root) => Array.from(root.querySelectorAll("[data-list] > [id]"));
    const now = new Map(rows(fresh).map((row) => [row.id, row]));
    const body = list.querySelector("[data-list]");
    const freshBody = fresh.querySelector("[data-list]");
    if (!body || !freshBody) {
      if (!list.contains(document.activeElement)) list.replaceWith(fresh);
      return;
    }
    rows(list).forEach((row) => {
      const newer = now.get(row.id);
      now.delete(row.id);
      if (!newer) {
        if (row.contains(document.activeElement)) row.classList.add("is-gone");
        else row.remove();
      } else if (!isInUse(row) && row.outerHTML !== newer.outerHTML) {
        row.replaceWith(newer);
      }
    });
    now.forEach((row) => body.append(row));
    renumber(list, fresh);
    list.querySelectorAll(".flood").forEach((flood) => flood.remove());
    fresh.querySelectorAll(".flood").forEach((flood) => (body.closest("form") || list.lastElementChild).before(flood));
  }

  // What counts the rows: what each choice would leave, how long the list is, how many are decided at once.
  function renumber(list, fresh) {
    list.querySelectorAll("select[id]").forEach((select) => {
      const newer = fresh.querySelector(`#${CSS.escape(select.id)}`);
      if (!newer || select === document.activeElement) return;
      const value = select.value;
      select.replaceChildren(...newer.children);
      select.value = value;
    });
    [".pager-summary", "button[name=all]"].forEach((one) => {
      const shown = list.querySelector(one);
      const newer = fresh.querySelector(one);
      if (shown && newer) shown.textContent = newer.textContent;
    });
  }

  async function refresh(list) {
    const answer = await fetch(list.dataset.address, { headers: { "HX-Request": "true" }, credentials: "same-origin" });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById(list.id);
    const count = page.getElementById("review-queue-count");
    const shown = document.getElementById("review-queue-count");
    if (count && shown) { shown.replaceChildren(...count.childNodes); shown.hidden = count.hidden; }
    if (fresh) merge(list, fresh);
    document.body.dispatchEvent(new Event("change", { bubbles: true }));
  }

  async function askList(list) {
    const answer = await fetch(list.dataset.live, { credentials: "same-origin" });
    if (!answer.ok) return;
    const token = (await answer.json()).token;
    if (mark !== null && mark !== token) await refresh(list);
    mark = token;
  }

  function say(title, isGone) {
    const place = document.getElementById("problems");
    const notice = document.createElement("div");
    notice.className = isGone ? "notice tone-bad" : "notice tone-wait";
    notice.textContent = title;
    if (!isGone) {
      const link = document.createElement("a");
      link.href = location.href;
      link.textContent = " " + (document.body.dataset.seeNow || "See it as it is now");
      notice.append(link);
    }
    place.replaceChildren(notice);
  }

  async function askItem(item) {
    const answer = await fetch(item.dataset.itemPulse, { credentials: "same-origin" });
    if (answer.status === 410) {
      item.removeAttribute("data-item-pulse");
      item.replaceChildren();
      say(document.body.dataset.wasErased || "This was erased.", true);
      return;
    }
    if (!answer.ok) return;
    const token = (await answer.json()).token;
    if (token !== item.dataset.token) {
      item.dataset.token = token;
      say(document.body.dataset.changedHere || "Somebody changed this.", false);
    }
  }

  async function beat() {
    if (isVisible()) {
      const list = document.querySelector("[data-live]");
      const item = document.querySelector("[data-item-pulse]");
      try {
        if (list) await askList(list);
        if (item) await askItem(item);
      } catch (away) { /* the server is away: ask again later */ }
    }
    document.querySelectorAll("[data-until]").forEach((bar) => {
      if (Date.parse(bar.dataset.until) < Date.now()) bar.remove();
    });
    window.setTimeout(beat, EVERY);
  }

  function keepOn() {
    const item = document.querySelector("[data-keep]");
    if (!item || Date.now() - keptAt < KEEP_EVERY) return;
    keptAt = Date.now();
    const token = JSON.parse(document.body.getAttribute("hx-headers") || "{}");
    fetch(item.dataset.keep, { method: "POST", headers: token, credentials: "same-origin" }).catch(() => {});
  }

  ["keydown", "pointermove", "input"].forEach((what) => document.addEventListener(what, keepOn, { passive: true }));

  document.addEventListener("input", (event) => {
    if (!event.target.matches("[data-palette]")) return;
    const wanted = event.target.value.trim().toLowerCase();
    document.querySelectorAll("[data-place]").forEach((link) => {
      link.parentElement.hidden = !link.textContent.toLowerCase().includes(wanted);
    });
  });

  document.addEventListener("submit", (event) => {
    const field = event.target.querySelector("[data-palette]");
    if (!field) return;
    const first = Array.from(event.target.querySelectorAll("[data-place]")).find((link) => !link.parentElement.hidden);
    if (first) { event.preventDefault(); location.href = first.href; }
  });

  document.addEventListener("DOMContentLoaded", () => window.setTimeout(beat, EVERY));
})();
