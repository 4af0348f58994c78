// Labels as spans and as colours. B-NP I-NP O and its relatives (IOB, IOE, IOBES, BILOU, BMEWO) form spans, read by the
// rules of conlleval, which make sense of every sequence; other labels stand for single tokens.

/** Spans and tokens below this probability are marked as uncertain. */
export const uncertainBelow = 0.7;
const hues = 8;

const parts = (label) => /^([BIESLUMW])-(.+)$/su.exec(label);
const starts = "BSUW";
const ends = "ESLUW";

/** The type of a label: NP of B-NP; the label itself if it has no prefix. */
export const typeOf = (label) => parts(label)?.[2] ?? label;

/** Whether the labels of a model form spans. */
export const formSpans = (labels) => labels.every((l) => l === "O" || parts(l)) && labels.some((l) => l !== "O");

/** The spans of a labelling: [{first, last, type}], `last` excluded. */
export function spansOf(labels) {
  const spans = [];
  let open = null;
  labels.forEach((label, i) => {
    const found = parts(label);
    if (!found) {
      open = null;
      return;
    }
    const [, prefix, type] = found;
    if (!open || open.type !== type || starts.includes(prefix)) {
      open = { first: i, last: i, type };
      spans.push(open);
    }
    open.last = i + 1;
    if (ends.includes(prefix)) open = null;
  });
  return spans;
}

/** Single tokens as spans, for labels without prefixes; "O" and "_" are no spans. */
const tokensAsSpans = (labels) =>
  labels.flatMap((type, i) => (type === "O" || type === "_" ? [] : [{ first: i, last: i + 1, type }]));

/**
 * What to draw: spans with a probability where there is one. `given` are the server's spans, which know theirs;
 * `confidence` is that of single labels.
 */
export function drawnSpans(labels, modelLabels, given, confidence) {
  if (!formSpans(modelLabels))
    return tokensAsSpans(labels).map((span) => ({ ...span, probability: confidence?.[span.first] }));
  return given ?? spansOf(labels);
}

/** Colours by type, in the order of the model's labels: a class name for each. Lines change style when hues run out. */
export function colours(modelLabels) {
  const types = [...new Set(modelLabels.map(typeOf))].filter((type) => type !== "O");
  const classes = new Map(types.map((type, i) => [type, `hue-${i % hues} line-${Math.floor(i / hues) % 3}`]));
  return (type) => classes.get(type) ?? "hue-0 line-0";
}
