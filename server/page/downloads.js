// Files made from what the page shows. Nothing is sent anywhere: the browser saves what it already has.

/** Saves text under a name. */
export function save(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

const last = (sentence) => sentence.layers[sentence.layers.length - 1];

/** Cells of the input, then the labels of each layer: one token per line, a blank line after each sentence. */
function columns(sentences) {
  const line = (s, t) => [...(s.rows?.[t] ?? [s.tokens[t]]), ...s.layers.map((layer) => layer.labels[t])].join("\t");
  return sentences.map((s) => s.tokens.map((_, t) => `${line(s, t)}\n`).join("") + "\n").join("");
}

/** CoNLL-U as the command writes it: the label in UPOS, what else is known in MISC as Column2, Column3 and so on. */
function conllu(sentences) {
  const line = (s, t) => {
    const further = [...(s.rows?.[t].slice(1) ?? []), ...s.layers.slice(0, -1).map((layer) => layer.labels[t])];
    const misc = further.map((cell, i) => `Column${i + 2}=${cell}`).join("|") || "_";
    return [t + 1, s.tokens[t], "_", last(s).labels[t], "_", "_", "_", "_", "_", misc].join("\t");
  };
  return sentences.map((s) => s.tokens.map((_, t) => `${line(s, t)}\n`).join("") + "\n").join("");
}

/** What the server answered, with the labels of every layer and the tokens that the user corrected. */
function json(sentences, target, corrections) {
  const sequences = sentences.map((s) => {
    const { model, labels, spans, confidence } = last(s);
    const chosen = [...s.tokens.keys()].filter((t) => corrections.chosen(model.name, s.tokens, t) !== undefined);
    const stages = Object.fromEntries(s.layers.map((layer) => [layer.model.name, layer.labels]));
    return {
      tokens: s.tokens,
      labels,
      confidence,
      spans,
      stages: target.kind === "pipeline" ? stages : undefined,
      corrected: chosen.length > 0 ? chosen : undefined,
    };
  });
  return `${JSON.stringify({ ...target.fields, sequences }, null, 1)}\n`;
}

/** By name: the ending of the file, its type, and write(sentences, target, corrections). */
export const formats = {
  columns: { ending: "txt", type: "text/plain", write: columns },
  conllu: { ending: "conllu", type: "text/plain", write: conllu },
  json: { ending: "json", type: "application/json", write: json },
};
