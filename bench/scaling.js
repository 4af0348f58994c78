// How time and memory of training grow: with tokens, labels, features, and the length of sequences. Prints a table and
// draws build/bench/scaling.svg (bench/plot.cc).
//
//   ESPALIER_SCALING=small (the default: minutes) or full (to 100 million tokens, 2,000 labels, 20 million features,
//   sequences of a million tokens: hours, and 60 GB of disk under TMPDIR and build/bench)
//   ESPALIER_DIMENSIONS=tokens,labels,features,length (the default) or some of these. The run of 100 million tokens within
//   2 GB alone:  ESPALIER_SCALING=full ESPALIER_DIMENSIONS=tokens bench/run.sh scaling
'use strict';
const fs = require('fs');
const path = require('path');

const kSizes = {
  small: { copies: [1, 2, 5, 10], labels: [10, 30, 100, 300], labelTokens: 20000, features: [30000, 100000, 300000, 1000000],
           lengths: [10, 100, 1000, 10000, 100000], lengthTokens: 100000, memory: '500M', cutoff: 3 },
  full: { copies: [1, 5, 50, 500], labels: [10, 50, 200, 1000, 2000], labelTokens: 100000,
          features: [100000, 1000000, 5000000, 20000000], lengths: [10, 100, 1000, 10000, 100000, 1000000], lengthTokens: 1000000,
          memory: '2G', cutoff: 25 },  // leaves some millions of features of 100 million tokens
};
const kTemplates = 10;  // of the text for the dimension of features

/** Writes a file line by line without holding it. */
function writer(file) {
  const descriptor = fs.openSync(file, 'w');
  let waiting = [];
  const flush = () => { fs.writeSync(descriptor, waiting.join('')); waiting = []; };
  return {
    write(text) { waiting.push(text); if (waiting.length > 100000) flush(); },
    close() { flush(); fs.closeSync(descriptor); },
  };
}

function random() {
  let state = 1;
  return (n) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor(state / 4294967296 * n); };
}

/** Words over four labels in sequences of one length. `words`: how many there are; 0: every word is new. */
function text(file, tokens, length, words) {
  const out = writer(file), below = random();
  for (let t = 0; t < tokens; ++t) {
    const label = below(4);
    out.write(`${words === 0 ? `n${t}` : `w${below(words) * 4 + label}`} L${label}\n`);
    if (t % length === length - 1) out.write('\n');
  }
  out.write('\n');
  out.close();
}

/** `tools`: espalier(...args), measured(...args), row(...cells), conll(name), work. */
module.exports = function scaling({ espalier, measured, row, conll, work, draw }) {
  const chosen = process.env.ESPALIER_SCALING || 'small';
  const sizes = kSizes[chosen];
  if (!sizes) throw new Error(`ESPALIER_SCALING is '${chosen}'; there are ${Object.keys(kSizes).join(' and ')}`);
  const folder = path.join(work, 'scaling'), file = path.join(folder, 'train.txt'), model = path.join(folder, 'a.model');
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const results = [];

  /** One training: its size, seconds of processor time and bytes, for each token. */
  function point(dimension, line, x, tokens, ...settings) {
    const { seconds, peak } = measured('train', file, '-m', model, '--threads', '1', '--quiet', ...settings);
    results.push({ dimension, line, x, tokens, seconds, peak });
    row(`${dimension}: ${line}`, x, `${tokens} tokens`, `${(1e6 * seconds / tokens).toFixed(2)} us per token`,
        `${(peak / 1e6).toFixed(1)} MB`, `${(peak / tokens).toFixed(0)} bytes per token`);
  }

  const known = ['tokens', 'labels', 'features', 'length'];
  const wanted = (process.env.ESPALIER_DIMENSIONS || known.join(',')).split(',');
  for (const name of wanted)
    if (!known.includes(name)) throw new Error(`ESPALIER_DIMENSIONS has '${name}'; there are ${known.join(', ')}`);
  const of = (name, values) => wanted.includes(name) ? values : [];

  const tokensOf = () => JSON.parse(espalier('check', file, '--json', '--quiet').output).tokens;
  for (const copies of of('tokens', sizes.copies)) {
    espalier('synth', 'copies', '-o', folder, '--source', conll('train.txt.gz'), '--copies', String(copies), '--quiet');
    const tokens = tokensOf();
    const settings = ['-p', 'passes=1', '-p', `cutoff=${sizes.cutoff}`];
    point('tokens', `--memory ${sizes.memory}`, tokens, tokens, ...settings, '--memory', sizes.memory);
    if (tokens <= 1.1e7) point('tokens', 'without --memory', tokens, tokens, ...settings);
  }
  for (const labels of of('labels', sizes.labels)) {
    espalier('synth', 'labels', '-o', folder, '--labels', String(labels), '--sequences', String(sizes.labelTokens / 20), '--quiet');
    for (const learner of ['crf', 'perceptron', 'local'])
      point('labels', learner, labels, tokensOf(), '--learner', learner, '-p', 'passes=1',
            ...(learner === 'perceptron' ? ['-p', 'calibrate=no'] : []));
  }
  const template = path.join(folder, 'features.template');
  fs.writeFileSync(template, Array.from({ length: kTemplates }, (_, i) => `U${i}:%x[0,0]\n`).join('') + 'B\n');
  for (const features of of('features', sizes.features)) {
    text(file, features / kTemplates, 20, 0);
    point('features', 'crf', features, features / kTemplates, '-t', template, '-p', 'passes=1');
  }
  for (const length of of('length', sizes.lengths)) {
    text(file, sizes.lengthTokens, length, 1000);
    for (const learner of ['crf', 'perceptron'])
      point('length', learner, length, sizes.lengthTokens, '--learner', learner, '-p', 'passes=1',
            ...(learner === 'perceptron' ? ['-p', 'calibrate=no'] : []));
  }
  fs.rmSync(folder, { recursive: true });

  const what = { tokens: 'tokens', labels: 'labels', features: 'features', length: 'tokens of a sequence' };
  const panels = [];
  for (const dimension of wanted) {
    const points = results.filter((p) => p.dimension === dimension);
    const lines = [...new Set(points.map((p) => p.line))];
    const panel = (title, y_label, y) => panels.push({
      title, x_label: what[dimension], y_label, log_x: true, log_y: true,
      series: lines.map((name) => {
        const own = points.filter((p) => p.line === name);
        return { name, x: own.map((p) => p.x), y: own.map(y) };
      }),
    });
    panel(`time against ${what[dimension]}`, 'µs per token and pass', (p) => 1e6 * p.seconds / p.tokens);
    panel(`memory against ${what[dimension]}`, 'bytes per token', (p) => p.peak / p.tokens);
  }
  draw({ title: 'Growth of training, one thread, one pass', panels }, path.join(work, 'scaling.svg'));
  return results;
};
