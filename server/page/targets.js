// What can be chosen in the menus: models, and pipelines of models. A target has layers, one per model that labels the
// text; those of a pipeline read each other's labels.

/** A model or a pipeline of the server. */
export class Target {
  constructor(kind, info, models) {
    this.kind = kind;
    this.info = info;
    /** The models that label the text, first to last, as the server describes them. */
    this.models = kind === "pipeline" ? info.models.map((name) => models.find((m) => m.name === name)) : [info];
  }
  get key() {
    return `${this.kind}:${this.info.name}`;
  }
  get name() {
    return this.info.name;
  }
  get takesText() {
    return this.info.words_only;
  }
  /** The fields that name it in a request. */
  get fields() {
    return { [this.kind]: this.info.name };
  }
  /** The last layer, whose labels are the target's own. */
  get last() {
    return this.models.length - 1;
  }
  /** A line about it for people. */
  get about() {
    if (this.kind === "pipeline") return this.info.models.join(" → ");
    const { learner, labels, training_tokens: tokens } = this.info;
    return `${learner}, ${labels.length} labels, trained on ${tokens.toLocaleString("en")} tokens`;
  }
}

/** All targets of GET /v1/models; pipelines first, since they take plain text. */
export function targetsOf({ models, pipelines = [] }) {
  return [
    ...pipelines.map((info) => new Target("pipeline", info, models)),
    ...models.filter((m) => !m.attributes).map((info) => new Target("model", info, models)),
  ];
}

/** The options that ask a model for all it can say about its labels. */
export function askFor(model, constraints) {
  const options = {};
  if (model.has_probabilities) options.confidence = true;
  if (constraints) options.constraints = constraints;
  if (constraints || model.constrained) options.why = true;
  return options;
}
