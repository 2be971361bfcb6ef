
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
    if (++polls > MAX_POLLS) return stop(say("Live tail has ended after 30 minutes."));
    if (!document.hidden) {
      try {
        const newest = body.querySelector("[data-request]")?.dataset.request ?? "";
        const response = await fetch(`${button.dataset.tail}&after=${newest}`);
        if (response.redirected || response.status >= 400) return stop(say("Live tail has stopped. Reload the page."));
        const page = new DOMParser().parseFromString(await response.text(), "text/html");
        const rows = [...page.querySelectorAll("tr")];
        for (const row of rows) row.classList.add("is-new");
        for (const row of body.querySelectorAll(".is-new")) row.classList.remove("is-new");
        body.prepend(...rows);
        while (body.rows.length > MAX_ROWS) body.lastElementChild.remove();
        arrived += rows.length;
        if (rows.length) {
          box.hidden = false;
          document.querySelector("[data-tail-empty]")?.remove();
          status.textContent = say("Live: {0} new", arrived);
        }
      } catch { /* The server does not respond. Try again. */ }
    }
    if (timer !== undefined) timer = setTimeout(poll, EVERY_MS);
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    if (timer !== undefined) return stop(say("Live tail is off."));
    polls = 0;
    button.ariaPressed = "true";
    status.textContent = say("Live: waiting for requests");
    timer = setTimeout(poll, 0);
  });
}

// Go to: Ctrl K, or the link in the menu, opens a box over the page. It lists the same as the page
// behind the link, and what the documentation has.
for (const link of document.querySelectorAll("[data-go]")) {
  const MAX_DOCS = 5, WAIT_MS = 160;
  let box, field, list, waiting, asked;
  const build = () => {
    box = document.createElement("dialog");
    box.className = "go-box";
    box.ariaLabel = say("Go to");
    box.innerHTML = '<div class="field"><label class="hidden-text" for="go-field"></label>'
      + '<input id="go-field" type="search" autocomplete="off" maxlength="100"></div>'
      + '<div aria-live="polite"></div>';
    document.body.append(box);
    field = box.querySelector("input");
    field.placeholder = say("Page, key, company or document");
    box.querySelector("label").textContent = field.placeholder;
    list = box.lastElementChild;
    field.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(find, WAIT_MS); });
    box.addEventListener("click", (event) => { if (event.target === box) box.close(); });
    box.addEventListener("close", () => link.focus());
    box.addEventListener("keydown", (event) => {
      const places = [...list.querySelectorAll("a")];
      const at = places.indexOf(document.activeElement);
      if (event.key === "ArrowDown") (places[at + 1] ?? places[0])?.focus();
      else if (event.key === "ArrowUp") (at > 0 ? places[at - 1] : field).focus();
      else if (event.key === "Enter" && document.activeElement === field) open();
      else return;
      event.preventDefault();
    });
  };
  const open = async () => {
    clearTimeout(waiting);
    await find();
    list.querySelector("a")?.click();
  };
  const get = async (path) => {
    const response = await fetch(path).catch(() => null);
    return new DOMParser().parseFromString(response?.ok ? await response.text() : "", "text/html");
  };
  const find = async () => {
    const text = field.value.trim();
    if (text === asked) return;
    asked = text;
    const query = encodeURIComponent(text);
    const [places, docs] = await Promise.all([
      get(`/console/go?list=yes&q=${query}`),
      text ? get(`/docs/search?q=${query}`) : null,
    ]);
    if (asked !== text) return;
    const found = places.querySelector(".places") ?? document.createElement("ul");
    found.className = "places";
    for (const entry of [...(docs?.querySelectorAll(".found li > a") ?? [])].slice(0, MAX_DOCS)) {
      const place = document.createElement("a");
      place.href = entry.getAttribute("href");
      place.append(entry.textContent, Object.assign(document.createElement("span"), { className: "muted small kind", textContent: say("Docs") }));
      found.append(Object.assign(document.createElement("li"), {}));
      found.lastElementChild.append(place);
    }
    if (!found.children.length) {
      list.replaceChildren(Object.assign(document.createElement("p"), { className: "empty", textContent: say("Nothing found.") }));
    } else list.replaceChildren(found);
  };
  const show = () => {
    if (!box) build();
    if (box.open) return;
    asked = undefined;
    field.value = "";
    box.showModal();
    find();
  };
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show();
  });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      show();
    }
  });
}

// What was done appears over the page, so that it is seen wherever the page is scrolled to. It stays
// while the pointer or the focus is on it, and as long as it offers to undo.
for (const toast of document.querySelectorAll("[data-toast]")) {
  const STAYS_MS = 10000;
  let timer;
  const hide = () => toast.classList.add("is-gone");
  const wait = () => { if (!toast.querySelector("form")) timer = setTimeout(hide, STAYS_MS); };
  const hold = () => clearTimeout(timer);
  const close = document.createElement("button");
  close.type = "button";
  close.className = "link-button quiet close";
  close.textContent = say("Close");
  close.addEventListener("click", hide);
  toast.append(close);
  toast.classList.add("toast");
  toast.addEventListener("pointerenter", hold);
  toast.addEventListener("pointerleave", wait);
  toast.addEventListener("focusin", hold);
  toast.addEventListener("focusout", wait);
  wait();
}

// The operations of a key: the box of a group selects all of it, and says how many are selected.
for (const scope of document.querySelectorAll("[data-scope]")) {
  const [all, ...boxes] = scope.querySelectorAll("input");
  const count = scope.querySelector("[data-scope-count]");
  const show = () => {
    const chosen = boxes.filter((box) => box.checked).length;
    all.checked = chosen === boxes.length;
    all.indeterminate = chosen > 0 && !all.checked;
    count.textContent = chosen ? say("{0} of {1} selected", chosen, boxes.length) : "";
  };
  if (all.checked) for (const box of boxes) box.checked = true;
  scope.addEventListener("change", (event) => {
    if (event.target === all) for (const box of boxes) box.checked = all.checked;
    show();
  });
  show();
}
