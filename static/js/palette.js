// Search and jump from anywhere with Ctrl-K or ⌘K. htmx asks where the letters lead, and typing on cancels the last question.

export function bindPalette(keys) {
  const dialog = document.getElementById("palette");
  if (!dialog) return;
  const input = dialog.querySelector("input");
  const list = dialog.querySelector("[role=listbox]");
  let answered = null;
  let hurried = false;

  const options = () => [...list.querySelectorAll("[role=option]")];
  const chosen = () => options().find((option) => option.getAttribute("aria-selected") === "true");

  function choose(option) {
    for (const other of options()) other.setAttribute("aria-selected", String(other === option));
    if (option) {
      input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else input.removeAttribute("aria-activedescendant");
  }

  function step(by) {
    const all = options();
    choose(all[(all.indexOf(chosen()) + by + all.length) % all.length]);
  }

  function ask() {
    window.htmx?.trigger(input, "asked");
  }

  // Enter before the answer is there waits for it instead of following the last one.
  function follow() {
    if (answered === input.value) return chosen()?.click();
    hurried = true;
    return ask();
  }

  function open() {
    if (dialog.open) return input.select();
    if (document.querySelector("dialog[open]")) return;
    dialog.showModal();
    input.select();
    ask();
  }

  list.addEventListener("htmx:afterSwap", (event) => {
    answered = event.detail.requestConfig.parameters.q ?? "";
    options().forEach((option, place) => (option.id = `palette-${place}`));
    choose(options()[0]);
    if (hurried && answered === input.value) chosen()?.click();
  });
  dialog.addEventListener("htmx:sendError", () => window.stash.say("The server does not answer.", { now: true }));
  input.addEventListener("input", () => (hurried = false));
  input.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) step(by);
    else if (event.key === "Enter" && !event.isComposing) follow();
    else return;
    event.preventDefault();
  });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      open();
    }
  });
  keys.add("Ctrl K", "search or jump", open, { bar: false });
}
