#!/usr/bin/env node
// Runs CRFsuite on ready-made attribute files and prints one JSON object.
//
//   node crfsuite_driver.js train --features FILE --model FILE [--algorithm NAME] [--param NAME=VALUE]... [--log FILE]
//   node crfsuite_driver.js tag   --features FILE --model FILE --output FILE [--repeat N]
//   node crfsuite_driver.js bench --train COLUMNS --test COLUMNS --template FILE [--work DIR] [--algorithm NAME] ...
//
// --engine native (default) is CRFsuite's C++ interface, --engine binding the
// npm package's Trainer and Tagger, which can only do lbfgs; bench also knows
// "both" and then reports, for training and for tagging, the faster one.
// Algorithms: lbfgs l2sgd averaged-perceptron passive-aggressive (and arow).
//
// Exit: 0; 1 the peer failed; 2 wrong usage; 3 the peer is not set up (setup.sh).
'use strict';
const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');
const { parseArgs } = require('util');
const { readFeatures, writeFeatures } = require('./features.js');
const { scoreFile } = require('./score.js');

const ALGORITHMS = ['lbfgs', 'l2sgd', 'averaged-perceptron', 'passive-aggressive', 'arow'];
const peerDir = process.env.PEER_DIR || path.join(__dirname, '..', '..', 'build', 'peer');
const nativeProgram = path.join(peerDir, 'crfsuite_native');

class Failure extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}
const usage = (message) => new Failure(2, message);

const seconds = () => Number(process.hrtime.bigint()) / 1e9;
const userSeconds = () => process.cpuUsage().user / 1e6;
const round = (x, digits) => Number(x.toFixed(digits));

function peakRssBytes() {
  try {
    return Number(/^VmHWM:\s*(\d+)/m.exec(fs.readFileSync('/proc/self/status', 'latin1'))[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}

function loadBinding() {
  try {
    return require(path.join(path.resolve(peerDir), 'node_modules', 'crfsuite'));
  } catch (e) {
    throw new Failure(3, `the Node binding is not set up (run bench/peer/setup.sh): ${e.message.split('\n')[0]}`);
  }
}

/** What CRFsuite's own log says of the run: features, iterations, loss, why it stopped. */
function readLog(file) {
  const text = fs.readFileSync(file, 'utf8');
  const out = {};
  const features = /Number of features: (\d+)/.exec(text);
  if (features) out.features = Number(features[1]);
  const iterations = [...text.matchAll(/(?:Iteration|Epoch) #(\d+)/g)];
  if (iterations.length > 0) out.iterations = Number(iterations[iterations.length - 1][1]);
  const losses = [...text.matchAll(/^Loss: ([-+.\deE]+)/gm)];
  if (losses.length > 0) out.loss = Number(losses[losses.length - 1][1]);
  const end = /^((?:L-BFGS|SGD|Loss|Terminated)[^\n]*(?:resulted|terminated|converge)[^\n]*)/m.exec(text);
  if (end) out.ended = end[1].trim();
  return out;
}

/** Compilers and flags the native driver was built with, as setup.sh noted them. */
function buildFlags() {
  try {
    return fs.readFileSync(path.join(peerDir, 'native.stamp'), 'utf8').split(' | ').slice(0, 3).join(' | ');
  } catch {
    return 'unknown';
  }
}

// ---- the two engines; each mode runs in a process of its own

function native(mode, o) {
  if (!fs.existsSync(nativeProgram)) throw new Failure(3, 'the native driver is not set up (run bench/peer/setup.sh)');
  const args = [mode, '--features', o.features, '--model', o.model];
  if (mode === 'train') {
    args.push('--algorithm', o.algorithm, '--log', o.log);
    for (const p of o.param) args.push('--param', p);
  } else {
    args.push('--output', o.output, '--repeat', String(o.repeat));
  }
  const run = spawnSync(nativeProgram, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (run.status !== 0) throw new Failure(1, `crfsuite_native ${mode} failed (${run.signal || run.status})`);
  return JSON.parse(run.stdout);
}

function bindingTrain(o) {
  if (o.algorithm !== 'lbfgs') throw usage('the binding can only do lbfgs; use --engine native');
  const { Trainer } = loadBinding();
  const trainer = new Trainer({ debug: false });
  const params = {};
  for (const p of o.param) {
    const eq = p.indexOf('=');
    if (eq < 1) throw usage(`--param wants NAME=VALUE: ${p}`);
    params[p.slice(0, eq)] = p.slice(eq + 1);
  }
  trainer.set_params(params);

  let appendSeconds = 0;
  let sentences = 0;
  let tokens = 0;
  const t0 = seconds();
  for (const s of readFeatures(o.features)) {
    const t1 = seconds();
    trainer.append(s.items, s.labels);
    appendSeconds += seconds() - t1;
    ++sentences;
    tokens += s.labels.length;
  }
  const readSeconds = seconds() - t0 - appendSeconds;

  const u2 = userSeconds();
  const t2 = seconds();
  const status = trainer.train(o.model);
  const trainSeconds = seconds() - t2;
  const trainUser = userSeconds() - u2;
  if (status !== 0) throw new Failure(1, `training failed with status ${status}`);
  return {
    sentences,
    tokens,
    read_seconds: round(readSeconds, 3),
    append_seconds: round(appendSeconds, 3),
    train_seconds: round(trainSeconds, 3),
    train_user_seconds: round(trainUser, 3),
    process_user_seconds: round(userSeconds(), 3),
    peak_rss_bytes: peakRssBytes(),
    model_bytes: fs.statSync(o.model).size,
  };
}

function bindingTag(o) {
  const { Tagger } = loadBinding();
  const data = [...readFeatures(o.features)];
  const tokens = data.reduce((n, s) => n + s.labels.length, 0);
  const tagger = new Tagger();
  const t0 = seconds();
  if (!tagger.open(o.model)) throw new Failure(1, `cannot open the model ${o.model}`);
  const openSeconds = seconds() - t0;
  const times = [];
  let predicted = [];
  const u1 = userSeconds();
  for (let r = 0; r < o.repeat; ++r) {
    const t1 = seconds();
    predicted = data.map((s) => tagger.tag(s.items));
    times.push(seconds() - t1);
  }
  const tagUser = (userSeconds() - u1) / o.repeat;
  times.sort((a, b) => a - b);
  const median = times[times.length >> 1];
  const lines = data.map((s, i) => s.labels.map((gold, t) => `${gold} ${predicted[i][t]}\n`).join(''));
  fs.writeFileSync(o.output, lines.map((s) => `${s}\n`).join(''));
  return {
    sentences: data.length,
    tokens,
    open_seconds: round(openSeconds, 4),
    repeats: o.repeat,
    tag_seconds: round(median, 4),
    tag_seconds_best: round(times[0], 4),
    tag_user_seconds: round(tagUser, 4),
    tokens_per_second: Math.round(tokens / median),
    peak_rss_bytes: peakRssBytes(),
    model_bytes: fs.statSync(o.model).size,
  };
}

function train(o) {
  const result = o.engine === 'native' ? native('train', o) : bindingTrain(o);
  result.train_seconds_with_append = round(result.train_seconds + result.append_seconds, 3);
  result.train_seconds_with_append_and_read = round(result.train_seconds_with_append + result.read_seconds, 3);
  const extra = o.engine === 'native' ? { ...readLog(o.log), build: buildFlags() } : {};
  return { peer: 'crfsuite', engine: o.engine, mode: 'train', algorithm: o.algorithm, params: o.param, ...result, ...extra };
}

function tag(o) {
  const result = o.engine === 'native' ? native('tag', o) : bindingTag(o);
  return { peer: 'crfsuite', engine: o.engine, mode: 'tag', ...result, score: scoreFile(o.output) };
}

/** Features, training, tagging and score in one go; each measured step in a fresh process. */
function bench(o) {
  fs.mkdirSync(o.work, { recursive: true });
  const file = (name) => path.join(o.work, name);
  const own = (...args) => {
    const run = spawnSync(process.execPath, [__filename, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
    if (run.status !== 0) throw new Failure(run.status || 1, `${args[0]} failed`);
    return JSON.parse(run.stdout);
  };
  const counts = {
    train: writeFeatures(o.template, o.train, file('train.features')),
    test: writeFeatures(o.template, o.test, file('test.features')),
  };
  const runs = (o.engine === 'both' ? ['native', 'binding'] : [o.engine]).map((engine) => {
    const name = `${o.algorithm}.${engine}`;
    const common = ['--engine', engine, '--model', file(`${name}.model`)];
    return {
      train: own('train', ...common, '--features', file('train.features'), '--algorithm', o.algorithm,
        '--log', file(`${name}.log`), ...o.param.flatMap((p) => ['--param', p])),
      tag: own('tag', ...common, '--features', file('test.features'), '--output', file(`${name}.labels`),
        '--repeat', String(o.repeat)),
    };
  });
  const least = (step, key) => runs.map((r) => r[step]).reduce((a, b) => (b[key] < a[key] ? b : a));
  return {
    peer: 'crfsuite',
    mode: 'bench',
    algorithm: o.algorithm,
    counts,
    train: least('train', 'train_seconds'),
    tag: least('tag', 'tag_seconds'),
    ...(runs.length > 1 ? { all: runs } : {}),
  };
}

function main() {
  const mode = process.argv[2];
  const modes = {
    train: { run: train, needs: ['features', 'model'] },
    tag: { run: tag, needs: ['features', 'model', 'output'] },
    bench: { run: bench, needs: ['train', 'test', 'template'] },
  };
  if (!Object.hasOwn(modes, mode ?? '')) throw usage(`train, tag or bench, not "${mode ?? ''}"`);
  let values;
  try {
    ({ values } = parseArgs({
      args: process.argv.slice(3),
      options: {
        algorithm: { type: 'string', default: 'lbfgs' },
        engine: { type: 'string', default: 'native' },
        features: { type: 'string' },
        log: { type: 'string' },
        model: { type: 'string' },
        output: { type: 'string' },
        param: { type: 'string', multiple: true, default: [] },
        repeat: { type: 'string', default: '5' },
        template: { type: 'string' },
        test: { type: 'string' },
        train: { type: 'string' },
        work: { type: 'string', default: path.join(peerDir, 'work') },
      },
    }));
  } catch (e) {
    throw usage(e.message);
  }
  for (const name of modes[mode].needs) if (!values[name]) throw usage(`${mode} needs --${name}`);
  if (!ALGORITHMS.includes(values.algorithm)) throw usage(`--algorithm is one of ${ALGORITHMS.join(' ')}`);
  const engines = mode === 'bench' ? ['native', 'binding', 'both'] : ['native', 'binding'];
  if (!engines.includes(values.engine)) throw usage(`--engine is one of ${engines.join(' ')}`);
  values.repeat = Number(values.repeat);
  if (!(Number.isInteger(values.repeat) && values.repeat > 0)) throw usage('--repeat wants a whole number above 0');
  if (mode === 'train' && !values.log) values.log = `${values.model}.log`;
  console.log(JSON.stringify(modes[mode].run(values), null, 2));
}

try {
  main();
} catch (e) {
  console.error(`crfsuite_driver: ${e.message}`);
  process.exit(e instanceof Failure ? e.code : 1);
}
