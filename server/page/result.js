// The list of labelled sentences. Sentences that did not change keep their elements; long texts are drawn in slices, so that
// typing stays smooth. One token is in the tab order; arrow keys move it (a roving tabindex).

import { byId, make } from "./dom.js";
import { colours } from "./labels.js";
import { sentenceElement } from "./sentence.js";

const slice = 120;

/** What tells two drawings of a sentence apart. */
const signature = (sides) =>
  JSON.stringify(
    sides.map(({ sentence, layer, marks, heading }) => [
      heading,
      sentence.tokens,
      sentence.gaps,
      layer.labels,
      layer.spans,
      layer.confidence,
      [...marks.corrected],
      [...marks.changed],
      marks.differs && [...marks.differs],
      marks.others,
    ]),
  );

export class ResultList {
  #list = byId("sentences");
  #drawn = []; // {signature, element}
  #turn = 0; // the drawing that is under way; a newer one ends it
  #stop = null; // the token in the tab order
  #visited = null; // the token that last had the focus

  /** `open` is called with {side, sentence, token} when a token is chosen. */
  constructor(open) {
    this.open = open;
    this.#list.addEventListener("click", (event) => this.#choose(event.target.closest(".token")));
    this.#list.addEventListener("keydown", (event) => this.#key(event));
    this.#list.addEventListener("focusin", (event) => {
      if (!event.target.matches(".token")) return;
      this.#setStop(event.target);
      this.#visited = event.target;
    });
  }

  /**
   * Shows these items, each a list of sides (one, or two when comparing) of {sentence, layer, labels, marks, heading}.
   * Resolves when all are drawn.
   */
  async show(items) {
    const turn = ++this.#turn;
    const old = new Map();
    for (const entry of this.#drawn) {
      if (!old.has(entry.signature)) old.set(entry.signature, []);
      old.get(entry.signature).push(entry);
    }
    const colour = new Map();
    const drawn = [];
    this.#drawn = drawn;
    for (let i = 0; i < items.length; ++i) {
      if (i > 0 && i % slice === 0) {
        await new Promise((done) => setTimeout(done));
        if (turn !== this.#turn) return;
      }
      const key = signature(items[i]);
      const kept = old.get(key)?.shift();
      const element = kept?.element ?? this.#draw(items[i], colour);
      this.#number(element, i);
      if (this.#list.children[i] !== element) this.#list.insertBefore(element, this.#list.children[i] ?? null);
      drawn.push({ signature: key, element });
    }
    while (this.#list.children.length > items.length) this.#list.lastElementChild.remove();
    if (!this.#stop?.isConnected) this.#setStop(this.#list.querySelector(".token"));
  }

  /** The element of a token, or null. */
  token({ side, sentence, token }) {
    return this.#list.children[sentence]?.querySelector(`[data-side="${side}"] [data-token="${token}"]`) ?? null;
  }

  /** Marks one token as the chosen one; null: none. */
  select(place) {
    for (const element of this.#list.querySelectorAll("[aria-pressed]")) element.removeAttribute("aria-pressed");
    if (place) this.token(place)?.setAttribute("aria-pressed", "true");
  }

  /** Moves to the next token that differs between the two sides, after the one that last had the focus. */
  nextDifference() {
    const all = [...this.#list.querySelectorAll('[data-side="0"] .differs')];
    const here = this.#visited?.isConnected ? this.#visited : null;
    const after = all.find(
      (e) => here && e !== here && here.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING,
    );
    (after ?? all[0])?.focus();
  }

  #draw(sides, colour) {
    const item = make("li", { class: sides.length > 1 ? "sentence pair" : "sentence" });
    sides.forEach((side, s) => {
      if (!colour.has(side.labels)) colour.set(side.labels, colours(side.labels));
      if (sides.length > 1) item.append(make("p", { class: "heading quiet", text: side.heading, "aria-hidden": "true" }));
      const line = sentenceElement({ ...side, colour: colour.get(side.labels) });
      line.dataset.side = s;
      item.append(line);
    });
    return item;
  }

  #number(element, i) {
    for (const line of element.querySelectorAll(".line")) {
      const heading = line.previousElementSibling?.textContent;
      line.setAttribute("aria-label", heading ? `Sentence ${i + 1}, ${heading}` : `Sentence ${i + 1}`);
    }
  }

  #setStop(element) {
    this.#stop?.setAttribute("tabindex", "-1");
    this.#stop = element;
    element?.setAttribute("tabindex", "0");
  }

  #choose(element) {
    if (!element) return;
    this.#setStop(element);
    const line = element.closest(".line");
    const item = line.closest("li");
    this.open({
      side: Number(line.dataset.side),
      sentence: [...this.#list.children].indexOf(item),
      token: Number(element.dataset.token),
    });
  }

  #key(event) {
    const token = event.target.closest(".token");
    if (!token || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#choose(token);
      return;
    }
    const target = this.#neighbour(token, event.key);
    if (target === undefined) return;
    event.preventDefault();
    target?.focus();
  }

  /** Where a key leads: an element, null at the edge, undefined if the key means nothing here. */
  #neighbour(token, key) {
    const line = token.closest(".line");
    const lines = [...this.#list.querySelectorAll(".line")];
    const within = [...line.querySelectorAll(".token")];
    const i = within.indexOf(token);
    const other = (step) => lines[lines.indexOf(line) + step]?.querySelectorAll(".token");
    const forward = getComputedStyle(line).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    switch (key) {
      case "ArrowLeft":
      case "ArrowRight":
        if (key === forward) return within[i + 1] ?? other(1)?.[0] ?? null;
        return within[i - 1] ?? [...(other(-1) ?? [])].at(-1) ?? null;
      case "ArrowDown":
      case "ArrowUp": {
        const tokens = other(key === "ArrowDown" ? 1 : -1);
        return tokens ? tokens[Math.min(i, tokens.length - 1)] : null;
      }
      case "Home":
        return within[0];
      case "End":
        return within.at(-1);
      default:
        return undefined;
    }
  }
}
