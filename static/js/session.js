// The page of one session: live events, windows that load as one scrolls, find, jumps and keys.
import { adopt, nodes, noteOf, stream } from "./live.js";
import { bindFind } from "./find.js";
import { bindTape } from "./tape.js";

const page = document.querySelector(".session");
const log = document.getElementById("log");
const pill = document.querySelector("[data-follow]");
const base = page.dataset.base;
const MOST = 900;
const KEPT = 500;
const NEAR = 120;
const FOOT = 40;

let seq = Number(page.dataset.seq);
let atEnd = "atEnd" in page.dataset;
let following = false;
let unseen = 0;
let said = 0;

const slots = () => log.querySelectorAll(":scope > .slot");
const slotOf = (number) => document.getElementById(`at${number}`);
const stash = () => window.stash;

// ---- following the end ----------------------------------------------------------------------------------------------

const root = document.scrollingElement;
// The end of the transcript, not of the page: on narrow screens the side panels stand below it.
const beyond = () => log.getBoundingClientRect().bottom - innerHeight;
const nearEnd = () => beyond() < NEAR;

function toEnd() {
  root.scrollTop += beyond() + FOOT;
}

function follow(on) {
  following = on;
  if (on) unseen = 0;
  showPill();
}

function showPill() {
  pill.hidden = (following || nearEnd()) && atEnd;
  pill.querySelector("[data-follow-count]").textContent =
    unseen === 0 ? "To the end" : unseen === 1 ? "1 new event" : `${unseen} new events`;
}

async function latest() {
  if (!atEnd) await load("");
  follow(true);
  toEnd();
}

pill.addEventListener("click", latest);

let lastTop = root.scrollTop;
let byHand = false;
for (const name of ["wheel", "touchmove", "keydown", "pointerdown"])
  addEventListener(name, () => (byHand = true), { passive: true });

addEventListener(
  "scroll",
  () => {
    const up = root.scrollTop < lastTop - 2;
    lastTop = root.scrollTop;
    if (nearEnd() && atEnd) follow(true);
    else if (up && byHand) follow(false);
    else showPill();
    if (up && byHand) more("older");
    else if (!up) more("newer");
    mark();
  },
  { passive: true },
);

// ---- windows --------------------------------------------------------------------------------------------------------

let loading = false;

async function fetched(query) {
  const response = await fetch(query, { headers: { "X-Requested-With": "fetch" } });
  if (!response.ok) throw new Error(String(response.status));
  return nodes(await response.text());
}

// Replace what is shown by another window of the session.
async function load(query) {
  log.setAttribute("aria-busy", "true");
  try {
    const part = await fetched(`${base}events/${query}`);
    for (const old of [...log.children]) if (old !== pill) old.remove();
    log.prepend(part);
    adopt(log);
    atEnd = !document.getElementById("newer") && !query.includes("kind=");
  } finally {
    log.removeAttribute("aria-busy");
  }
}

// The next window on one side, when its link is near enough to the screen.
async function more(id, force = false) {
  const link = document.getElementById(id);
  if (!link || loading) return;
  const box = link.getBoundingClientRect();
  if (!force && (box.bottom < -800 || box.top > innerHeight + 800)) return;
  loading = true;
  try {
    const part = await fetched(link.dataset.events);
    const other = part.getElementById(id === "older" ? "newer" : "older");
    other?.remove();
    const before = root.scrollHeight;
    link.replaceWith(part);
    if (id === "older") root.scrollTop += root.scrollHeight - before;
    adopt(log);
    atEnd = atEnd || (id === "newer" && !document.getElementById("newer") && !new URL(location).searchParams.get("kind"));
  } catch {
    stash().toast("The events could not be loaded. Check the connection and try again.");
  } finally {
    loading = false;
  }
}

log.addEventListener("click", (event) => {
  const link = event.target.closest(".more-events");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  more(link.id, true);
});

// ---- live -----------------------------------------------------------------------------------------------------------

function place(element) {
  const known = document.getElementById(element.id);
  if (known) {
    for (const details of known.querySelectorAll("details[open]")) {
      const twin = element.querySelector(`details.${details.classList[0]}`);
      if (twin) twin.open = true;
    }
    known.replaceWith(element);
    return false;
  }
  const rows = slots();
  const order = element.dataset.order;
  if (rows.length && order < rows[0].dataset.order && document.getElementById("older")) return false;
  let at = rows.length;
  while (at > 0 && rows[at - 1].dataset.order > order) at--;
  if (at === 0) (rows[0] ?? pill).before(element);
  else rows[at - 1].after(element);
  return true;
}

function show(items) {
  let fresh = 0;
  for (const item of items) {
    const element = nodes(item.html).firstElementChild;
    if (!atEnd && !slotOf(item.number)) {
      fresh += 1;
      continue;
    }
    const isNew = place(element);
    const shown = slotOf(item.number);
    if (shown) adopt(shown);
    if (isNew && !element.hidden) fresh += 1;
    if (item.kind === "tool_call") refreshSide();
    if (isNew && item.kind === "prompt") window.htmx?.ajax("GET", `${base}turns/`, { target: ".turns", swap: "outerHTML" });
  }
  log.querySelector(":scope > .empty")?.remove();
  prune();
  if (following) toEnd();
  else unseen += fresh;
  showPill();
  announce(fresh);
}

// Files, commands and facts follow at a walk: they read more of the session than an event does.
let refreshing = 0;

function refreshSide() {
  refreshing ||= setTimeout(() => {
    refreshing = 0;
    window.htmx?.ajax("GET", `${base}side/`, { target: ".session-side", swap: "innerHTML" });
  }, 4000);
}

// A day of following must not fill the memory of the browser: what left the screen long ago is loaded again on request.
function prune() {
  const rows = slots();
  if (!following || rows.length <= MOST) return;
  const first = rows[rows.length - KEPT];
  for (let at = 0; at < rows.length - KEPT; at++) rows[at].remove();
  document.getElementById("older")?.remove();
  const link = Object.assign(document.createElement("a"), { id: "older", className: "more-events", textContent: "Earlier events" });
  link.href = `${base}?before=${first.dataset.number}`;
  link.dataset.events = `${base}events/?before=${first.dataset.number}`;
  log.prepend(link);
}

function announce(count) {
  if (!count || Date.now() - said < 10000) return;
  said = Date.now();
  stash().say(count === 1 ? "1 new event" : `${count} new events`);
}

function head(message) {
  const part = nodes(message.head);
  for (const element of [...part.children]) {
    const known = document.getElementById(element.id);
    if (known && !known.isEqualNode(element)) known.replaceWith(element);
  }
  if (message.title) {
    const heading = page.querySelector("h1");
    if (heading.textContent !== message.title) heading.textContent = message.title;
    document.title = `${message.title} · Stash`;
  }
  if (message.status === "needs_you" && head.last && head.last !== "needs_you") stash().say("The agent needs you", { now: true });
  if (message.status !== "needs_you") for (const slot of log.querySelectorAll(".slot:has(.asks)")) slot.classList.add("answered");
  head.last = message.status;
  mark();
}

const note = noteOf(document.querySelector("[data-stream-note]"), () => live.now(), "The agent keeps working.");
const lamp = document.querySelector("[data-live-box]");

const live = stream({
  address: () => `/ws/sessions/${page.dataset.session}/?after=${seq}&ack=1`,
  message(message) {
    if (message.reload) return location.reload();
    if (message.head) head(message);
    if (message.events) {
      seq = message.seq;
      show(message.events);
    }
  },
  state(name, detail) {
    if (lamp) lamp.hidden = name !== "live";
    if (name === "live") note.clear();
    if (name === "lost") note.lost(detail);
    if (name === "closed" && detail === 4410) note.ended("This session was deleted.", "What you see is the last state of it in this browser.");
    if (name === "closed" && detail !== 4410) note.ended("You can no longer see this session.", "Its person made it private, or your access ended.");
  },
});

// ---- jumps and keys -------------------------------------------------------------------------------------------------

let current = null;

const card = (slot) => slot?.querySelector(":scope > .ev");

function point(slot, { push = false } = {}) {
  if (!slot) return;
  slot.hidden = false;
  card(current)?.classList.remove("current");
  current = slot;
  card(slot)?.classList.add("current");
  follow(false);
  slot.scrollIntoView({ block: slot.offsetHeight > innerHeight / 2 ? "start" : "center" });
  slot.querySelector(".ev-no a")?.focus({ preventScroll: true });
  if (push) history.pushState(null, "", address(slot));
}

export async function jump(number, options) {
  if (!slotOf(number)) await load(`?at=${number}`);
  point(slotOf(number) ?? [...slots()].find((row) => Number(row.dataset.number) >= number), options);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("#log .ev-no a, [data-turn], .session-side a");
  const number = Number(link?.hash?.match(/^#e(\d+)$/)?.[1]);
  if (!number || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  jump(number, { push: true });
});

const inHash = () => Number(location.hash.match(/^#e(\d+)$/)?.[1]);

for (const name of ["popstate", "hashchange"])
  addEventListener(name, () => {
    const number = inHash();
    if (number && Number(current?.dataset.number) !== number) jump(number);
  });

const seen = (row) => !row.hidden && row.getBoundingClientRect();

function firstOnScreen() {
  return [...slots()].find((row) => !row.hidden && row.getBoundingClientRect().bottom > 140) ?? null;
}

function step(by, matches = () => true) {
  const rows = [...slots()].filter((row) => !row.hidden);
  const from = rows.indexOf(current && current.isConnected ? current : firstOnScreen());
  const rest = by > 0 ? rows.slice(from + 1) : rows.slice(0, Math.max(from, 0)).reverse();
  const next = rest.find(matches);
  if (next) point(next);
  else more(by > 0 ? "newer" : "older", true);
}

function address(row) {
  return `${location.origin}${base}?at=${row.dataset.number}#e${row.dataset.number}`;
}

function fold() {
  const details = (current ?? firstOnScreen())?.querySelector("details");
  if (details) details.open = !details.open;
}

async function copyLink() {
  const row = current ?? firstOnScreen();
  if (!row) return;
  try {
    await navigator.clipboard.writeText(address(row));
    stash().toast(`Copied the link to ${page.dataset.short} #${row.dataset.number}`);
  } catch {
    history.replaceState(null, "", address(row));
    stash().toast("The link is in the address bar");
  }
}

const keys = stash().keys;
keys.add("j", "event", () => step(1));
keys.add("k", "event", () => step(-1));
keys.add("p", "next prompt", () => step(1, (row) => row.dataset.kind === "prompt"));
keys.add("x", "next failure", () => step(1, (row) => row.querySelector("[data-failed]")));
keys.add("o", "fold", fold);
keys.add("y", "copy link to event", copyLink);

document.querySelector("[data-fold-all]")?.addEventListener("click", (event) => {
  const cards = [...log.querySelectorAll("details.tool, details.agentcard")];
  const open = !cards.some((card) => card.open);
  for (const card of cards) card.open = open;
  event.currentTarget.querySelector("[data-fold-label]").textContent = open ? "Fold all tools" : "Unfold all tools";
});

document.addEventListener(
  "toggle",
  (event) => {
    if (event.target.matches?.("[data-rename]") && event.target.open) event.target.querySelector("[data-rename-input]").select();
  },
  true,
);

// ---- where one is ---------------------------------------------------------------------------------------------------

const tape = bindTape(page, (number) => jump(number));
let marking = 0;

function mark() {
  if (marking) return;
  marking = requestAnimationFrame(() => {
    marking = 0;
    const visible = [...slots()].filter((row) => {
      const box = seen(row);
      return box && box.bottom > 90 && box.top < innerHeight;
    });
    if (!visible.length) return;
    const numbers = visible.map((row) => Number(row.dataset.number));
    tape.window(Math.min(...numbers), Math.max(...numbers));
    let turn = null;
    for (const link of document.querySelectorAll("[data-turn]")) {
      link.removeAttribute("aria-current");
      if (Number(link.dataset.turn) <= numbers[0]) turn = link;
    }
    turn?.setAttribute("aria-current", "true");
  });
}

document.addEventListener("htmx:afterSettle", mark);
bindFind({ page, log, base, jump, slotOf });

const wanted = inHash() || Number(page.dataset.at);
if (wanted) jump(wanted);
else if (atEnd && ["running", "needs_you"].includes(page.dataset.state)) {
  follow(true);
  toEnd();
}
showPill();
mark();
