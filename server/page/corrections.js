// Labels that the user has corrected, by model and sentence. They stay when the text changes, so that corrections of many
// texts can be collected and downloaded as training data.

const separator = "\u0000";

export class Corrections {
  #entries = new Map();
  #unsaved = new Set(); // models with corrections that were not downloaded yet

  /** Whether leaving the page would lose corrections. */
  get unsaved() {
    return this.#unsaved.size > 0;
  }

  #key = (model, tokens) => [model, ...tokens].join(separator);

  /** The labels that the user chose in a sentence: one per token, null where the model decides; null if there are none. */
  forced(model, tokens) {
    const entry = this.#entries.get(this.#key(model, tokens));
    return entry ? tokens.map((_, i) => entry.chosen.get(i) ?? null) : null;
  }

  /** The label that the user chose for a token, or undefined. */
  chosen(model, tokens, token) {
    return this.#entries.get(this.#key(model, tokens))?.chosen.get(token);
  }

  /** Chooses a label for a token; null takes the choice back. */
  choose(model, tokens, token, label) {
    const key = this.#key(model, tokens);
    const entry = this.#entries.get(key) ?? { model, tokens, chosen: new Map(), rows: null };
    if (label === null) entry.chosen.delete(token);
    else entry.chosen.set(token, label);
    if (entry.chosen.size > 0) this.#entries.set(key, entry);
    else this.#entries.delete(key);
    if (this.counts().has(model)) this.#unsaved.add(model);
    else this.#unsaved.delete(model);
  }

  /** Keeps what the model read and said, once it has decided with the user's labels forced: per token its cells. */
  remember(model, tokens, rows) {
    const entry = this.#entries.get(this.#key(model, tokens));
    if (entry) entry.rows = rows;
  }

  /** Forgets every correction of a model. */
  clear(model) {
    for (const [key, entry] of this.#entries) if (entry.model === model) this.#entries.delete(key);
    this.#unsaved.delete(model);
  }

  /** Per model: how many sentences were corrected, and how many tokens. */
  counts() {
    const counts = new Map();
    for (const { model, chosen } of this.#entries.values()) {
      const { sentences, tokens } = counts.get(model) ?? { sentences: 0, tokens: 0 };
      counts.set(model, { sentences: sentences + 1, tokens: tokens + chosen.size });
    }
    return counts;
  }

  /** The corrected sentences of a model as columns, to be saved: the cells it reads, then the label. */
  trainingData(model) {
    this.#unsaved.delete(model);
    let text = "";
    for (const entry of this.#entries.values()) {
      if (entry.model !== model || !entry.rows) continue;
      text += `${entry.rows.map((cells) => cells.join("\t")).join("\n")}\n\n`;
    }
    return text;
  }
}
