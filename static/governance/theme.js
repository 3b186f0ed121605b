// Before the first paint, so that a dark page never flashes white. "system" follows the system's own setting.
(function () {
  "use strict";
  var root = document.documentElement;
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  function choice() {
    try { return localStorage.getItem("theme") || "system"; } catch (refused) { return "system"; }
  }
  function apply() {
    var chosen = choice();
    root.dataset.bsTheme = chosen === "system" ? (dark.matches ? "dark" : "light") : chosen;
  }
  root.classList.add("js");
  dark.addEventListener("change", apply);
  window.theme = {
    choice: choice,
    choose: function (value) {
      try { localStorage.setItem("theme", value); } catch (refused) { /* the choice holds for this page only */ }
      apply();
    },
  };
  apply();
})();
