// What every page has: theme, keys, toasts, copying, menus, dialogs and times that stay true.
// Other scripts use window.stash; they load after this one.
import { bindRows } from "./rows.js";
import { keys } from "./keys.js";
import { bindPalette } from "./palette.js";
import { say, toast } from "./toast.js";
import { keepTimes } from "./times.js";
import { bindTheme } from "./theme.js";

window.stash = { keys, toast, say };

function copy(button) {
  const done = () => {
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 2000);
    toast(button.dataset.copyDone || "Copied");
  };
  // The clipboard API exists only on https and localhost; a team's plain http server needs the old way.
  if (navigator.clipboard) return navigator.clipboard.writeText(button.dataset.copy).then(done);
  const area = document.createElement("textarea");
  area.value = button.dataset.copy;
  area.className = "hush";
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  button.focus();
  return done();
}

function pressed(event) {
  const target = event.target.closest?.("[data-copy], [data-opens], [data-closes], [data-help]");
  if (!target) return;
  if ("copy" in target.dataset) copy(target);
  else if ("help" in target.dataset) keys.help();
  else if ("closes" in target.dataset) target.closest("dialog").close();
  else {
    event.preventDefault();
    document.getElementById(target.dataset.opens)?.showModal();
  }
}

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details[data-menu][open]")) if (menu !== except) menu.open = false;
}

document.addEventListener("click", (event) => {
  closeMenus(event.target.closest?.("details[data-menu]"));
  pressed(event);
});

document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && event.target.closest?.("details[data-menu][open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

function floatMessages() {
  for (const note of document.querySelectorAll("[data-messages] [data-toast]")) {
    toast(note.textContent.trim());
    note.remove();
  }
  for (const box of document.querySelectorAll("[data-messages]")) if (!box.children.length) box.remove();
}

bindTheme();
bindRows(keys);
bindPalette(keys);
keys.start();
keepTimes();
floatMessages();
document.querySelector(".settings > nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
document.addEventListener("htmx:afterSettle", () => keys.draw());
