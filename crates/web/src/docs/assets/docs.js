// The script of the documentation. Every page also works without it.
"use strict";

// Sends the form of "Try it" without leaving the page. If that fails, the browser sends it as usual.
for (const form of document.querySelectorAll("[data-try]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    const output = document.getElementById("response");
    button.disabled = true;
    output.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const shown = page.getElementById("response") ?? page.querySelector("[role=alert]");
      output.replaceChildren(...(shown.id ? shown.childNodes : [shown]));
      output.scrollIntoView({ block: "nearest" });
    } catch {
      form.submit();
    }
    output.removeAttribute("aria-busy");
    button.disabled = false;
  });
}
