// The best labellings of a sentence, each shown by what it changes in the labelling on the page.

import { make, percent, number } from "./dom.js";

/** The runs of tokens whose labels differ: [{first, last}], `last` excluded. */
function changedRuns(labels, shown) {
  const runs = [];
  labels.forEach((label, i) => {
    if (label === shown[i]) return;
    if (runs.at(-1)?.last === i) runs.at(-1).last = i + 1;
    else runs.push({ first: i, last: i + 1 });
  });
  return runs;
}

/**
 * A list of labellings. `list` is the `nbest` of an answer, `shown` the labels on the page; `use` is called with the labels
 * of the one that the user prefers.
 */
export function alternatives(list, shown, tokens, gaps, use) {
  const joined = (first, last) =>
    tokens.slice(first, last).map((token, i) => (i === 0 ? token : gaps[first + i] + token)).join("");
  const items = list.map(({ labels, probability, score }) => {
    const runs = changedRuns(labels, shown);
    const item = make("li", {});
    item.append(
      make("span", {
        class: "figure",
        text: typeof probability === "number" ? percent(probability) : number(score),
      }),
    );
    if (runs.length === 0) {
      item.append(make("span", { class: "quiet", text: "as shown" }));
      return item;
    }
    const what = make("span", { class: "what" });
    for (const { first, last } of runs)
      what.append(
        make(
          "span",
          { class: "run" },
          make("bdi", { class: "words", text: joined(first, last) }),
          make("span", { class: "labels" }, ...labels.slice(first, last).map((l) => make("bdi", { text: l }))),
        ),
      );
    const name = `Use this labelling: ${runs.map((r) => labels.slice(r.first, r.last).join(" ")).join(", ")}`;
    const click = () => use(labels);
    item.append(what, make("button", { type: "button", class: "small", text: "Use", "aria-label": name, on: { click } }));
    return item;
  });
  return make("ol", { class: "alternatives" }, ...items);
}
