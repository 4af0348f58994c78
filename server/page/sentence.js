// One labelled sentence as an element: tokens that can be chosen, spans around them as brackets with their type.
// Everything is inline text, so that lines break, letters join and directions mix as in any paragraph.

import { make, percent } from "./dom.js";
import { drawnSpans, uncertainBelow } from "./labels.js";

const uncertain = (p) => typeof p === "number" && p < uncertainBelow;

/** What a screen reader says about a token. */
function spoken(token, layer, t, marks) {
  const words = [token, layer.labels[t] === "O" ? "no label" : layer.labels[t]];
  const p = layer.confidence?.[t];
  if (typeof p === "number") words.push(percent(p));
  if (uncertain(p)) words.push("uncertain");
  if (marks.corrected.has(t)) words.push("corrected");
  if (marks.changed.has(t)) words.push("changed by a constraint");
  if (marks.differs?.has(t)) words.push(`differs, the other says ${marks.others[t]}`);
  return words.join(", ");
}

function tokenElement(token, layer, t, marks) {
  const classes = ["token"];
  if (marks.corrected.has(t)) classes.push("corrected");
  if (marks.changed.has(t)) classes.push("changed");
  if (marks.differs?.has(t)) classes.push("differs");
  return make("span", {
    class: classes.join(" "),
    role: "button",
    tabindex: "-1",
    "data-token": t,
    "data-label": layer.labels[t],
    "aria-label": spoken(token, layer, t, marks),
    text: token,
  });
}

/**
 * The element of a sentence. `layer` is what to show; `labels` are all labels of its model; `colour` gives a type its
 * class; `marks` has the sets `corrected`, `changed` and (when comparing) `differs` with the `others`' labels.
 */
export function sentenceElement({ sentence, layer, labels, colour, marks }) {
  const line = make("p", { class: "line", dir: "auto", role: "group" });
  const spans = drawnSpans(layer.labels, labels, layer.spans, layer.confidence);
  let next = 0;
  let holder = line;
  sentence.tokens.forEach((token, t) => {
    const gap = sentence.gaps[t];
    if (spans[next]?.first === t) {
      const span = spans[next];
      const p = span.probability;
      const touching = !gap && spans[next - 1]?.last === t;
      if (gap) line.append(gap);
      holder = make("span", {
        class: `span ${colour(span.type)}${uncertain(p) ? " uncertain" : ""}${touching ? " touching" : ""}`,
        "data-type": span.type,
        title: `${span.type}${typeof p === "number" ? `, ${percent(p)}` : ""}`,
        vars: { p: typeof p === "number" ? p.toFixed(3) : "1" },
      });
      line.append(holder);
    } else if (gap) {
      holder.append(gap);
    }
    holder.append(tokenElement(token, layer, t, marks));
    if (spans[next]?.last === t + 1) {
      // A bdi has no say in the direction of the line, and its letters do not join those of the text.
      const type = spans[next].type + (uncertain(spans[next].probability) ? " ?" : "");
      holder.append(make("bdi", { class: "type", "aria-hidden": "true", text: type }));
      holder = line;
      next += 1;
    }
  });
  return line;
}
