// Times in the reader's own zone, and ages that stay true. The words are the ones the server writes.

const EVERY = 15000;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (number) => String(number).padStart(2, "0");

function day(when, now) {
  const text = `${when.getDate()} ${MONTHS[when.getMonth()]}`;
  return when.getFullYear() === now.getFullYear() ? text : `${text} ${when.getFullYear()}`;
}

function midnight(when) {
  return new Date(when.getFullYear(), when.getMonth(), when.getDate());
}

export function age(when, now = new Date()) {
  const seconds = Math.max(Math.floor((now - when) / 1000), 0);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  const days = Math.round((midnight(now) - midnight(when)) / 86400000);
  if (days === 0) return `${Math.floor(seconds / 3600)} h`;
  return days === 1 ? "yesterday" : day(when, now);
}

export function clock(when) {
  return `${two(when.getHours())}:${two(when.getMinutes())}`;
}

function write(element) {
  const when = new Date(element.dateTime);
  if (Number.isNaN(when.getTime())) return;
  const text = element.dataset.time === "age" ? age(when) : clock(when);
  if (element.textContent !== text) element.textContent = text;
  if (element.dataset.local) return;
  element.title = `${when.getDate()} ${MONTHS[when.getMonth()]} ${when.getFullYear()}, ${clock(when)}:${two(when.getSeconds())}`;
  element.dataset.local = "1";
}

function ages() {
  if (document.hidden) return;
  document.querySelectorAll("time[data-time=age]").forEach(write);
}

export function keepTimes() {
  document.querySelectorAll("time[data-time]").forEach(write);
  setInterval(ages, EVERY);
  document.addEventListener("visibilitychange", ages);
  new MutationObserver((changes) => {
    for (const change of changes)
      for (const node of change.addedNodes) {
        if (node.nodeType !== Node.ELEMENT_NODE) continue;
        if (node.matches("time[data-time]")) write(node);
        node.querySelectorAll("time[data-time]").forEach(write);
      }
  }).observe(document.body, { childList: true, subtree: true });
}
