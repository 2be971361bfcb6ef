// The console's script. Every page also works without it.
"use strict";

// A text in the language of the page, with values in the places {0}, {1}. The server sends the translations
// before this script.
const say = (text, ...values) =>
  (globalThis.panjiTexts?.[text] ?? text).replace(/\{(\d)\}/g, (_, place) => values[place]);

// Moves the focus to the error message, so that screen readers read it first. Some browsers support
// autofocus only on form fields.
document.querySelector("[data-take-focus]")?.focus();

// Selects the text of an element or a field.
const select = (source) => {
  if (source.select) return source.select();
  const range = document.createRange();
  range.selectNodeContents(source);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
};

// Copies the text of the element that a button names. Over plain http there is no clipboard API: the
// text is then selected and copied by command, or stays selected so that the user can copy it.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  const text = (source.value ?? source.textContent).trim();
  const word = (button.dataset.word ??= button.textContent);
  let copied = false;
  try {
    await navigator.clipboard.writeText(text);
    copied = true;
  } catch {
    select(source);
    copied = document.execCommand("copy");
  }
  button.textContent = copied ? say("Copied") : say("Press Ctrl+C");
  if (copied) setTimeout(() => { button.textContent = word; }, 1500);
});

// Switches between the light and the dark theme, and stores the choice in a cookie for the server.
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-theme-switch]")) return;
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  document.cookie = `panji_theme=${root.dataset.theme};path=/;max-age=31536000;samesite=lax`;
});

// Submits a form when one of its fields changes.
document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-send-on-change]");
  if (form) form.requestSubmit();
});

// Estimates the strength of a new password from its length and its kinds of characters.
for (const meter of document.querySelectorAll("[data-strength-of]")) {
  const field = document.getElementById(meter.dataset.strengthOf);
  field.addEventListener("input", () => {
    const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(field.value));
    meter.value = Math.min(4, (field.value.length * (1 + kinds.length / 3)) / 7);
  });
}

// Search as you type: fetches the list of results during input.
for (const field of document.querySelectorAll("[data-search-as-you-type]")) {
  const list = document.getElementById(field.getAttribute("aria-controls"));
  let waiting;
  let requested = field.value;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const text = field.value.trim();
      if (text === requested) return;
      requested = text;
      const sent = new URLSearchParams([...new FormData(field.form)].filter(([, value]) => value !== ""));
      const response = await fetch(`${field.dataset.searchAsYouType}?${sent}`);
      if (response.ok && requested === text) list.innerHTML = await response.text();
    }, 180);
  });
}

// The body of a response is loaded into the page when its request is opened.
document.addEventListener("toggle", async (event) => {
  const link = event.target.open && event.target.querySelector("a[data-json]");
  if (!link) return;
  const response = await fetch(link.href).catch(() => null);
  if (!response?.ok) return;
  const box = document.createElement("pre");
  box.className = "json";
  box.tabIndex = 0;
  box.textContent = await response.text();
  link.parentElement.replaceWith(box);
}, true);

// Fields that are empty are left out of the address of a search.
document.addEventListener("formdata", (event) => {
  if (!event.target.matches("[data-skip-empty]")) return;
  for (const [name, value] of [...event.formData]) if (value === "") event.formData.delete(name);
});

// Search by keyboard: "/" goes to the field, the arrow keys from the field to the results and among them.
document.addEventListener("keydown", (event) => {
  const field = document.getElementById("q");
  if (!field || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = document.activeElement;
  if (event.key === "/" && !at.matches("input, select, textarea")) {
    event.preventDefault();
    field.select();
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const results = [...document.querySelectorAll("main a.result")];
  const from = results.indexOf(at);
  if (!step || results.length === 0 || (from < 0 && at !== field)) return;
  event.preventDefault();
  (results[from + step] ?? (step < 0 ? field : at)).focus();
});

// The recent searches of this browser, which it forgets when the user logs out.
{
  const KEPT = "panji_searches";
  const MOST = 8;
  const box = document.querySelector("[data-recent-searches]");
  const read = () => {
    try {
      return JSON.parse(localStorage.getItem(KEPT)) ?? [];
    } catch {
      return [];
    }
  };
  if (box) {
    const text = document.getElementById("q").value.trim();
    const address = new URLSearchParams(location.search);
    address.delete("page");
    const searched = address.has("q") && text !== "";
    let recent = read();
    if (searched) {
      const filters = [...address].filter(([name]) => !["q", "sort", "directors"].includes(name)).map(([, value]) => value);
      const label = [text, ...filters].join(", ").slice(0, 80);
      recent = [{ label, query: String(address) }, ...recent.filter((one) => one.label !== label)].slice(0, MOST);
      localStorage.setItem(KEPT, JSON.stringify(recent));
    }
    for (const { label, query } of recent.slice(searched ? 1 : 0)) {
      const link = document.createElement("a");
      link.href = `/console/search?${query}`;
      link.textContent = label;
      box.append(link);
      box.hidden = false;
    }
  }
  document.querySelector("form[action='/console/log-out']")?.addEventListener("submit", () => localStorage.removeItem(KEPT));
}

// The link to the section that is at the top of the window is the current one.
for (const nav of document.querySelectorAll("[data-follow-scroll]")) {
  const links = [...nav.querySelectorAll("a")];
  const heads = links.map((link) => document.getElementById(link.hash.slice(1)));
  let current;
  const follow = () => {
    const line = nav.getBoundingClientRect().bottom + 60;
    const atEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const passed = heads.filter((head) => head.getBoundingClientRect().top <= line).length;
    const next = links[atEnd ? links.length - 1 : Math.max(passed - 1, 0)];
    if (next === current) return;
    current?.removeAttribute("aria-current");
    current = next;
    current.setAttribute("aria-current", "true");
    const list = current.closest("ul");
    list.scrollLeft = current.offsetLeft - list.offsetLeft - 40;
  };
  addEventListener("scroll", follow, { passive: true });
  follow();
}

// Tables that are sorted by a click on a heading: by the number or the text of the cells, or by what
// data-sort says. Empty cells stay last.
for (const table of document.querySelectorAll("table[data-sortable]")) {
  if (table.tBodies[0].rows.length < 2) continue;
  const key = (row, column) => {
    const cell = row.cells[column];
    return (cell.dataset.sort ?? cell.textContent).trim();
  };
  const compare = (one, other) => (/^-?[\d.]+$/.test(one) && /^-?[\d.]+$/.test(other)
    ? Number(one) - Number(other) : one.localeCompare(other, "en-IN", { numeric: true }));
  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const descending = head.ariaSort ? head.ariaSort === "ascending" : head.classList.contains("number-cell");
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.ariaSort = descending ? "descending" : "ascending";
      const rows = [...table.tBodies[0].rows].map((row) => [key(row, head.cellIndex), row]);
      rows.sort(([one], [other]) => (one === "" || other === ""
        ? (one === "") - (other === "") : compare(one, other) * (descending ? -1 : 1)));
      table.tBodies[0].append(...rows.map(([, row]) => row));
    });
  }
}

// The total price of the selected checkboxes.
for (const sum of document.querySelectorAll("[data-sum-of]")) {
  const boxes = [...document.querySelectorAll(`[name="${sum.dataset.sumOf}"]`)];
  const add = () => {
    const total = boxes.filter((box) => box.checked)
      .reduce((total, box) => total + Number(box.dataset.price), 0);
    sum.textContent = total === 1 ? say("{0} credit", total) : say("{0} credits", total);
  };
  for (const box of boxes) box.addEventListener("change", add);
  add();
}

// The progress of a bulk job: requested once a second; the page is reloaded when the job has ended.
for (const box of document.querySelectorAll("[data-progress]")) {
  const poll = async () => {
    try {
      const response = await fetch(box.dataset.progress);
      if (response.ok) {
        const progress = await response.json();
        box.querySelector("progress").value = progress.done;
        box.querySelector("[data-progress-text]").textContent = progress.text;
        if (progress.state !== "running") return location.reload();
      }
    } catch { /* The server does not respond; the job continues. Try again. */ }
    setTimeout(poll, 1000);
  };
  setTimeout(poll, 500);
}

// A file that is dropped on a form goes into its file field.
for (const form of document.querySelectorAll("form[data-drop]")) {
  const field = document.getElementById(form.dataset.drop);
  const has = (event) => event.dataTransfer.types.includes("Files");
  form.addEventListener("dragover", (event) => {
    if (!has(event)) return;
    event.preventDefault();
    form.classList.add("is-dropping");
  });
  form.addEventListener("dragleave", (event) => {
    if (!form.contains(event.relatedTarget)) form.classList.remove("is-dropping");
  });
  form.addEventListener("drop", (event) => {
    form.classList.remove("is-dropping");
    if (!has(event)) return;
    event.preventDefault();
    field.files = event.dataTransfer.files;
    field.focus();
  });
}

// Opens a details element when its option is selected, and closes it otherwise.
for (const box of document.querySelectorAll("[data-open-with]")) {
  const [name, value] = box.dataset.openWith.split(":");
  for (const choice of document.querySelectorAll(`[name="${name}"]`)) {
    choice.addEventListener("change", () => { box.open = choice.checked && choice.value === value; });
  }
}

// The review of a job that matches names: a decision is sent without a reload, and the focus moves to the next
// row that needs review. The keys work only while the focus is within the list.
for (const list of document.querySelectorAll("[data-review]")) {
  const rows = () => [...list.querySelectorAll("article")];
  const status = document.querySelector("[data-review-status]");
  const decided = [];
  const focusAfter = (row) => {
    const all = rows();
    const at = all.indexOf(row);
    const next = [...all.slice(at + 1), ...all.slice(0, at)].find((other) => "open" in other.dataset);
    (next ?? document.querySelector("[data-review-end] a:last-child") ?? row).focus();
  };
  const send = async (form, button) => {
    const id = form.closest("article").id;
    const row = () => document.getElementById(id);
    if (row().ariaBusy === "true") return;
    row().ariaBusy = "true";
    const sent = new URLSearchParams(new FormData(form));
    sent.set("choice", button.value);
    sent.set("rows", rows().map((other) => other.id.replace("row-", "")).join(","));
    const response = await fetch(form.action, { method: "POST", body: sent }).catch(() => null);
    if (!response?.ok) {
      // Sent again as a form: the page then displays why it failed.
      list.removeEventListener("submit", onSubmit);
      row().ariaBusy = "false";
      button.click();
      return;
    }
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const part of page.querySelectorAll("article")) document.getElementById(part.id)?.replaceWith(part);
    document.querySelector("[data-review-counts]").replaceWith(page.querySelector("[data-review-counts]"));
    const undone = button.value === "undo";
    const known = decided.indexOf(id);
    if (known >= 0) decided.splice(known, 1);
    if (!undone) decided.push(id);
    status.textContent = say("Row {0}: {1}", id.replace("row-", ""), row().querySelector("[data-outcome]").textContent);
    if (undone) row().focus(); else focusAfter(row());
  };
  const onSubmit = (event) => {
    event.preventDefault();
    send(event.target, event.submitter);
  };
  list.addEventListener("submit", onSubmit);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const end = document.activeElement?.closest("[data-review-end]");
    const row = document.activeElement?.closest("[data-review] article");
    if (!row && !end) return;
    const all = rows();
    const at = row ? all.indexOf(row) : all.length;
    const key = event.key === "n" ? "0" : event.key;
    if (key === "j") all[Math.min(at + 1, all.length - 1)].focus();
    else if (key === "k") all[Math.max(at - 1, 0)].focus();
    else if (key === "u") {
      const last = row?.querySelector("[data-undo]") ? row : document.getElementById(decided.at(-1) ?? "");
      last?.querySelector("[data-undo]")?.click();
    } else if (/^[0-9]$/.test(key)) row?.querySelector(`[data-key="${key}"]`)?.click();
    else return;
    event.preventDefault();
  });
  if (!document.querySelector("[data-take-focus]")) {
    (list.querySelector("article[data-open]") ?? list.querySelector("article")).focus({ preventScroll: true });
  }
}

// Displays the total of a purchase. Typing a custom amount selects that option.
for (const form of document.querySelectorAll("[data-purchase]")) {
  const sum = form.querySelector("[data-purchase-sum]");
  const rupees = (paise) => `₹${(paise / 100).toLocaleString("en-IN", { minimumFractionDigits: 2 })}`;
  const show = () => {
    const pack = form.elements.pack.value;
    const digits = pack === "own" ? form.elements.amount.value.replace(/[, ₹]/g, "") : pack;
    const credits = Number(digits);
    // Displayed only for an amount that the server accepts.
    sum.hidden = !/^\d+$/.test(digits) || credits < Number(form.dataset.smallest)
      || credits > Number(form.dataset.largest);
    if (sum.hidden) { sum.textContent = ""; return; }
    const tax = credits * Number(form.dataset.gst);
    sum.textContent = `${rupees(credits * 100)} + GST ${form.dataset.gst}% ${rupees(tax)} = ${rupees(credits * 100 + tax)}`;
  };
  form.elements.amount.addEventListener("input", () => { form.elements.pack.value = "own"; });
  form.addEventListener("input", show);
  show();
}

// Fills in the buyer's name, address and state when the GSTIN changes, with the same request as the
// button "Fill in". Fields that the user has changed in the meantime are not overwritten.
for (const form of document.querySelectorAll("[data-fill-in]")) {
  const { gstin, address } = form.elements;
  const note = form.querySelector("[data-fill-note]");
  gstin.addEventListener("change", async () => {
    note.textContent = "";
    address.required = gstin.value.trim() !== "";
    if (!address.required) return;
    const sent = new URLSearchParams(new FormData(form));
    sent.set("fill", "yes");
    const response = await fetch(form.action, { method: "POST", body: sent });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const filled = page.getElementById(form.id);
    if (!filled) return;
    for (const name of ["gstin", "name", "address", "state"]) {
      const field = form.elements[name];
      if (field.value === sent.get(name)) field.value = filled.elements[name].value;
    }
    const error = page.getElementById("gstin-error");
    note.textContent = (error ?? filled.querySelector("[data-fill-note]")).textContent;
    note.classList.toggle("bad", error !== null);
  });
}

// Razorpay Checkout: its script is loaded from Razorpay, which can fail.
for (const form of document.querySelectorAll("[data-razorpay]")) {
  const problem = document.querySelector("[data-pay-problem]");
  const report = (text) => { problem.textContent = text; problem.hidden = false; };
  form.querySelector("[data-pay]").addEventListener("click", () => {
    if (!window.Razorpay) {
      report(say("Razorpay Checkout could not be loaded. Check your connection and any content blocker, then reload the page. You have not been charged."));
      return;
    }
    const checkout = new window.Razorpay({
      key: form.dataset.key,
      order_id: form.dataset.order,
      amount: Number(form.dataset.amount),
      currency: "INR",
      name: form.dataset.seller,
      description: "API credits",
      prefill: { name: form.dataset.buyer, email: form.dataset.email },
      handler: (paid) => {
        form.elements.razorpay_payment_id.value = paid.razorpay_payment_id;
        form.elements.razorpay_signature.value = paid.razorpay_signature;
        form.submit();
      },
    });
    checkout.on("payment.failed", (failed) => {
      report(say("The payment failed: {0} You can try again.", failed.error.description));
    });
    checkout.open();
  });
}

// In a network, shows the lines of the node under the pointer and fades the others.
for (const drawing of document.querySelectorAll(".network-box svg")) {
  const lines = drawing.querySelectorAll("[data-ends]");
  const show = (node) => {
    drawing.classList.toggle("has-shown", Boolean(node));
    for (const line of lines) {
      line.classList.toggle("shown", Boolean(node) && line.dataset.ends.split(" ").includes(node.dataset.at));
    }
  };
  drawing.addEventListener("pointerover", (event) => show(event.target.closest(".node")));
  drawing.addEventListener("pointerleave", () => show(null));
}
