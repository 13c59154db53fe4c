// While results are on their way the old ones stay, told as busy; "more" keeps the focus where it was.

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.target?.id === "found") event.detail.target.setAttribute("aria-busy", "true");
});

document.addEventListener("htmx:afterSwap", (event) => {
  const rest = event.detail.elt?.closest?.(".hit")?.querySelector(".hit-rest a");
  if (rest && document.activeElement === document.body) rest.focus({ preventScroll: true });
});

// Down from the field goes to the first result, as j does elsewhere.
document.getElementById("q")?.addEventListener("keydown", (event) => {
  if (event.key !== "ArrowDown") return;
  event.preventDefault();
  document.querySelector(".hit .row-title a")?.focus();
});
