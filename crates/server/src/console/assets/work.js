
// The live tail of the request log: asks for requests after the newest one of the list while the page
// is visible.
for (const button of document.querySelectorAll("[data-tail]")) {
  const EVERY_MS = 2000, MAX_ROWS = 200, MAX_POLLS = 900;
  const status = document.querySelector("[data-tail-status]");
  const box = document.querySelector("[data-tail-list]");
  const body = box.querySelector("tbody");
  let timer, polls = 0, arrived = 0;
  const stop = (text) => {
    clearTimeout(timer);
    timer = undefined;
    button.ariaPressed = "false";
    status.textContent = text;
  };
  const poll = async () => {
    if (++polls > MAX_POLLS) return stop("Live tail has ended after 30 minutes.");
    if (!document.hidden) {
      try {
        const newest = body.querySelector("[data-request]")?.dataset.request ?? "";
        const answer = await fetch(`${button.dataset.tail}&after=${newest}`);
        if (answer.redirected || answer.status >= 400) return stop("Live tail has stopped. Reload the page.");
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const rows = [...page.querySelectorAll("tr")];
        for (const row of rows) row.classList.add("is-new");
        for (const row of body.querySelectorAll(".is-new")) row.classList.remove("is-new");
        body.prepend(...rows);
        while (body.rows.length > MAX_ROWS) body.lastElementChild.remove();
        arrived += rows.length;
        if (rows.length) {
          box.hidden = false;
          document.querySelector("[data-tail-empty]")?.remove();
          status.textContent = `Live: ${arrived} new`;
        }
      } catch { /* The server does not respond. Try again. */ }
    }
    if (timer !== undefined) timer = setTimeout(poll, EVERY_MS);
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    if (timer !== undefined) return stop("Live tail is off.");
    polls = 0;
    button.ariaPressed = "true";
    status.textContent = "Live: waiting for requests";
    timer = setTimeout(poll, 0);
  });
}
