// A WebSocket that comes back: with backoff and jitter, not while the page is hidden, and never after a refusal.

const FIRST = 500;
const LONGEST = 30000;
const HIDDEN = 30000;
const REFUSED = new Set([4401, 4404, 4410]);

export function wait(attempt, random = Math.random) {
  return Math.min(FIRST * 2 ** attempt, LONGEST) * (0.5 + random() / 2);
}

// address(): path with query, asked again for every connection. message(object): what came; an answer is sent when it
// returns, so that the server knows how much is shown. state(word, detail): live | lost (ms until retry) | closed (code).
export function stream({ address, message, state }) {
  let socket = null;
  let attempt = 0;
  let timer = 0;
  let asleep = 0;

  function open() {
    clearTimeout(timer);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    socket = new WebSocket(`${scheme}//${location.host}${address()}`);
    socket.addEventListener("open", () => state("live"));
    socket.addEventListener("message", (event) => {
      attempt = 0;
      message(JSON.parse(event.data));
      if (socket?.readyState === WebSocket.OPEN) socket.send("shown");
    });
    socket.addEventListener("close", ({ code }) => {
      socket = null;
      if (REFUSED.has(code)) return state("closed", code);
      if (document.hidden) return state("asleep");
      const ms = wait(attempt++);
      timer = setTimeout(open, ms);
      state("lost", ms);
    });
  }

  document.addEventListener("visibilitychange", () => {
    clearTimeout(asleep);
    if (document.hidden) asleep = setTimeout(() => socket?.close(1000), HIDDEN);
    else if (!socket) {
      attempt = 0;
      open();
    }
  });
  window.addEventListener("online", () => !socket && open());
  open();
  return { now: () => !socket && open() };
}

// The note above the page while the stream is away.
export function noteOf(box, retry, words) {
  let timer = 0;
  return {
    clear() {
      clearInterval(timer);
      box.hidden = true;
      box.replaceChildren();
    },
    lost(ms) {
      const until = Date.now() + ms;
      const left = document.createElement("span");
      const button = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent: "Try now" });
      button.addEventListener("click", retry);
      const count = () => (left.textContent = ` Trying again in ${Math.max(Math.ceil((until - Date.now()) / 1000), 0)} s. `);
      clearInterval(timer);
      timer = setInterval(count, 1000);
      count();
      show(box, "warn", "Stream lost.", words, left, button);
    },
    ended(fact, text) {
      clearInterval(timer);
      show(box, "warn", fact, text);
    },
  };
}

function show(box, kind, fact, text, ...more) {
  const note = Object.assign(document.createElement("div"), { className: `note ${kind}` });
  const words = Object.assign(document.createElement("div"), { className: "note-text" });
  words.append(Object.assign(document.createElement("strong"), { textContent: fact }), ` ${text}`, ...more);
  note.append(words);
  box.replaceChildren(note);
  box.hidden = false;
}

// HTML of the server's own fragments as nodes. What DOMParser makes can neither run nor load anything.
export function nodes(html) {
  const part = new DocumentFragment();
  part.append(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  return part;
}

export function adopt(element) {
  window.htmx?.process(element);
}
