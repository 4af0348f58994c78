// Why a token got its label: its features as bars, to the one side those that speak for the label, to the other those
// that speak for the runner-up; and the constraint that changed it, if one did.

import { make, number } from "./dom.js";

/** What constraints did to a token: a paragraph, or null. `changed` is {before, because: [{constraint, price}]}. */
export function ruleNote(changed, now) {
  if (!changed) return null;
  const rules = changed.because.map(({ constraint, price }) => `${constraint} (price ${number(price)})`);
  const noun = rules.length > 1 ? "the constraints" : "the constraint";
  const what = rules.length > 0 ? `${noun} ${rules.join(", ")}` : "the constraints together";
  return make("p", { class: "note rule", text: `Changed from ${changed.before} to ${now} by ${what}.` });
}

/** The name of a feature; long ones break after their separators. */
function featureName(feature) {
  const name = make("bdi");
  for (const piece of feature.split(/(?<=[|=])/u)) name.append(piece, make("wbr"));
  return name;
}

function bar({ feature, weight, runner_up_weight: rival }, largest) {
  const difference = weight - rival;
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, featureName(feature)),
    make(
      "td",
      { class: "bars", "aria-hidden": "true" },
      make("span", {
        class: difference >= 0 ? "for" : "against",
        vars: { w: (Math.abs(difference) / largest).toFixed(4) },
      }),
    ),
    make("td", { class: "figure", text: number(weight) }),
    make("td", { class: "figure", text: number(rival) }),
  );
}

/** The explanation of a token, from /v1/explain; `who` decided where the model would have chosen otherwise. */
export function reasons(explanation, who) {
  const { label, runner_up: rival, margin, features } = explanation;
  if (!rival) return [make("p", { class: "quiet", text: "The model has no other label for this token." })];
  const largest = Math.max(...features.map((f) => Math.abs(f.weight - f.runner_up_weight)), 1e-9);
  const says =
    margin === null
      ? ""
      : margin < 0
        ? `By its score alone the model would prefer ${rival}, by ${number(-margin)}: ${who} decided.`
        : `${label} is ahead of the runner-up ${rival} by ${number(margin)}.`;
  if (features.length === 0)
    return [make("p", { text: says }), make("p", { class: "quiet", text: "No feature of this token tells the two apart." })];
  return [
    make("p", { class: "says", text: says }),
    make(
      "table",
      { class: "reasons" },
      make("caption", { text: `Features that speak for ${label} (right) or for ${rival} (left)` }),
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          make("th", { scope: "col", text: "Feature" }),
          make("td", { class: "bars", "aria-hidden": "true" }),
          make("th", { scope: "col", class: "figure", text: label }),
          make("th", { scope: "col", class: "figure", text: rival }),
        ),
      ),
      make("tbody", {}, ...features.map((f) => bar(f, largest))),
    ),
  ];
}
