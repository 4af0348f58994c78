// What stands around the sentences: the summary, the choice of a layer, the corrections made so far.

import { byId, counted, make } from "./dom.js";
import { save } from "./downloads.js";
import { correctable } from "./labelling.js";
import { drawnSpans, formSpans, uncertainBelow } from "./labels.js";

let saying = 0;

/** Has screen readers say something, once nothing newer has come for a moment: nobody wants to hear every keystroke. */
export function say(text, milliseconds = 900) {
  clearTimeout(saying);
  saying = setTimeout(() => (byId("said").textContent = text), milliseconds);
}

/** Says how much there is, and how sure and how different it is. `items` are those of ResultList.show. */
export function drawSummary(items, differing) {
  let tokens = 0;
  let spans = 0;
  let unsure = 0;
  for (const [{ sentence, layer, labels }] of items) {
    tokens += sentence.tokens.length;
    for (const span of drawnSpans(layer.labels, labels, layer.spans, layer.confidence)) {
      spans += 1;
      if (span.probability < uncertainBelow) unsure += 1;
    }
  }
  const noun = items.length > 0 && formSpans(items[0][0].labels) ? "span" : "label";
  const words = [counted(items.length, "sentence"), counted(tokens, "token"), counted(spans, noun)];
  if (unsure > 0) words.push(`${unsure.toLocaleString("en")} uncertain`);
  if (differing) words.push(`${differing.differing.toLocaleString("en")} of ${counted(differing.tokens, "token")} differ`);
  const impossible = items.filter(([{ layer }]) => layer.outcome === "infeasible");
  if (impossible.length > 0) {
    const clash = [...new Set(impossible.flatMap(([{ layer }]) => layer.clash ?? []))].join(", ");
    words.push(`${counted(impossible.length, "sentence")} cannot obey the constraints${clash ? ` (${clash})` : ""}`);
  }
  const late = items.filter(([{ layer }]) => layer.outcome === "none in time").length;
  if (late > 0) words.push(`${counted(late, "sentence")} out of time: the constraints may be broken`);
  const summary = items.length > 0 ? words.join(" · ") : "";
  if (summary !== byId("summary").textContent) say(summary);
  byId("summary").textContent = summary;
  byId("next-difference").hidden = !(differing?.differing > 0);
}

/** The choice between the layers of a sentence, if it has several; `shown` is the number of the one on the page. */
export function drawLayers(sentence, shown) {
  const box = byId("layers");
  const layers = sentence?.layers ?? [];
  box.hidden = layers.length < 2;
  const names = layers.map((layer, i) => (correctable(sentence, i) ? layer.model.name : `column ${layer.column + 1}`));
  const drawn = [...box.querySelectorAll("label")].map((l) => l.textContent);
  if (names.join("\n") !== drawn.join("\n")) {
    for (const old of box.querySelectorAll("label")) old.remove();
    names.forEach((name, i) =>
      box.append(make("label", {}, make("input", { type: "radio", name: "layer", value: i }), make("span", { text: name }))),
    );
  }
  box.querySelectorAll("input").forEach((radio, i) => (radio.checked = i === shown));
}

/** The corrections of each model, to download or to forget; `forget` is called with a model's name. */
export function drawCorrections(corrections, forget) {
  const button = (text, name, click, data) =>
    make("button", { type: "button", text, "aria-label": name, "data-training": data, on: { click } });
  const rows = [...corrections.counts()].map(([model, { sentences, tokens }]) =>
    make(
      "p",
      { class: "bar" },
      make("span", { text: `${counted(tokens, "correction")} of ${model} in ${counted(sentences, "sentence")}` }),
      make(
        "span",
        { class: "row" },
        button(
          "Download as training data",
          `Download as training data: the corrections of ${model}`,
          () => save(`corrections-${model}.txt`, corrections.trainingData(model), "text/plain"),
          model,
        ),
        button("Forget", `Forget the corrections of ${model}`, () => forget(model)),
      ),
    ),
  );
  byId("corrections").hidden = rows.length === 0;
  byId("corrections").replaceChildren(...rows);
}
