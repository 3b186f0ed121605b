// Security keys: a form with data-key-form="create" or "get" asks the browser for a credential, then is sent with it.
// What is asked for stands in #key-options; webauthnJSON (of django-allauth) turns it into bytes and back.
(function () {
  "use strict";

  async function ask(form) {
    const options = JSON.parse(document.getElementById("key-options").textContent);
    const failed = form.querySelector("[data-key-failed]");
    failed.hidden = true;
    try {
      form.elements.credential.value = JSON.stringify(await window.webauthnJSON[form.dataset.keyForm](options));
    } catch (refused) {
      failed.hidden = false;
      return;
    }
    form.submit();
  }

  document.querySelectorAll("[data-key-form]").forEach((form) => {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      ask(form);
    });
  });
})();
