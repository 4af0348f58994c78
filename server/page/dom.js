// Elements without markup: text from users and models only ever becomes text nodes and attributes.

/** The element of the page with this id. */
export const byId = (id) => document.getElementById(id);

/**
 * A new element. `props` are attributes, except `text` (its content), `on` (listeners by event name) and `vars` (custom
 * properties for the style sheet). Values that are null, undefined or false are left out.
 */
export function make(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name === "on") for (const [event, call] of Object.entries(value)) element.addEventListener(event, call);
    else if (name === "vars") for (const [key, v] of Object.entries(value)) element.style.setProperty(`--${key}`, v);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A probability for reading: "98 %", never rounded to certainty; an empty string if there is none. */
export function percent(p) {
  if (typeof p !== "number") return "";
  const value = 100 * p;
  if (value > 99.9 && value < 100) return "> 99.9 %";
  if (value > 0 && value < 0.1) return "< 0.1 %";
  const digits = value < 10 || (value >= 99 && value < 100) ? 1 : 0;
  return `${value.toFixed(digits)} %`;
}

/** A weight or a score for reading, with a true minus sign. */
export const number = (x) => x.toFixed(2).replace("-", "−");

/** "1 token", "2 tokens", "12,345 tokens". */
export const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
