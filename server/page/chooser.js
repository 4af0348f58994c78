// A list box of labels with their probabilities. Arrow keys, Home, End and typing move; Enter, Space or a click choose.

import { make, percent } from "./dom.js";

let last = 0;

/**
 * A list box. `options` are {label, probability}; `current` is the label in force; `choose` is called with a label. For
 * labels without probabilities the order is that of the model.
 */
export function chooser({ options, current, name, choose }) {
  const id = `chooser-${++last}`;
  const box = make("ul", { class: "chooser", role: "listbox", tabindex: "0", "aria-label": name });
  const items = options.map(({ label, probability }, i) =>
    make(
      "li",
      {
        id: `${id}-${i}`,
        role: "option",
        "aria-selected": String(label === current),
        "data-label": label,
        vars: { p: typeof probability === "number" ? probability.toFixed(4) : "0" },
      },
      make("bdi", { class: "name", text: label }),
      make("span", { class: "bar-cell", "aria-hidden": "true" }),
      make("span", { class: "figure", text: percent(probability) }),
    ),
  );
  box.append(...items);

  let active = Math.max(0, options.findIndex(({ label }) => label === current));
  const move = (i) => {
    items[active]?.classList.remove("active");
    active = Math.min(Math.max(i, 0), items.length - 1);
    items[active].classList.add("active");
    box.setAttribute("aria-activedescendant", items[active].id);
    // Scrolls the box alone: scrollIntoView would move the page, too.
    const { offsetTop, offsetHeight } = items[active];
    if (offsetTop < box.scrollTop) box.scrollTop = offsetTop;
    else if (offsetTop + offsetHeight > box.scrollTop + box.clientHeight)
      box.scrollTop = offsetTop + offsetHeight - box.clientHeight;
  };
  if (items.length > 0) move(active);

  let typed = "";
  let typedAt = 0;
  const find = (key) => {
    const now = performance.now();
    typed = now - typedAt > 700 ? key : typed + key;
    typedAt = now;
    const wanted = typed.toLowerCase();
    // A single letter goes on to the next match, more letters stay at the first.
    const from = typed.length === 1 ? active + 1 : active;
    for (let step = 0; step < items.length; ++step) {
      const i = (from + step) % items.length;
      if (options[i].label.toLowerCase().startsWith(wanted)) return move(i);
    }
  };
  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const steps = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: items.length - 1 };
    steps.PageDown = active + 8;
    steps.PageUp = active - 8;
    if (event.key in steps) move(steps[event.key]);
    else if (event.key === "Enter" || event.key === " ") choose(options[active].label);
    else if (event.key.length === 1) find(event.key);
    else return;
    event.preventDefault();
  });
  box.addEventListener("click", (event) => {
    const item = event.target.closest("[role=option]");
    if (item) choose(item.dataset.label);
  });
  return box;
}
