// Keys, the help, the copy button, and lines that light up. The pages work without any of it.
"use strict";

const hits = () => Array.from(document.querySelectorAll("[data-hit]")).filter((hit) => hit.querySelector("[data-open]"));
const question = () => document.querySelector("#q, #path_prefix");
const help = document.querySelector("#help");

function isTyping(element) {
  return element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement;
}

// Moves the focus by so many hits; from outside the list, to its first or last one.
function move(step) {
  const all = hits();
  if (all.length === 0) return;
  const at = all.indexOf(document.activeElement?.closest("[data-hit]"));
  const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step));
  all[next].focus({ preventScroll: true });
  all[next].scrollIntoView({ block: "nearest" });
}

function openHit() {
  const hit = document.activeElement?.closest("[data-hit]");
  if (document.activeElement !== hit) return false; // a link inside it opens by itself
  hit.querySelector("[data-open]").click();
  return true;
}

function goCompare() {
  const elsewhere = location.pathname === "/compare" ? "/" : "/compare";
  if (location.pathname !== "/" && location.pathname !== "/compare") return;
  location.assign(elsewhere + location.search);
}

const KEYS = {
  "/": () => { question()?.focus(); question()?.select(); },
  "j": () => move(1),
  "k": () => move(-1),
  "c": goCompare,
  "?": () => help.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || help.open) return;
  if (event.key === "Escape" && isTyping(document.activeElement)) {
    document.activeElement.blur();
    return;
  }
  if (isTyping(document.activeElement)) return;
  if (event.key === "Enter") {
    if (document.activeElement?.matches("[data-hit]") && openHit()) event.preventDefault();
    return;
  }
  const act = KEYS[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});

const helpButton = document.querySelector("#help-button");
helpButton.hidden = false; // without scripts there are no keys to list
helpButton.addEventListener("click", () => help.showModal());
help.addEventListener("click", (event) => { if (event.target === help) help.close(); });

for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue; // only in secure contexts: loopback, https
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}

// In a comparison: the hit under the pointer, or in focus, lights its line up.
const comparison = document.querySelector(".comparison");
if (comparison) {
  const light = (event) => {
    const hit = event.target.closest("[data-rank]");
    const side = hit?.closest(".ranked").classList.contains("left") ? "left" : "right";
    for (const line of comparison.querySelectorAll(".lines path")) {
      line.classList.toggle("lit", Boolean(hit) && line.dataset[side] === hit.dataset.rank);
    }
  };
  for (const kind of ["pointerover", "pointerleave", "focusin", "focusout"]) comparison.addEventListener(kind, light);
}

// Fields left empty need not stand in the address.
for (const form of document.querySelectorAll("form[method=get]")) {
  form.addEventListener("submit", () => {
    for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
  });
}
addEventListener("pageshow", () => {
  for (const field of document.querySelectorAll("form [disabled]")) field.disabled = false;
});
