// Find in a session: the server knows which events hold the words, loaded or not; the browser marks them.

const WAIT = 200;

export function bindFind({ page, log, base, jump, slotOf }) {
  const form = page.querySelector("[data-find]");
  const input = form.querySelector("input[type=search]");
  const count = form.querySelector("[data-find-tally]");
  const buttons = form.querySelectorAll("[data-find-previous], [data-find-next]");
  const canMark = "highlights" in CSS;
  let numbers = [];
  let at = -1;
  let timer = 0;
  let asked = 0;
  let term = "";

  function tell() {
    count.textContent = term ? (numbers.length ? `${at + 1} / ${numbers.length}${numbers.length === 1000 ? "+" : ""}` : "0") : "";
    for (const button of buttons) button.disabled = numbers.length === 0;
  }

  async function ask() {
    const words = input.value;
    const mine = ++asked;
    if (!words.trim()) {
      term = "";
      numbers = [];
      at = -1;
      mark();
      return tell();
    }
    const response = await fetch(`${base}find/?q=${encodeURIComponent(words)}`);
    if (mine !== asked || !response.ok) return;
    term = words;
    ({ numbers } = await response.json());
    at = -1;
    if (numbers.length) await go(1);
    mark();
    tell();
  }

  async function go(by) {
    if (!numbers.length) return;
    at = (at + by + numbers.length) % numbers.length;
    const focused = document.activeElement;
    await jump(numbers[at]);
    await open(slotOf(numbers[at]));
    if (focused === input) input.focus({ preventScroll: true });
    mark();
    tell();
  }

  // Opens the card, and the folds in it that hold the words (or must still be loaded to know).
  async function open(row) {
    if (!row) return;
    const holds = (element) => element.textContent.toLowerCase().includes(term.toLowerCase());
    for (const details of row.querySelectorAll("details")) {
      const unloaded = details.hasAttribute("hx-get") && !details.open;
      if (!holds(details) && !unloaded) continue;
      details.open = true;
      if (unloaded) await new Promise((done) => {
        details.addEventListener("htmx:afterSettle", done, { once: true });
        setTimeout(done, 1500);
      });
    }
  }

  function ranges(row) {
    const found = [];
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    const wanted = term.toLowerCase();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.data.toLowerCase();
      for (let from = text.indexOf(wanted); from >= 0 && found.length < 500; from = text.indexOf(wanted, from + wanted.length)) {
        const range = new Range();
        range.setStart(node, from);
        range.setEnd(node, from + wanted.length);
        found.push(range);
      }
    }
    return found;
  }

  function mark() {
    if (!canMark) return;
    CSS.highlights.delete("hit");
    CSS.highlights.delete("hit-now");
    if (!term) return;
    const here = new Set(numbers);
    const all = [...log.querySelectorAll(":scope > .slot")].filter((row) => here.has(Number(row.dataset.number)));
    CSS.highlights.set("hit", new Highlight(...all.flatMap(ranges).slice(0, 2000)));
    const row = slotOf(numbers[at]);
    if (row) CSS.highlights.set("hit-now", new Highlight(...ranges(row).slice(0, 1)));
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT);
  });
  // The browser's own clearing of the field says only this.
  input.addEventListener("search", () => !input.value && ask());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (input.value === term) go(1);
    else ask();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.shiftKey) {
      event.preventDefault();
      go(-1);
    }
  });
  form.querySelector("[data-find-previous]").addEventListener("click", () => go(-1));
  form.querySelector("[data-find-next]").addEventListener("click", () => go(1));
  document.addEventListener("keydown", (event) => {
    if ((event.metaKey || event.ctrlKey) && event.key === "f" && document.activeElement !== input) {
      event.preventDefault();
      input.focus();
      input.select();
    }
  });
  document.addEventListener("htmx:afterSettle", mark);
  if (input.value.trim()) ask();
  tell();
}
