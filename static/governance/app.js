// What the pages add to plain HTML: the theme, dialogs, single keys, and what is said to a screen reader.
//
// data-theme-choice="light|system|dark"   chooses the colours
// data-dialog-open="ID"                   opens <dialog id="ID">
// data-dialog-close                       closes the dialog around it
// data-key="a"                            a single key that clicks (or focuses, for a field) this element
// data-key-too="s"                        a second key for the same
// data-list, data-item                    j and k walk the items of the list; focus stays when the list is swapped
// data-check-all="NAME"                   ticks every box of that name
// data-count="NAME"                       shows how many boxes of that name are ticked; its form's buttons follow
// data-copy="ID"                          copies the text of the element with that id
// data-confirm="TEXT"                     asks before a form is sent
// data-remap="a"                          a field for another key that does what "a" does
// data-print                              prints the page
// data-focus                              takes the focus when it is swapped in
(function () {
  "use strict";

  const announcer = () => document.getElementById("announcer");

  function announce(text) {
    const region = announcer();
    if (!region) return;
    region.textContent = "";
    window.setTimeout(() => { region.textContent = text; }, 50);
  }

  // --- theme ---
  function showTheme() {
    document.querySelectorAll("[data-theme-choice]").forEach((button) => {
      button.setAttribute("aria-pressed", String(button.dataset.themeChoice === window.theme.choice()));
    });
  }

  // --- single keys ---
  const keysOn = () => {
    try { return localStorage.getItem("keys") !== "off"; } catch (refused) { return true; }
  };

  // What somebody else's keys are called here: {"x": "a"} lets x do what a does.
  function keymap() {
    try { return JSON.parse(localStorage.getItem("keymap") || "{}"); } catch (refused) { return {}; }
  }

  function meant(key) {
    const map = keymap();
    if (map[key]) return map[key];
    return Object.values(map).includes(key) ? "" : key;
  }

  // The key that does what `key` does by default, "" where another took it.
  const keyFor = (key) => Object.keys(keymap()).find((from) => keymap()[from] === key) || meant(key) && key;

  // Beside a button stands the key that presses it; in the list of keys, those that do nothing any more are left out.
  function showKeys() {
    document.querySelectorAll("[data-key] > kbd, [data-dialog-open] > kbd").forEach((kbd) => {
      kbd.dataset.was = kbd.dataset.was || kbd.textContent;
      kbd.textContent = keyFor(kbd.dataset.was);
      kbd.hidden = !kbd.textContent;
    });
    document.querySelectorAll(".keys kbd").forEach((kbd) => { kbd.hidden = kbd.textContent.length === 1 && meant(kbd.textContent) !== kbd.textContent; });
  }

  function isTyping(event) {
    const at = event.target;
    return event.isComposing || event.keyCode === 229 || at.isContentEditable ||
      (at.matches && at.matches("input:not([type=checkbox]):not([type=radio]), textarea, select"));
  }

  const items = () => Array.from(document.querySelectorAll("[data-list] [data-item]")).filter((item) => item.offsetParent);

  function focusItem(item) {
    if (!item) return;
    const target = item.querySelector("a[href], button") || item;
    if (target === item) item.tabIndex = -1;
    target.focus();
    item.scrollIntoView({ block: "nearest" });
  }

  function walk(step) {
    const all = items();
    const here = all.findIndex((item) => item.contains(document.activeElement));
    focusItem(all[here < 0 ? 0 : Math.min(Math.max(here + step, 0), all.length - 1)]);
  }

  function keyTarget(key) {
    const item = document.activeElement && document.activeElement.closest("[data-item]");
    const wanted = `[data-key="${CSS.escape(key)}"], [data-key-too="${CSS.escape(key)}"]`;
    return (item && item.querySelector(wanted)) ||
      Array.from(document.querySelectorAll(wanted)).find((one) => one.offsetParent && !one.closest("[data-item]"));
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key.length !== 1 || !keysOn() || isTyping(event)) return;
    const dialog = document.querySelector("dialog[open]");
    const key = meant(event.key);
    if (!key) return;
    if (event.repeat && key !== "j" && key !== "k") return; // a key held down decides one item, not those after it
    if (key === "g" && !dialog && document.getElementById("palette")) {
      event.preventDefault();
      document.getElementById("palette").showModal();
      return;
    }
    if (key === "?") {
      const help = document.getElementById("keys-help");
      if (help && !dialog) { event.preventDefault(); help.showModal(); }
      return;
    }
    if (dialog) return;
    if ((key === "j" || key === "k") && items().length) {
      event.preventDefault();
      walk(key === "j" ? 1 : -1);
      return;
    }
    const target = keyTarget(key);
    if (!target || target.disabled) return;
    event.preventDefault();
    if (target.matches("input:not([type=checkbox]), textarea, select")) target.focus();
    else target.click();
  });

  // --- clicks ---
  document.addEventListener("click", (event) => {
    const theme = event.target.closest("[data-theme-choice]");
    if (theme) { window.theme.choose(theme.dataset.themeChoice); showTheme(); return; }
    const opener = event.target.closest("[data-dialog-open]");
    if (opener) {
      const dialog = document.getElementById(opener.dataset.dialogOpen);
      const rail = document.querySelector("#rail:popover-open");
      if (rail) rail.hidePopover();
      if (dialog && !dialog.open) dialog.showModal();
      return;
    }
    if (event.target.closest("[data-dialog-close]") || event.target.matches("dialog.sheet")) {
      event.target.closest("dialog").close();
      return;
    }
    if (event.target.closest("[data-print]")) { window.print(); return; }
    const copier = event.target.closest("[data-copy]");
    if (copier && navigator.clipboard) {
      navigator.clipboard.writeText(document.getElementById(copier.dataset.copy).textContent.trim());
      announce("Copied");
    }
  });

  // A form that was just sent is not sent twice.
  const AGAIN = 1000;
  const sentAt = new WeakMap();

  document.addEventListener("submit", (event) => {
    const question = (event.submitter && event.submitter.dataset.confirm) || event.target.dataset.confirm;
    if (question && !window.confirm(question)) { event.preventDefault(); return; }
    if (event.target.getAttribute("method") !== "post" || event.target.hasAttribute("hx-post")) return;
    if (event.timeStamp - sentAt.get(event.target) < AGAIN) event.preventDefault();
    else sentAt.set(event.target, event.timeStamp);
  }, true);

  // --- boxes ---
  const boxes = (name) => Array.from(document.querySelectorAll(`input[type=checkbox][name="${CSS.escape(name)}"]`));

  function showCounts() {
    document.querySelectorAll("[data-count]").forEach((place) => {
      const ticked = boxes(place.dataset.count).filter((box) => box.checked).length;
      place.textContent = String(ticked);
      const bar = place.closest("[data-bulk]");
      if (bar) bar.hidden = ticked === 0;
    });
    document.querySelectorAll("[data-check-all]").forEach((all) => {
      const each = boxes(all.dataset.checkAll);
      const ticked = each.filter((box) => box.checked).length;
      all.checked = each.length > 0 && ticked === each.length;
      all.indeterminate = ticked > 0 && ticked < each.length;
    });
  }

  document.addEventListener("change", (event) => {
    if (event.target.id === "keys-enabled") {
      try { localStorage.setItem("keys", event.target.checked ? "on" : "off"); } catch (refused) { /* for this page only */ }
    }
    if (event.target.matches("[data-remap]")) {
      const map = keymap();
      const wanted = event.target.value.trim().slice(0, 1);
      Object.keys(map).forEach((from) => { if (map[from] === event.target.dataset.remap) delete map[from]; });
      if (wanted && wanted !== event.target.dataset.remap) map[wanted] = event.target.dataset.remap;
      document.querySelectorAll("[data-remap]").forEach((field) => { // one key, one act: the last wish holds
        if (field !== event.target && field.value.trim() === wanted) field.value = "";
      });
      try { localStorage.setItem("keymap", JSON.stringify(map)); } catch (refused) { /* for this page only */ }
      showKeys();
    }
    if (event.target.matches("[data-check-all]")) {
      boxes(event.target.dataset.checkAll).forEach((box) => { box.checked = event.target.checked; });
    }
    showCounts();
  });

  // A part that opens takes the focus to its first field.
  document.addEventListener("toggle", (event) => {
    if (!event.target.matches || !event.target.matches("details.decide-more[open]")) return;
    const field = event.target.querySelector("select, textarea, input:not([type=hidden]), button");
    if (field) field.focus();
  }, true);

  // --- htmx ---
  let before = -1;
  document.addEventListener("htmx:beforeSwap", () => {
    before = items().findIndex((item) => item.contains(document.activeElement));
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    showKeys();
    showCounts();
    const wanted = event.target.matches && event.target.matches("[data-focus]") ? event.target
      : event.target.querySelector && event.target.querySelector("[data-focus]");
    if (wanted) wanted.focus();
    else if (before >= 0 && document.activeElement === document.body) focusItem(items()[Math.min(before, items().length - 1)]);
    before = -1;
  });
  // A refusal comes as a fragment of its own; this is for a server that broke or is not there.
  function showTrouble(text) {
    const place = document.getElementById("problems");
    if (!place) return;
    const notice = document.createElement("div");
    notice.className = "notice tone-bad";
    notice.textContent = text;
    place.replaceChildren(notice);
  }
  document.addEventListener("htmx:sendError", () => showTrouble("The server does not answer. Try again in a moment."));
  document.addEventListener("htmx:responseError", (event) => {
    const status = event.detail.xhr.status;
    if (status >= 500 && status !== 503) showTrouble("The server could not do this. Reload the page to see what holds now.");
  });
  document.addEventListener("announce", (event) => announce(event.detail.value || ""));

  document.addEventListener("DOMContentLoaded", () => {
    const enabled = document.getElementById("keys-enabled");
    if (enabled) enabled.checked = keysOn();
    Object.entries(keymap()).forEach(([from, to]) => {
      const field = document.querySelector(`[data-remap="${CSS.escape(to)}"]`);
      if (field) field.value = from;
    });
    showTheme();
    showKeys();
    showCounts();
    const wanted = document.querySelector("[data-focus]");
    if (wanted) wanted.focus();
  });
})();
