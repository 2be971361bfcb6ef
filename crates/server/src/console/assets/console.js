// The console's script: small comforts. Every page works without it.
"use strict";

// Copies the text that a button names.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const text = document.getElementById(button.dataset.copy).textContent.trim();
  navigator.clipboard.writeText(text).then(() => {
    const before = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = before; }, 1500);
  }, () => { button.textContent = "Press Ctrl+C"; });
});

// Switches between light and dark, and remembers it in a cookie that the server reads.
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-theme-switch]")) return;
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  document.cookie = `panji_theme=${root.dataset.theme};path=/;max-age=31536000;samesite=lax`;
});

// Sends a form as soon as one of its fields is changed.
document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-send-on-change]");
  if (form) form.requestSubmit();
});

// A hint of a new password's strength: how long, and of how many kinds of character.
for (const meter of document.querySelectorAll("[data-strength-of]")) {
  const field = document.getElementById(meter.dataset.strengthOf);
  field.addEventListener("input", () => {
    const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(field.value));
    meter.value = Math.min(4, (field.value.length * (1 + kinds.length / 3)) / 7);
  });
}

// Search as you type: the list below the field is fetched while the person types.
for (const field of document.querySelectorAll("[data-search-as-you-type]")) {
  const list = document.getElementById(field.getAttribute("aria-controls"));
  let waiting;
  let asked = field.value;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const text = field.value.trim();
      if (text === asked) return;
      asked = text;
      const answer = await fetch(`${field.dataset.searchAsYouType}?q=${encodeURIComponent(text)}`);
      if (answer.ok && asked === text) list.innerHTML = await answer.text();
    }, 180);
  });
}

// The sum of what is ticked.
for (const sum of document.querySelectorAll("[data-sum-of]")) {
  const boxes = [...document.querySelectorAll(`[name="${sum.dataset.sumOf}"]`)];
  const add = () => {
    const total = boxes.filter((box) => box.checked)
      .reduce((total, box) => total + Number(box.dataset.price), 0);
    sum.textContent = `${total} ${total === 1 ? "credit" : "credits"}`;
  };
  for (const box of boxes) box.addEventListener("change", add);
  add();
}
