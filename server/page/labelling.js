// Labels a whole input with a target: sentences with one layer of labels per model. Corrections are forced, and what
// depends on them is decided again.
//
// A sentence is {tokens, rows, piped, gaps, layers}: `rows` are its cells if it came as columns, otherwise null; `piped`
// says that its layers are those of a pipeline; `gaps` is the white space before each token. A layer is {model, labels, spans,
// confidence, changes, outcome, clash, column}; only models that predict several columns of labels have a column.

import * as api from "./api.js";
import { gapsOf, parseColumns, wellFormed } from "./text.js";
import { askFor } from "./targets.js";

/** The part of a layer that an answer's sequence holds. */
const decided = (answer) => ({
  labels: answer.labels,
  spans: answer.spans,
  confidence: answer.confidence,
  changes: answer.constraints?.changes ?? [],
  outcome: answer.constraints?.outcome,
  clash: answer.constraints?.clash,
});

/** The layers of an answer: those before the last have labels only. */
function layersOf(target, answer) {
  const last = { model: target.models[target.last], ...decided(answer) };
  const columns = (answer.others ?? []).map((labels, column) => ({ model: last.model, labels, column, changes: [] }));
  if (columns.length > 0) last.column = columns.length;
  const before = target.models.slice(0, -1).map((model) => ({ model, labels: answer.stages[model.name], changes: [] }));
  return [...before, ...columns, last];
}

/** Whether labels of a layer can be corrected: of several columns that one model predicts, only the last. */
export const correctable = ({ layers }, index) => layers[index].column === undefined || index === layers.length - 1;

/** The labels that a layer can have. The server lists those of the last column only; of others, those that occur count. */
export function labelsOf(sentence, index) {
  const layer = sentence.layers[index];
  return correctable(sentence, index) ? layer.model.labels : [...new Set(layer.labels)].sort();
}

/**
 * The input of a layer's model, as a request has it. In a pipeline a row is the cells of the input and the labels of the
 * models before; a model reads the columns that it saw in training, where its own label does not count.
 */
export function inputOf(sentence, index) {
  const { model } = sentence.layers[index];
  if (model.words_only && !sentence.rows) return { tokens: sentence.tokens };
  if (!sentence.piped) return { rows: sentence.rows ?? sentence.tokens.map((token) => [token]) };
  const before = sentence.layers.slice(0, index);
  const place = (column) => column - 1 - model.label_columns.filter((own) => own < column).length;
  const rows = sentence.tokens.map((token, t) => {
    const cells = [...(sentence.rows?.[t] ?? [token]), ...before.map((layer) => layer.labels[t])];
    return model.feature_columns.map((column) => cells[place(column)]);
  });
  return { rows };
}

/** A sentence as training data of a layer's model: the cells that it reads, then its label, or its labels. */
function trainingRows(sentence, index) {
  const { model } = sentence.layers[index];
  const own = sentence.layers.filter((layer) => layer.model === model);
  const { rows = sentence.tokens.map((token) => [token]) } = inputOf(sentence, index);
  return rows.map((cells, t) => [...cells, ...own.map((layer) => layer.labels[t])]);
}

/** Decides the layers of these sentences again, in place, with what is forced in each. */
async function decideAgain(sentences, corrections, constraints, signal) {
  for (let index = 0; index < sentences[0].layers.length; ++index) {
    const { model } = sentences[0].layers[index];
    const last = index === sentences[0].layers.length - 1;
    if (!correctable(sentences[0], index)) continue;
    const answer = await api.tag(
      {
        model: model.name,
        ...askFor(model, last ? constraints : ""),
        sequences: sentences.map((s) => ({
          ...inputOf(s, index),
          forced: corrections.forced(model.name, s.tokens) ?? s.tokens.map(() => null),
        })),
      },
      signal,
    );
    sentences.forEach((s, i) => {
      const { others = [] } = answer.sequences[i];
      others.forEach((labels, column) => (s.layers[index - others.length + column].labels = labels));
      Object.assign(s.layers[index], decided(answer.sequences[i]));
    });
  }
}

/**
 * Labels the input, {kind: "text" or "columns", value}: a list of sentences. Sentences with corrections are decided a
 * second time, all in one request per model.
 */
export async function label(target, input, corrections, constraints, signal) {
  const request = { ...target.fields, ...askFor(target.models[target.last], constraints) };
  const columns = input.kind === "columns" ? parseColumns(wellFormed(input.value)) : null;
  const text = columns ? null : wellFormed(input.value);
  if (columns ? columns.length === 0 : text.trim() === "") return [];
  if (columns) request.sequences = columns.map((rows) => ({ rows }));
  else request.text = text;
  const { sequences } = await api.tag(request, signal);
  const gaps = gapsOf(sequences, text);
  const sentences = sequences.map((answer, i) => ({
    tokens: answer.tokens,
    rows: columns ? columns[i] : null,
    piped: target.kind === "pipeline",
    gaps: gaps[i],
    layers: layersOf(target, answer),
  }));
  const corrected = sentences.filter((s) => s.layers.some((layer) => corrections.forced(layer.model.name, s.tokens)));
  if (corrected.length > 0) await decideAgain(corrected, corrections, constraints, signal);
  for (const s of corrected)
    s.layers.forEach((layer, index) => {
      if (correctable(s, index)) corrections.remember(layer.model.name, s.tokens, trainingRows(s, index));
    });
  return sentences;
}
