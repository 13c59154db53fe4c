// Lists that stay true: rows of the session list, and the moving part of home.
import { adopt, nodes, noteOf, stream } from "./live.js";

const box = document.querySelector("[data-activity]");
const lamp = document.querySelector("[data-live-box]");

function rowNode(html) {
  // A table row survives parsing only inside a table.
  return nodes(`<table><tbody>${html}</tbody></table>`).querySelector("tr");
}

function wants(row) {
  const body = document.querySelector("#rows[data-rows]");
  if (!body) return false;
  const { scope, status, narrows } = box.dataset;
  if (narrows === "yes") return false;
  if (scope === "mine" && row.person !== "me") return false;
  if (scope === "private" && (row.person !== "me" || row.visibility !== "private")) return false;
  return !status || status === row.state;
}

const when = (row) => new Date(row.querySelector("time[data-time=age]")?.dateTime ?? 0).getTime();

function putRow(row) {
  const body = document.getElementById("rows");
  const known = document.getElementById(`s${row.id}`);
  if (!body || (!known && !wants(row))) return;
  const fresh = rowNode(row.html);
  if (known) {
    if (known.classList.contains("selected")) fresh.classList.add("selected");
    const focused = known.contains(document.activeElement);
    known.replaceWith(fresh);
    if (focused) fresh.querySelector("a")?.focus({ preventScroll: true });
  } else fresh.classList.add("new");
  // A row under the pointer stays where it is: nobody wants to click its neighbour.
  if (known && body.matches(":hover")) return adopt(fresh);
  const first = [...body.children].find((other) => other !== fresh && when(other) < when(fresh));
  body.insertBefore(fresh, first ?? null);
  adopt(fresh);
}

// Redraws only the parts that changed; focus and selection stay where they are.
function putHome(html) {
  const part = nodes(html);
  for (const section of part.querySelectorAll("[data-part]")) {
    const known = document.getElementById(section.id);
    if (!known || same(known, section)) continue;
    const rows = ".row[id], .ask[id]";
    const before = new Set([...known.querySelectorAll(rows)].map((row) => row.id));
    const focused = document.activeElement?.closest?.(rows)?.id;
    const selected = known.querySelector(".selected")?.id;
    for (const row of section.querySelectorAll(rows)) if (!before.has(row.id)) row.classList.add("new");
    known.replaceWith(section);
    adopt(section);
    if (selected) document.getElementById(selected)?.classList.add("selected");
    if (focused) document.getElementById(focused)?.querySelector("a")?.focus({ preventScroll: true });
  }
}

function timeless(section) {
  const copy = section.cloneNode(true);
  for (const time of copy.querySelectorAll("time")) time.remove();
  for (const row of copy.querySelectorAll(".row, .ask")) row.classList.remove("new", "selected");
  return copy;
}

function same(one, other) {
  return timeless(one).isEqualNode(timeless(other));
}

if (box) {
  const { team, project = "", view } = box.dataset;
  let missed = false;
  const holder = document.querySelector("[data-stream-note]");
  const note = holder && noteOf(holder, () => live.now(), "Agents keep working; this page does not move.");
  const live = stream({
    address: () => `/ws/activity/?team=${team}&view=${view}&project=${encodeURIComponent(project)}&ack=1`,
    message(message) {
      if (message.home) putHome(message.home);
      for (const id of message.gone ?? []) document.getElementById(`s${id}`)?.remove();
      for (const row of message.rows ?? []) putRow(row);
    },
    state(name, detail) {
      if (lamp) lamp.hidden = name !== "live";
      if (name === "live" && missed && view === "list") window.htmx?.ajax("GET", location.href, { target: "#sessions", swap: "outerHTML" });
      missed = name !== "live";
      if (!note) return;
      if (name === "live") note.clear();
      if (name === "lost" && detail > 2000) note.lost(detail);
      if (name === "closed") note.ended("You are no longer signed in to this team.", "Reload the page to sign in.");
    },
  });
}
