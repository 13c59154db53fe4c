// Toasts say what was just done, one at a time; errors are notes in the page. say() speaks to screen readers only.

const STAY = 6000;
let timer = 0;

export function toast(text, undo) {
  const box = document.querySelector("[data-toasts]");
  if (!box) return;
  const item = document.createElement("div");
  item.className = "toast";
  const tick = document.getElementById("toast-tick")?.content.cloneNode(true);
  item.append(...(tick ? [tick] : []), Object.assign(document.createElement("span"), { textContent: text }));
  if (undo) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Undo " });
    button.dataset.key = "z";
    button.dataset.keyLabel = "undo";
    button.append(Object.assign(document.createElement("kbd"), { textContent: "z" }));
    button.addEventListener("click", () => {
      item.remove();
      undo();
    });
    item.append(button);
  }
  box.replaceChildren(item);
  say(text);
  clearTimeout(timer);
  const leave = () => {
    // Somebody who is about to press Undo keeps it.
    if (item.matches(":hover, :focus-within")) timer = setTimeout(leave, 1000);
    else item.remove();
  };
  timer = setTimeout(leave, STAY);
}

export function say(text, { now = false } = {}) {
  const box = document.querySelector(now ? "[data-say-now]" : "[data-say]");
  if (box) box.textContent = text;
}
