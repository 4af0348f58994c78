// Looks at the page as it is and lists what is wrong: controls without a name, text with too little contrast, ids used
// twice, roles without what they need. The body of a function; returns a list of sentences.

const wrong = [];
const visible = (e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true });
const describe = (e) => `${e.tagName.toLowerCase()}${e.id ? `#${e.id}` : ""}${e.className ? `.${e.className}` : ""} "${e.textContent.trim().slice(0, 30)}"`;

// Colours of any kind as red, green, blue and alpha, through a canvas.
const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
const parsed = new Map();
function rgba(colour) {
  if (!parsed.has(colour)) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    parsed.set(colour, [r, g, b, a / 255]);
  }
  return parsed.get(colour);
}
const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3]));
function background(element) {
  const layers = [];
  for (let e = element; e; e = e.parentElement) {
    const colour = rgba(getComputedStyle(e).backgroundColor);
    layers.push(colour);
    if (colour[3] === 1) break;
  }
  return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255]);
}
function luminance(rgb) {
  const [r, g, b] = rgb.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(a, b) {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

let checked = 0;
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const seen = new Set();
while (texts.nextNode()) {
  const element = texts.currentNode.parentElement;
  if (texts.currentNode.data.trim() === "" || seen.has(element) || !visible(element)) continue;
  if (element.matches("script, style, option, .skip")) continue;
  seen.add(element);
  const behind = background(element);
  const colour = over(rgba(getComputedStyle(element).color), behind);
  const ratio = contrast(colour, behind);
  checked += 1;
  if (ratio < 4.5) wrong.push(`contrast ${ratio.toFixed(2)}: ${describe(element)}`);
}
for (const e of document.querySelectorAll("textarea, select, input")) {
  const placeholder = e.placeholder ? getComputedStyle(e, "::placeholder").color : getComputedStyle(e).color;
  const behind = background(e);
  if (visible(e) && contrast(over(rgba(placeholder), behind), behind) < 4.5) wrong.push(`contrast: ${describe(e)}`);
}
// Lines that carry meaning: brackets against the page, borders of fields.
for (const e of document.querySelectorAll("textarea, select, button:not(.close)")) {
  if (visible(e) && contrast(rgba(getComputedStyle(e).borderTopColor).slice(0, 3), background(e.parentElement)) < 3)
    wrong.push(`border: ${describe(e)}`);
}

const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) wrong.push(`id ${id} is used twice`);
for (const name of ["aria-labelledby", "aria-controls", "aria-activedescendant"])
  for (const e of document.querySelectorAll(`[${name}]`))
    if (!document.getElementById(e.getAttribute(name))) wrong.push(`${name} leads nowhere: ${describe(e)}`);
for (const box of document.querySelectorAll("[role=listbox]")) {
  if (box.querySelectorAll("[role=option]").length === 0) wrong.push("a list box without options");
  if (box.querySelectorAll("[aria-selected=true]").length !== 1) wrong.push("a list box without a selected option");
}
for (const image of document.querySelectorAll("img:not([alt])")) wrong.push(`no alt: ${image.src}`);
const levels = [...document.querySelectorAll("h1, h2, h3")].filter(visible).map((h) => Number(h.tagName[1]));
levels.forEach((level, i) => {
  if (level > (levels[i - 1] ?? 0) + 1) wrong.push(`heading ${level} after ${levels[i - 1] ?? 0}`);
});
if (!document.documentElement.lang) wrong.push("no language");
if (!document.querySelector("[aria-live]")) wrong.push("no live region");
if (checked < 10) wrong.push(`only ${checked} texts were checked`);
return wrong;
