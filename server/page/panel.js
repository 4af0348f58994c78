// The panel about one token: choose another label, see why it has this one, see other labellings of the sentence. What each
// part shows is asked of the server when the panel opens; a part that the model cannot answer says why.

import * as api from "./api.js";
import { alternatives } from "./alternatives.js";
import { chooser } from "./chooser.js";
import { byId, make, percent } from "./dom.js";
import { correctable, inputOf } from "./labelling.js";
import { reasons, ruleNote } from "./reasons.js";

const features = 12;
const labellings = 6;

export class Panel {
  #element = byId("panel");
  #asking = null;

  /** `choose(labels by token)` is called with corrections, null taking one back; `close()` when the panel closes. */
  constructor({ choose, close }) {
    this.choose = choose;
    this.closed = close;
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
  }

  get isOpen() {
    return !this.#element.hidden;
  }

  close() {
    if (!this.isOpen) return;
    this.#asking?.abort();
    this.#element.hidden = true;
    this.#element.replaceChildren();
    document.body.classList.remove("with-panel");
    this.closed();
  }

  /** Shows a token of a sentence in the layer number `index`. `focus`: moves the focus here. */
  async show({ sentence, index, token, corrections, constraints, focus }) {
    this.#asking?.abort();
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    const layer = sentence.layers[index];
    const { model } = layer;
    const label = layer.labels[token];
    const chosen = corrections.chosen(model.name, sentence.tokens, token);
    const rules = index === sentence.layers.length - 1 ? constraints : "";

    const labels = make("div", { class: "part" }, make("h3", { text: "Label" }));
    const why = make("div", { class: "part" }, make("h3", { text: "Why" }));
    const others = make("div", { class: "part" }, make("h3", { text: "Other labellings of the sentence" }));
    const heading = make("h2", { tabindex: "-1", id: "panel-title" }, make("bdi", { text: sentence.tokens[token] }));
    const by = layer.confidence ? ` · ${percent(layer.confidence[token])} · by ${model.name}` : ` · by ${model.name}`;
    this.#element.setAttribute("aria-label", `Explanation of ${sentence.tokens[token]}`);
    this.#element.replaceChildren(
      this.#button("×", () => this.close(), { class: "close", "aria-label": "Close the explanation" }),
      heading,
      make("p", { class: "verdict" }, make("strong", { text: label }), chosen === undefined ? by : " · chosen by you"),
      labels,
      why,
      others,
    );
    this.#element.hidden = false;
    document.body.classList.add("with-panel");
    if (chosen !== undefined)
      labels.append(
        make(
          "p",
          { class: "note" },
          "You corrected this label. ",
          this.#button("Undo", () => this.choose(new Map([[token, null]])), { class: "small", id: "undo" }),
        ),
      );
    const note = ruleNote(layer.changes.find((change) => change.token === token), label);
    if (note) why.append(note);
    if (focus) heading.focus();

    const input = inputOf(sentence, index);
    const forced = corrections.forced(model.name, sentence.tokens);
    const about = { model: model.name, ...input };
    if (rules) about.constraints = rules;
    const decided = forced ? { ...about, forced } : about;
    await Promise.all([
      !correctable(sentence, index)
        ? labels.append(make("p", { class: "quiet", text: "Only the last column of labels can be corrected." }))
        : this.#fill(labels, signal, () => this.#labels(model, about, forced, token, label, signal)).then(() => {
            // The heading is read first; the list box takes the focus unless the user has moved on.
            if (focus && document.activeElement === heading) labels.querySelector(".chooser")?.focus({ preventScroll: true });
          }),
      this.#fill(why, signal, () => this.#why(decided, layer, token, signal, note !== null)),
      this.#fill(others, signal, async () => {
        // A search lists as many labellings as its beam is wide.
        const search = model.has_probabilities ? {} : { decoder: "beam", beam: labellings };
        const { sequences } = await api.tag({ ...decided, ...search, nbest: labellings }, signal);
        const use = (labelling) =>
          this.choose(new Map(labelling.flatMap((l, t) => (l === layer.labels[t] ? [] : [[t, l]]))));
        return [alternatives(sequences[0].nbest, layer.labels, sentence.tokens, sentence.gaps, use)];
      }),
    ]);
  }

  #button(text, click, props) {
    return make("button", { type: "button", text, on: { click }, ...props });
  }

  /** Appends what `ask` resolves to, or the reason why there is nothing. */
  async #fill(part, signal, ask) {
    try {
      const children = await ask();
      if (!signal.aborted) part.append(...children);
    } catch (error) {
      if (signal.aborted || error.name === "AbortError") return;
      part.append(make("p", { class: "quiet", text: error.message }));
    }
  }

  /** The list box; probabilities are those under the user's other choices in the sentence, if the model has any. */
  async #labels(model, about, forced, token, label, signal) {
    const choose = (l) => this.choose(new Map([[token, l]]));
    const box = (options) => chooser({ options, current: label, name: "Label of this token", choose });
    const plain = model.labels.map((l) => ({ label: l }));
    if (!model.has_probabilities) return [box(plain)];
    const request = { ...about, marginals: true };
    if (forced) request.forced = forced.map((l, t) => (t === token ? null : l));
    try {
      const { sequences } = await api.tag(request, signal);
      const options = Object.entries(sequences[0].marginals[token]).map(([l, probability]) => ({ label: l, probability }));
      return [box(options.sort((a, b) => b.probability - a.probability))];
    } catch (error) {
      if (!(error instanceof api.Problem)) throw error;
      return [make("p", { class: "quiet", text: `No probabilities: ${error.message}` }), box(plain)];
    }
  }

  async #why(about, layer, token, signal, noted) {
    const { sequences } = await api.explain({ ...about, top: features }, signal);
    const explanation = sequences[0].explanations.find(
      (e) => e.token === token && (layer.column === undefined || e.column === layer.column),
    );
    if (!explanation) return [make("p", { class: "quiet", text: "The model does not explain this token." })];
    const parts = [];
    if (!noted) parts.push(ruleNote(explanation.changed, explanation.label));
    const why = about.forced?.[token] ? "you" : "constraints";
    return [...parts.filter((part) => part !== null), ...reasons(explanation, why)];
  }
}
