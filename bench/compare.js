#!/usr/bin/env node
// Trains, tags and scores with Espalier and with CRFsuite (bench/peer), and prints both and their ratios. bench/run.sh
// prepares the data and calls this.
//
// Ours is the whole command: reading text, making features, training, writing the model; tagging is `espalier tag` from
// a text file to a text file, the test set twenty times over. The peer's training is its own call with attribute strings
// ready made, its tagging the bare calls. So the ratios understate what one gains.
'use strict';
const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');
const { parseArgs } = require('util');
const { score } = require('./peer/score.js');

const COPIES = 20;
const PAIRS = [
  { learner: 'crf', algorithm: 'lbfgs' },
  { learner: 'perceptron', algorithm: 'averaged-perceptron' },
];

const { values: o } = parseArgs({
  options: {
    espalier: { type: 'string' }, train: { type: 'string' }, test: { type: 'string' }, template: { type: 'string' },
    work: { type: 'string' }, name: { type: 'string' }, peer: { type: 'string', default: 'yes' },
  },
});

function fail(message) {
  console.error(`bench: ${message}`);
  process.exit(1);
}

function run(program, args) {
  const started = process.hrtime.bigint();
  const result = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] });
  if (result.status !== 0) fail(`${program} ${args.join(' ')} ended with status ${result.status ?? result.error}`);
  return { text: result.stdout, seconds: Number(process.hrtime.bigint() - started) / 1e9 };
}

/** The gold and predicted labels of a file that `espalier tag` wrote: the last two columns. */
function pairsOf(file) {
  const text = fs.readFileSync(file, 'utf8').replace(/\n+$/, '');
  return text.split('\n').map((line) => (line === '' ? null : line.split(/[ \t]+/).slice(-2)));
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

function measureOurs(learner) {
  const model = path.join(o.work, `${learner}.model`);
  const tagged = path.join(o.work, `${learner}.tagged`);
  const train = JSON.parse(run(o.espalier, ['train', o.train, '-t', o.template, '-m', model, '--learner', learner,
    '--threads', '1', '--json', '-q']).text);
  const evaluation = JSON.parse(run(o.espalier, ['eval', o.test, '-m', model, '--threads', '1', '--json', '-q']).text);

  // What is timed must be right: tag's output, scored by code that is not ours, gives what eval says.
  run(o.espalier, ['tag', o.test, '-m', model, '--threads', '1', '-o', tagged, '-q']);
  const scored = score(pairsOf(tagged));
  if (Math.abs(scored.f1 - evaluation.f1) > 0.01) fail(`tag's F1 is ${scored.f1}, eval says ${evaluation.f1}`);
  if (scored.tokens !== evaluation.tokens) fail(`tag wrote ${scored.tokens} tokens, eval read ${evaluation.tokens}`);

  const many = path.join(o.work, 'many.txt');
  const once = `${fs.readFileSync(o.test, 'utf8').replace(/\n+$/, '')}\n\n`;
  fs.writeFileSync(many, once.repeat(COPIES));
  const times = [1, 2, 3].map(() =>
    run(o.espalier, ['tag', many, '-m', model, '--threads', '1', '-o', '/dev/null', '-q']).seconds);
  return {
    train_seconds: train.seconds,
    peak_rss_bytes: train.peak_rss_bytes,
    model_bytes: train.model_bytes,
    f1: scored.f1,
    tokens_per_second: (COPIES * scored.tokens) / median(times),
  };
}

function measurePeer(algorithm) {
  const driver = path.join(__dirname, 'peer', 'crfsuite_driver.js');
  const result = JSON.parse(run(process.execPath, [driver, 'bench', '--train', o.train, '--test', o.test, '--template',
    o.template, '--algorithm', algorithm, '--work', path.join(o.work, 'peer')]).text);
  return {
    train_seconds: result.train.train_seconds,
    peak_rss_bytes: result.train.peak_rss_bytes,
    model_bytes: result.train.model_bytes,
    f1: result.tag.score.f1,
    tokens_per_second: result.tag.tokens_per_second,
  };
}

const rows = [
  { title: 'training, s', key: 'train_seconds', show: (x) => x.toFixed(2), ratio: (ours, peer) => peer / ours, better: 'times faster' },
  { title: 'peak memory, MB', key: 'peak_rss_bytes', show: (x) => (x / 1e6).toFixed(0), ratio: (ours, peer) => peer / ours, better: 'times less' },
  { title: 'model, MB', key: 'model_bytes', show: (x) => (x / 1e6).toFixed(2), ratio: (ours, peer) => peer / ours, better: 'times smaller' },
  { title: 'tagging, tokens/s', key: 'tokens_per_second', show: (x) => Math.round(x).toLocaleString('en'), ratio: (ours, peer) => ours / peer, better: 'times faster' },
  { title: 'F1, %', key: 'f1', show: (x) => x.toFixed(2), ratio: (ours, peer) => ours - peer, better: 'points' },
];

const results = { data: o.name, threads: 1, pairs: [] };
console.log(`${o.name}, template ${o.template}, one thread each`);
for (const { learner, algorithm } of PAIRS) {
  const ours = measureOurs(learner);
  const peer = o.peer === 'yes' ? measurePeer(algorithm) : null;
  results.pairs.push({ learner, algorithm, espalier: ours, crfsuite: peer });
  console.log(`\n${''.padEnd(20)}${`espalier ${learner}`.padStart(22)}${peer ? `crfsuite ${algorithm}`.padStart(32) : ''}`);
  for (const row of rows) {
    const line = `${row.title.padEnd(20)}${row.show(ours[row.key]).padStart(22)}`;
    console.log(peer === null ? line
      : `${line}${row.show(peer[row.key]).padStart(32)}   ${row.ratio(ours[row.key], peer[row.key]).toFixed(2)} ${row.better}`);
  }
}
if (o.peer !== 'yes') console.log('\nCRFsuite is not available here, so there are no ratios.');
const file = path.join(o.work, 'results.json');
fs.writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
console.log(`\nalso in ${file}`);
