// j, k and Enter in the lists of a page: moves a selection over the rows of every [data-rows], in the order they stand.

function rows() {
  return [...document.querySelectorAll("[data-rows] > :is(.row, .result, tr)")].filter((row) => row.getClientRects().length);
}

function link(row) {
  return row?.querySelector(".row-title a, a");
}

function select(row) {
  for (const old of document.querySelectorAll(":is(.row, .result, tr).selected")) old.classList.remove("selected");
  if (!row) return;
  row.classList.add("selected");
  link(row)?.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

function step(by) {
  const list = rows();
  const now = list.findIndex((row) => row.classList.contains("selected") || row.contains(document.activeElement));
  select(list[now < 0 ? (by > 0 ? 0 : list.length - 1) : Math.min(Math.max(now + by, 0), list.length - 1)]);
}

export function bindRows(keys) {
  const when = () => document.querySelector("[data-rows]") !== null;
  keys.add("j", "move", () => step(1), { when });
  keys.add("k", "move", () => step(-1), { when });
  keys.add("Enter", "open", () => link(document.querySelector(":is(.row, .result, tr).selected"))?.click(), { when });
}
