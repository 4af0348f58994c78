#!/usr/bin/env node
// Scores labels by chunk, as conlleval does: a chunk is right when its bounds
// and its type are.
//
//   node score.js FILE        lines "gold predicted", an empty line between sentences
'use strict';
const fs = require('fs');

const split = (label) => (label === 'O' ? ['O', ''] : [label[0], label.slice(2)]);

function starts([prevTag, prevType], [tag, type]) {
  if (tag === 'O') return false;
  return tag === 'B' || prevTag === 'O' || prevType !== type;
}

function ends(prev, next) {
  if (prev[0] === 'O') return false;
  return next[0] === 'O' || next[0] === 'B' || prev[1] !== next[1];
}

/** Counts over a sequence of [gold, predicted] pairs, null between sentences. */
function score(pairs) {
  const outside = ['O', ''];
  let tokens = 0;
  let rightTokens = 0;
  let gold = 0;
  let predicted = 0;
  let right = 0;
  let g0 = outside;
  let p0 = outside;
  let together = false; // a chunk that began at the same token in both, of one type, is open
  for (const pair of [...pairs, null]) {
    const g = pair === null ? outside : split(pair[0]);
    const p = pair === null ? outside : split(pair[1]);
    if (together) {
      const ge = ends(g0, g);
      const pe = ends(p0, p);
      if (ge && pe) ++right;
      if (ge || pe) together = false;
    }
    const gs = starts(g0, g);
    const ps = starts(p0, p);
    if (gs) ++gold;
    if (ps) ++predicted;
    if (gs && ps && g[1] === p[1]) together = true;
    if (pair !== null) {
      ++tokens;
      if (pair[0] === pair[1]) ++rightTokens;
    }
    g0 = g;
    p0 = p;
  }
  const percent = (a, b) => (b === 0 ? 0 : Math.round((10000 * a) / b) / 100);
  return {
    tokens,
    accuracy: percent(rightTokens, tokens),
    gold_chunks: gold,
    predicted_chunks: predicted,
    right_chunks: right,
    precision: percent(right, predicted),
    recall: percent(right, gold),
    f1: percent(2 * right, gold + predicted),
  };
}

function scoreFile(path) {
  const pairs = fs.readFileSync(path, 'utf8').split('\n').map((line, n) => {
    if (line === '') return null;
    const pair = line.split(/[ \t]+/);
    if (pair.length !== 2) throw new Error(`${path}:${n + 1}: not "gold predicted"`);
    return pair;
  });
  return score(pairs);
}

module.exports = { score, scoreFile };

if (require.main === module) {
  if (process.argv.length !== 3) {
    console.error('usage: node score.js FILE');
    process.exit(2);
  }
  console.log(JSON.stringify(scoreFile(process.argv[2])));
}
