// Light, dark, or as the system says. The cookie lets the server write the attribute, so no page flashes.

const YEAR = 31536000;

function chosen() {
  return document.documentElement.dataset.theme || "";
}

function mark() {
  for (const button of document.querySelectorAll("[data-theme-set]"))
    button.setAttribute("aria-pressed", String(button.dataset.themeSet === chosen()));
}

function set(theme) {
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `theme=${theme}; path=/; max-age=${theme ? YEAR : 0}; samesite=lax${secure}`;
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  mark();
}

export function bindTheme() {
  mark();
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-theme-set]");
    if (button) set(button.dataset.themeSet);
  });
}
