// The search page: "/" types, arrows and h, l walk over results and hits. Results come as htmx fragments.

const { keys } = window.stash;
const input = document.getElementById("q");

function hits() {
  const result = document.querySelector(".result.selected") || document.activeElement?.closest?.(".result");
  return result ? [...result.querySelectorAll(".row-title a, .hit-no, [data-more]")] : [];
}

function walk(by) {
  const links = hits();
  const now = links.indexOf(document.activeElement);
  links[Math.min(Math.max(now + by, 0), links.length - 1)]?.focus();
}

const found = () => document.querySelector(".result") !== null;
keys.add("h", "hit", () => walk(-1), { when: found });
keys.add("l", "hit", () => walk(1), { when: found });

input.addEventListener("keydown", (event) => {
  if (event.key !== "ArrowDown" || !found()) return;
  event.preventDefault();
  document.querySelector(".result .row-title a").focus();
  document.querySelector(".result").classList.add("selected");
});

// A browser restores what was typed when one comes back; the results below must answer that.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) return;
  const asked = new URLSearchParams(location.search).get("q") || "";
  if (input.value !== asked) input.value = asked;
});

// Where one has opened all hits of a session, the first new one gets the focus the link had.
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.matches?.(".hits")) event.target.querySelector(".hit-no")?.focus({ preventScroll: true });
});

// Escape closes the sheet of filters on a phone with a keyboard.
document.addEventListener("keydown", (event) => {
  const sheet = document.getElementById("sheet");
  if (event.key === "Escape" && sheet?.checked) sheet.checked = false;
});
