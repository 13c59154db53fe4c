// Shortcuts: one registry for elements with data-key and for functions of scripts.
// data-key="j" or "g h" (a sequence); data-key-label: what it does; data-key-bar="no": listed in the dialog only.
// Single keys can be switched off (WCAG 2.1.4) and never act while somebody types.

const OFF = "stash.shortcuts";
const WAIT = 1200;
const added = [];
let typed = "";
let typedAt = 0;

const root = document.documentElement;
const drawn = { "Enter": "↵", "Escape": "esc", "ArrowUp": "↑", "ArrowDown": "↓", " ": "space" };

function stored() {
  try {
    return localStorage.getItem(OFF);
  } catch {
    return null;
  }
}

function on() {
  const own = stored();
  return own === null ? root.dataset.shortcuts !== "off" : own !== "off";
}

function visible(element) {
  return element.isConnected && element.getClientRects().length > 0;
}

// The rail is on every page and comes last: a page may have a better use for a key.
function onPage() {
  const found = [...document.querySelectorAll("[data-key]")].filter((element) => !element.closest("dialog:not([open])"));
  return found.sort((one, other) => Boolean(one.closest(".rail")) - Boolean(other.closest(".rail")));
}

// Every shortcut that works now: {key, label, bar, run}. A key taken earlier on the page stays taken.
function all() {
  const found = new Map();
  for (const element of onPage()) {
    const { key, keyLabel, keyBar } = element.dataset;
    if (found.has(key) || element.hidden) continue;
    found.set(key, { key, label: keyLabel || ownWords(element), bar: keyBar !== "no" && visible(element), run: () => act(element) });
  }
  for (const entry of added) if (!entry.when || entry.when()) found.set(entry.key, entry);
  return [...found.values()];
}

function act(element) {
  if (element.matches("input, textarea, select")) {
    element.focus();
    element.select?.();
  } else element.click();
}

function ownWords(element) {
  return [...element.childNodes].filter((node) => node.nodeName !== "KBD").map((node) => node.textContent).join("").trim();
}

function typing(target) {
  return target.isContentEditable || target.matches?.("input:not([type=checkbox]):not([type=radio]), textarea, select");
}

function down(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (typing(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (!on() || document.querySelector("dialog[open]")) return;
  if (event.key === "Enter" && event.target.closest?.("a, button, summary, [role=button]")) return;
  const now = Date.now();
  const sequence = now - typedAt < WAIT && typed ? `${typed} ${event.key}` : event.key;
  const shortcuts = all();
  const hit = shortcuts.find((entry) => entry.key === sequence) || shortcuts.find((entry) => entry.key === event.key);
  typed = shortcuts.some((entry) => entry.key.startsWith(`${event.key} `)) ? event.key : "";
  typedAt = now;
  if (!hit) return;
  event.preventDefault();
  typed = "";
  hit.run(event);
}

function caps(key) {
  return key.split(" ").map((part) => {
    const cap = document.createElement("kbd");
    cap.textContent = drawn[part] || part || "space";
    return cap;
  });
}

function group(entries) {
  const groups = new Map();
  for (const entry of entries) groups.set(entry.label, [...(groups.get(entry.label) || []), entry.key]);
  return groups;
}

function fill(box, tag, entries, wrap) {
  if (!box) return;
  for (const old of box.querySelectorAll(":scope > [data-drawn]")) old.remove();
  for (const [label, pressed] of group(entries)) {
    const item = document.createElement(tag);
    item.dataset.drawn = "";
    item.className = tag === "span" ? "key" : "";
    item.append(...wrap(pressed.flatMap(caps), label));
    box.append(item);
  }
}

export const keys = {
  // add("x", "next failure", run, {bar: true, when: () => true})
  add(key, label, run, { bar = true, when } = {}) {
    added.push({ key, label, run, bar, when });
    this.draw();
  },
  draw() {
    const bar = document.querySelector("[data-keybar]");
    const entries = on() ? all().filter((entry) => entry.bar && entry.key !== "?") : [];
    // What is particular to the page stands first; the ways to other pages may be cut off.
    entries.sort((one, other) => one.key.includes(" ") - other.key.includes(" "));
    fill(bar, "span", entries, (pressed, label) => [...pressed, label]);
    root.classList.toggle("keys-off", !on());
  },
  help() {
    const dialog = document.getElementById("keys");
    if (!dialog) return;
    fill(dialog.querySelector("[data-keylist]"), "li", all(), (pressed, label) => {
      const set = document.createElement("span");
      set.className = "keyset";
      set.append(...pressed);
      return [label, set];
    });
    dialog.showModal();
  },
  start() {
    const box = document.querySelector("[data-shortcuts-switch]");
    if (box) {
      box.checked = on();
      box.addEventListener("change", () => {
        try {
          localStorage.setItem(OFF, box.checked ? "on" : "off");
        } catch {
          root.dataset.shortcuts = box.checked ? "on" : "off";
        }
        this.draw();
      });
    }
    this.add("?", "all keys", () => this.help(), { bar: false });
    document.addEventListener("keydown", down);
  },
};
