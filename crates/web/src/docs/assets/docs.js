// The script of the documentation. Every page also works without it.
"use strict";

// Sends the form of "Try it" without leaving the page. If that fails, the browser sends it as usual.
for (const form of document.querySelectorAll("[data-try]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    const answer = document.getElementById("answer");
    button.disabled = true;
    answer.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const shown = page.getElementById("answer") ?? page.querySelector("[role=alert]");
      answer.replaceChildren(...(shown.id ? shown.childNodes : [shown]));
      answer.scrollIntoView({ block: "nearest" });
    } catch {
      form.submit();
    }
    answer.removeAttribute("aria-busy");
    button.disabled = false;
  });
}
