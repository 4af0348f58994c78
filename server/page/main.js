// The page of `espalier serve`: text in, labels as one types. This file holds the state and ties the parts together:
// input and menus change the state, refresh() asks the server, draw() shows the answer.

import * as api from "./api.js";
import { countDifferences, differences } from "./compare.js";
import { Corrections } from "./corrections.js";
import { byId, counted, make } from "./dom.js";
import * as downloads from "./downloads.js";
import { correctable, label, labelsOf } from "./labelling.js";
import { drawCorrections, drawLayers, drawSummary, say } from "./overview.js";
import { Panel } from "./panel.js";
import { ResultList } from "./result.js";
import { targetsOf } from "./targets.js";
import { examples } from "./text.js";

const state = {
  targets: [],
  target: null,
  other: null, // the target to compare with, or null
  kind: "text",
  layer: null, // the number of the layer to show; null: the last
  sides: [], // per target {target, sentences}, what is on the page
  place: null, // the chosen token {side, sentence, token, tokens}
  explained: "", // what the panel shows, to tell whether it must be asked again
};
const corrections = new Corrections();
const list = new ResultList((place) => {
  openPanel(place, true);
  // On a phone the panel covers the lower part of the window.
  if (matchMedia("(max-width: 62rem)").matches) list.token(place)?.scrollIntoView({ block: "start" });
});
const panel = new Panel({ choose: correct, close: panelClosed });
const input = byId("input");

// ---- asking ----

let asking = null; // the request under way
let timer = 0;
let lastTook = 0; // milliseconds of the last answer

/** Asks again soon; the slower the server, the longer the pause that it waits for. */
function refreshSoon() {
  clearTimeout(timer);
  timer = setTimeout(refresh, Math.min(Math.max(lastTook, 120), 1000));
}

/**
 * Labels the input with every chosen target and shows the result. An older request that is still under way is dropped.
 * Resolves to false if the server refused.
 */
async function refresh() {
  clearTimeout(timer);
  asking?.abort();
  const mine = new AbortController();
  asking = mine;
  if (!state.target) return true;
  byId("result").setAttribute("aria-busy", "true");
  const began = performance.now();
  const constraints = byId("constraints").value.trim();
  const given = { kind: state.kind, value: input.value };
  try {
    const targets = state.other ? [state.target, state.other] : [state.target];
    const sentences = await Promise.all(
      targets.map((target, i) =>
        label(target, given, corrections, i === 0 ? constraints : "", mine.signal).catch((error) => {
          if (state.other && error instanceof api.Problem) error.message = `${target.name}: ${error.message}`;
          throw error;
        }),
      ),
    );
    if (mine.signal.aborted) return true;
    lastTook = performance.now() - began;
    state.sides = targets.map((target, i) => ({ target, sentences: sentences[i] }));
    showError(null);
    await draw();
  } catch (error) {
    if (mine.signal.aborted) return true;
    mine.abort(); // what else is under way
    showError(error);
    if (state.sides[0]?.target !== state.target) {
      state.sides = [{ target: state.target, sentences: [] }];
      await draw();
    }
  }
  if (asking === mine) byId("result").removeAttribute("aria-busy");
  return byId("error").hidden;
}

function showError(error) {
  byId("error").hidden = error === null;
  byId("error").textContent = error?.message ?? "";
  byId("access").hidden = error?.status !== 401;
  byId("sentences").classList.toggle("stale", error !== null);
  if (error && !(error instanceof api.Problem)) console.error(error);
}

// ---- drawing ----

/** The number of the layer to show of a sentence: the chosen one of the first target, the last one of the other. */
const layerIndex = ({ layers }, side) =>
  side === 0 && state.layer !== null && state.layer < layers.length ? state.layer : layers.length - 1;

/** What the list needs to draw a sentence of one side. `differs` are the tokens that the other side labels differently. */
function drawing(side, i, differs) {
  const { target, sentences } = state.sides[side];
  const sentence = sentences[i];
  const index = layerIndex(sentence, side);
  const layer = sentence.layers[index];
  const chosen = correctable(sentence, index) ? corrections.forced(layer.model.name, sentence.tokens) : null;
  const marks = {
    corrected: new Set([...sentence.tokens.keys()].filter((t) => chosen && chosen[t] !== null)),
    changed: new Set(layer.changes.map((change) => change.token)),
  };
  if (differs) {
    const twin = state.sides[1 - side].sentences[i];
    marks.differs = differs;
    marks.others = twin.layers[layerIndex(twin, 1 - side)].labels;
  }
  return { sentence, layer, labels: labelsOf(sentence, index), marks, heading: target.name };
}

async function draw() {
  const [first, second] = state.sides;
  const differing = second && differences(first.sentences, second.sentences, layerIndex);
  const items = first.sentences.map((_, i) => {
    const sides = [drawing(0, i, differing?.[i])];
    if (second?.sentences[i]) sides.push(drawing(1, i, differing?.[i]));
    return sides;
  });
  byId("empty").hidden = items.length > 0 || !byId("error").hidden;
  byId("save").hidden = items.length === 0;
  drawLayers(first.sentences[0], first.sentences[0] && layerIndex(first.sentences[0], 0));
  drawCorrections(corrections, (model) => {
    corrections.clear(model);
    byId("result").focus();
    refresh();
  });
  drawSummary(items, differing && countDifferences(first.sentences, differing));
  followPlace();
  await list.show(items);
  list.select(state.place);
}

// ---- the panel ----

/** Explains a token. Asks nothing if the panel shows it already. */
function openPanel(place, focus) {
  const sentence = state.sides[place.side]?.sentences[place.sentence];
  if (!sentence) return;
  const index = layerIndex(sentence, place.side);
  const constraints = place.side === 0 ? byId("constraints").value.trim() : "";
  const { model, changes } = sentence.layers[index];
  const chosen = corrections.forced(model.name, sentence.tokens);
  const labels = sentence.layers.map((layer) => [layer.labels, layer.confidence]);
  const explained = JSON.stringify([model.name, index, place.token, sentence.tokens, constraints, chosen, changes, labels]);
  const same = panel.isOpen && explained === state.explained;
  state.place = { ...place, tokens: sentence.tokens };
  state.explained = explained;
  list.select(place);
  if (!same) panel.show({ sentence, index, token: place.token, corrections, constraints, focus });
}

function panelClosed() {
  const place = state.place;
  state.place = null;
  list.select(null);
  if (place) list.token(place)?.focus();
}

/** After a new answer: the panel follows its sentence, or closes if it is gone. */
function followPlace() {
  if (!state.place) return;
  const { tokens } = state.place;
  const same = (s) => s.tokens.length === tokens.length && s.tokens.every((t, i) => t === tokens[i]);
  const sentences = state.sides[state.place.side]?.sentences ?? [];
  const here = sentences[state.place.sentence];
  const sentence = here && same(here) ? state.place.sentence : sentences.findIndex(same);
  const focused = byId("panel").contains(document.activeElement);
  if (sentence >= 0) openPanel({ side: state.place.side, sentence, token: state.place.token }, focused);
  else {
    state.place = null;
    panel.close();
  }
}

/** Corrects tokens of the chosen sentence and labels again. What the server refuses is taken back. */
async function correct(labels) {
  const { side, sentence, tokens } = state.place;
  const { layers } = state.sides[side].sentences[sentence];
  const { model } = layers[layerIndex({ layers }, side)];
  const before = [...labels.keys()].map((token) => [token, corrections.chosen(model.name, tokens, token) ?? null]);
  const choose = (all) => all.forEach(([token, chosen]) => corrections.choose(model.name, tokens, token, chosen));
  const was = layers[layerIndex({ layers }, side)].labels;
  choose([...labels]);
  if (!(await refresh())) {
    choose(before);
    return;
  }
  const now = state.sides[side].sentences[sentence]?.layers[layerIndex({ layers }, side)].labels ?? was;
  const others = now.filter((l, t) => l !== was[t] && !labels.has(t)).length;
  say(`Labelled again; ${others === 0 ? "no other label" : counted(others, "other label")} changed.`, 0);
}

// ---- menus and input ----

function fillMenus() {
  const options = (chosen) => {
    const groups = [];
    for (const [kind, name] of Object.entries({ pipeline: "Pipelines", model: "Models" })) {
      const members = state.targets
        .filter((t) => t.kind === kind)
        .map((t) => make("option", { value: t.key, text: t.name, selected: t.key === chosen }));
      if (members.length > 0) groups.push(make("optgroup", { label: name }, ...members));
    }
    return groups;
  };
  byId("target").replaceChildren(...options(state.target?.key));
  byId("compare").replaceChildren(make("option", { value: "", text: "nothing" }), ...options(null));
}

function targetChanged() {
  const find = (key) => state.targets.find((t) => t.key === key) ?? null;
  state.target = find(byId("target").value);
  state.other = find(byId("compare").value);
  state.layer = null;
  byId("about").textContent = state.target?.about ?? "";
  if (panel.isOpen) {
    state.place = null;
    panel.close();
  }
  refresh();
}

const placeholders = {
  text: "Type or paste text; it is labelled as you type.",
  columns: "One token per line, its cells separated by tabs or blanks; a blank line between sentences.",
};

function setKind(kind) {
  state.kind = kind;
  for (const radio of byId("kind").querySelectorAll("input")) radio.checked = radio.value === kind;
  byId("input-label").textContent = kind === "text" ? "Text to label" : "Columns to label";
  input.placeholder = placeholders[kind];
  input.classList.toggle("columns", kind === "columns");
  refresh();
}

/** Saves what the first target says, in one of the formats. */
function download(format) {
  const { target, sentences } = state.sides[0];
  const { ending, type, write } = downloads.formats[format];
  downloads.save(`${target.name}.${ending}`, write(sentences, target, corrections), type);
}

function listen() {
  input.addEventListener("input", refreshSoon);
  byId("constraints").addEventListener("input", refreshSoon);
  byId("target").addEventListener("change", targetChanged);
  byId("compare").addEventListener("change", targetChanged);
  byId("kind").addEventListener("change", (event) => setKind(event.target.value));
  byId("layers").addEventListener("change", (event) => {
    state.layer = Number(event.target.value);
    draw();
  });
  byId("next-difference").addEventListener("click", () => list.nextDifference());
  for (const button of document.querySelectorAll("[data-download]"))
    button.addEventListener("click", () => download(button.dataset.download));
  for (const button of document.querySelectorAll("[data-example]"))
    button.addEventListener("click", () => {
      input.value = examples[button.dataset.example];
      if (state.kind !== "text") setKind("text");
      else refresh();
      input.focus();
    });
  addEventListener("beforeunload", (event) => {
    if (corrections.unsaved) event.preventDefault();
  });
  byId("access").addEventListener("submit", (event) => {
    event.preventDefault();
    api.useToken(byId("token").value);
    start();
  });
}

/** Asks what the server has and begins. */
async function start() {
  try {
    state.targets = targetsOf(await api.models());
    state.target = state.targets.find((t) => t.takesText) ?? state.targets[0] ?? null;
    fillMenus();
    showError(null);
    targetChanged();
    if (state.target && !state.target.takesText) setKind("columns");
  } catch (error) {
    showError(error);
  }
}

listen();
start();
