// Ctrl-K (or Cmd-K): areas are narrowed here, sessions come from the server; arrows move, Enter opens.

export function bindPalette(keys) {
  const dialog = document.getElementById("palette");
  if (!dialog) return;
  const input = dialog.querySelector("input");
  let now = 0;

  const choices = () => [...dialog.querySelectorAll(".palette-choice")].filter((choice) => !choice.hidden);

  function mark(at) {
    const list = choices();
    now = Math.max(0, Math.min(at, list.length - 1));
    list.forEach((choice, place) => {
      choice.id = `palette-choice-${place}`;
      choice.setAttribute("aria-selected", String(place === now));
    });
    if (list.length) input.setAttribute("aria-activedescendant", list[now].id);
    else input.removeAttribute("aria-activedescendant");
    list[now]?.scrollIntoView({ block: "nearest" });
  }

  function narrow() {
    const typed = input.value.trim().toLowerCase();
    for (const area of dialog.querySelectorAll("[data-area]")) area.hidden = !area.textContent.toLowerCase().includes(typed);
    mark(0);
  }

  function open() {
    if (!dialog.open) dialog.showModal();
    input.select();
    narrow();
  }

  input.addEventListener("input", narrow);
  dialog.addEventListener("htmx:afterSwap", () => mark(0));
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      mark(now + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      choices()[now]?.click();
    }
  });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      open();
    }
  });
  keys.add("g k", "search or jump", open, { bar: false });
}
