// The trace in the header: shows what is on screen, and a click or a drag jumps.

export function bindTape(page, jump) {
  const box = () => page.querySelector("#live-tape");
  const drawing = () => box()?.querySelector("svg[data-tape]");
  const step = () => Number(box().dataset.step) || 1;
  let dragged = 0;

  function numberAt(x) {
    const svg = drawing();
    const area = svg.getBoundingClientRect();
    const share = Number(svg.dataset.share) / 100;
    const slot = Math.floor((x - area.left) / area.width / share);
    const last = Number(box().dataset.last);
    return Math.min(Math.max(slot * step() + 1, 1), Math.max(last, 1));
  }

  page.addEventListener("pointerdown", (event) => {
    if (!event.target.closest("svg[data-tape]") || event.button) return;
    dragged = numberAt(event.clientX);
    jump(dragged);
  });
  page.addEventListener("pointermove", (event) => {
    if (!dragged || !event.buttons) return;
    const number = numberAt(event.clientX);
    if (Math.abs(number - dragged) < step()) return;
    dragged = number;
    jump(number);
  });
  addEventListener("pointerup", () => (dragged = 0));

  return {
    window(first, last) {
      const svg = drawing();
      const rect = svg?.querySelector("[data-tape-window]");
      if (!rect) return;
      const share = Number(svg.dataset.share);
      const from = Math.floor((first - 1) / step());
      const to = Math.floor((last - 1) / step());
      rect.setAttribute("x", `${from * share}%`);
      rect.setAttribute("width", `${Math.max(to - from + 1, 1) * share}%`);
      rect.setAttribute("visibility", "visible");
    },
  };
}
