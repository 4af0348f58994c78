// The measurements of `make bench` (bench/run.sh prepares). Prints a table and leaves build/bench/results.json.
'use strict';
const fs = require('fs');
const path = require('path');
const zlib = require('zlib');
const { spawnSync } = require('child_process');

const data = process.env.ESPALIER_DATA;
const program = process.env.ESPALIER || 'build/release/espalier';
const work = 'build/bench';
const conll = (name) => path.join(data, 'conll2000', name);
const results = {};
fs.mkdirSync(work, { recursive: true });

/** Runs a command; returns wall seconds and standard output. */
function run(command, args) {
  const began = process.hrtime.bigint();
  const done = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: status ${done.status}\n${done.stderr}`);
  return { seconds, output: done.stdout };
}
const espalier = (...args) => run(program, args);
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const ratio = (x) => `${x.toFixed(1)}x`;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
function row(...cells) { console.log(cells.map((cell, i) => String(cell).padEnd(i === 0 ? 62 : 20)).join('')); }

function train(model, threads, ...more) {
  const { seconds, output } = espalier('train', ...more, '-m', model, '--threads', String(threads), '--json', '--quiet');
  return { wall: seconds, ...JSON.parse(output) };
}
const evaluate = (file, model) => JSON.parse(espalier('eval', file, '-m', model, '--json', '--quiet').output);

/** Wall seconds of two one-thread trainings that run at the same time: what this machine's second core is worth. */
function twoTrainingsAtOnce(settings) {
  const command = (i) => [program, 'train', ...settings, '-m', `${work}/apart${i}.model`, '--threads', '1', '--quiet']
    .map((word) => `'${word}'`).join(' ');
  return run('sh', ['-c', `${command(1)} & first=$!; ${command(2)} && wait $first`]).seconds;
}

/** Training and tagging beside CRFsuite on CoNLL-2000 with the CRF++ chunking template. */
function againstPeer() {
  const model = `${work}/chunking.model`;
  const settings = [conll('train.txt.gz'), '-t', 'bench/chunking.template', '-p', 'passes=4'];
  const one = [], two = [], apart = [];
  let report;
  for (let i = 0; i < 5; ++i) {
    two.push(train(model, 2, ...settings).wall);
    apart.push(twoTrainingsAtOnce(settings));
    report = train(model, 1, ...settings);
    one.push(report.wall);
  }
  const f1 = evaluate(conll('test.txt.gz'), model).f1;

  const long = `${work}/test20.txt`;
  const text = zlib.gunzipSync(fs.readFileSync(conll('test.txt.gz'))).toString();
  fs.writeFileSync(long, text.repeat(20));
  const tokens = text.split('\n').filter((line) => line.trim() !== '').length * 20;
  const tag = (threads) => median([0, 1, 2, 3, 4].map(() =>
    espalier('tag', long, '-m', model, '-o', `${work}/tagged.txt`, '--threads', String(threads), '--quiet').seconds));
  const tagOne = tokens / tag(1), tagTwo = tokens / tag(2);
  const checked = JSON.parse(espalier('eval', '--columns', `${work}/tagged.txt`, '--json', '--quiet').output);
  if (Math.abs(checked.f1 - f1) > 0.005) throw new Error(`tag gives F1 ${checked.f1}, eval ${f1}`);
  results.espalier = { f1, train_one: one, train_two: two, train_apart: apart, peak_rss_bytes: report.peak_rss_bytes,
                       model_bytes: report.model_bytes, tag_one: tagOne, tag_two: tagTwo };

  let peers = {};
  if (fs.existsSync('build/peer')) {
    for (const engine of ['native', 'binding']) {
      const args = ['bench/peer/crfsuite_driver.js', 'bench', '--train', conll('train.txt.gz'), '--test',
                    conll('test.txt.gz'), '--template', 'bench/chunking.template', '--engine', engine];
      try {
        peers[engine] = JSON.parse(run('node', args).output);
      } catch (problem) {
        console.error(`bench: CRFsuite (${engine}) did not run: ${String(problem).split('\n')[0]}`);
      }
    }
  }
  results.peers = peers;
  row('CoNLL-2000, CRF++ chunking template', 'Espalier', ...Object.keys(peers).map((e) => `CRFsuite ${e}`));
  const both = Object.values(peers);
  row('test F1', f1.toFixed(2), ...both.map((p) => p.tag.score.f1.toFixed(2)));
  row('training, one thread, s (whole command / train call)', median(one).toFixed(2),
      ...both.map((p) => p.train.train_seconds.toFixed(1)));
  row('  times faster', '', ...both.map((p) => ratio(p.train.train_seconds / median(one))));
  row('training, two threads, s', median(two).toFixed(2), ...both.map(() => '(one thread)'));
  row('  times faster', '', ...both.map((p) => ratio(p.train.train_seconds / median(two))));
  row('  times faster than on one thread', (median(one) / median(two)).toFixed(2));
  row('  two trainings at once, against one after the other', (2 * median(one) / median(apart)).toFixed(2));
  row('peak memory of training', megabytes(report.peak_rss_bytes), ...both.map((p) => megabytes(p.train.peak_rss_bytes)));
  row('model size', megabytes(report.model_bytes), ...both.map((p) => megabytes(p.train.model_bytes)));
  row('tagging, one thread, tokens/s', Math.round(tagOne), ...both.map((p) => Math.round(p.tag.tokens_per_second)));
  row('  times faster', '', ...both.map((p) => ratio(tagOne / p.tag.tokens_per_second)));
  row('tagging, two threads, tokens/s', Math.round(tagTwo));
}

/** Many labels: only the pairs of feature and label seen are held. */
function brown() {
  const file = path.join(data, 'brown', 'brown.txt.gz');
  if (!fs.existsSync(file)) return console.log('brown: not there, left out');
  const report = train(`${work}/brown.model`, 2, file, '--learner', 'perceptron', '-p', 'passes=1', '-p', 'calibrate=no');
  results.brown = report;
  row('Brown corpus, 472 tags', `${report.tokens} tokens`, `peak ${megabytes(report.peak_rss_bytes)}`,
      `model ${megabytes(report.model_bytes)}`, `${report.seconds.toFixed(0)} s a pass`);
}

/** Draws what bench/plot.cc describes. */
function draw(figure, file) {
  const described = file.replace(/svg$/, 'json');
  fs.writeFileSync(described, JSON.stringify(figure));
  run('build/release/bench_plot', [described, file]);
  console.log(`drawn: ${file}`);
}

/** Growth of time and memory: see bench/scaling.js. */
function scaling() { results.scaling = require('./scaling.js')({ espalier, measured, row, conll, work, draw }); }

/** How fast default features are tagged: see bench/tagging.js. */
function taggingSpeed() { results.tagging = require('./tagging.js')({ espalier, row, conll, work, program }); }

/** What training with default features takes: see bench/training.js. */
function trainingCost() { results.training = require('./training.js')({ row, conll, work, program }); }

/** A sentence after another of 5 to 35 made-up words over 20 labels, and what experts say that are right nine times in
 *  ten; `tokens` in all. Returns the paths, gold first. */
function expertFiles(folder, tokens, experts) {
  fs.mkdirSync(folder, { recursive: true });
  let state = 1;
  const below = (n) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor(state / 4294967296 * n); };
  const paths = ['gold', ...Array.from({ length: experts }, (_, j) => `expert${j + 1}`)].map((name) => `${folder}/${name}.txt`);
  const open = paths.map((file) => ({ descriptor: fs.openSync(file, 'w'), text: [] }));
  const flush = () => open.forEach((file) => { fs.writeSync(file.descriptor, file.text.join('')); file.text = []; });
  for (let done = 0; done < tokens;) {
    const length = 5 + below(31);
    for (let k = 0; k < length; ++k) {
      const word = `w${below(20000)}`, gold = below(20);
      open.forEach((file, j) => file.text.push(`${word} L${j > 0 && below(10) === 0 ? below(20) : gold}\n`));
    }
    open.forEach((file) => file.text.push('\n'));
    done += length;
    if (open[0].text.length > 100000) flush();
  }
  flush();
  open.forEach((file) => fs.closeSync(file.descriptor));
  return paths;
}

/** Runs espalier; processor seconds and peak memory by /usr/bin/time, wall seconds where that is not there. */
function measured(...args) {
  if (!fs.existsSync('/usr/bin/time')) return { seconds: espalier(...args).seconds, peak: NaN, clock: 'wall clock' };
  const done = spawnSync('/usr/bin/time', ['-f', '%U %S %M', program, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Error(`${args.join(' ')}: status ${done.status}\n${done.stderr}`);
  const [user, system, kilobytes] = done.stderr.trim().split('\n').pop().split(' ').map(Number);
  return { seconds: user + system, peak: kilobytes * 1024, clock: 'processor time' };
}

/** Whole commands, from files of text to model and to answer, on one thread. */
function ensembleFromFiles() {
  const folder = `${work}/experts`, tokens = 500000, experts = 10, size = tokens * experts / 1e6;
  const files = expertFiles(folder, tokens, experts), model = `${folder}/votes.model`;
  const best = (run) => [0, 1, 2].map(run).sort((a, b) => a.seconds - b.seconds)[0];
  const learn = (paths, ...more) => measured('ensemble', 'learn', ...paths, '-m', model, '--threads', '1', '-q', ...more);
  const online = ['--method', 'mvote', '--beta', '0.999', '--no-calibration'];
  const one = best(() => learn(files, ...online));
  const choosing = learn(files);
  learn(files, ...online);
  const apply = best(() => measured('ensemble', 'apply', ...files.slice(1), '-m', model, '-o', `${folder}/out.txt`, '-q'));
  const right = fs.readFileSync(`${folder}/out.txt`, 'utf8').split('\n'), gold = fs.readFileSync(files[0], 'utf8').split('\n');
  const wrong = gold.filter((line, i) => line !== '' && line.split(' ')[1] !== right[i].split(' ').pop()).length;
  if (wrong > 0.01 * tokens) throw new Error(`ensemble apply: ${wrong} of ${tokens} tokens are wrong on easy data`);
  const unit = `M expert-tokens/s (${one.clock})`;
  row(`ensemble learn, mvote, ${experts} experts, from files`, (size / one.seconds).toFixed(1), unit);
  row(`ensemble learn, default (auto), from files`, (size / choosing.seconds).toFixed(2), unit);
  row(`ensemble apply, ${experts} experts, files to file`, (size / apply.seconds).toFixed(1), unit);
  // The same in JSON lines: what their reader costs.
  const lines = files.map((file) => file.replace(/txt$/, 'jsonl'));
  files.forEach((file, i) => espalier('convert', file, '--to', 'jsonl', '-o', lines[i], '-q'));
  const oneInLines = best(() => learn(lines, ...online));
  const applyLines = best(() => measured('ensemble', 'apply', ...lines.slice(1), '-m', model, '-o', `${folder}/out.jsonl`, '-q'));
  row('  learn, mvote, JSON lines', (size / oneInLines.seconds).toFixed(1), unit, `${(oneInLines.seconds / one.seconds).toFixed(2)} times the time of columns`);
  row('  apply, JSON lines', (size / applyLines.seconds).toFixed(1), unit, `${(applyLines.seconds / apply.seconds).toFixed(2)} times the time of columns`);
  const peaks = {};
  for (const times of [1, 16]) {
    const paths = expertFiles(folder, times * 100000, 5);
    peaks[times] = { mvote: learn(paths, ...online).peak, default: learn(paths).peak,
                     apply: measured('ensemble', 'apply', ...paths.slice(1), '-m', model, '-o', `${folder}/out.txt`, '-q').peak };
    row(`  peak memory, 5 experts, ${times * 100000} tokens`, `mvote ${megabytes(peaks[times].mvote)}`,
        `auto ${megabytes(peaks[times].default)}`, `apply ${megabytes(peaks[times].apply)}`);
  }
  fs.rmSync(folder, { recursive: true });
  results.ensemble_from_files = { learn: size / one.seconds, auto: size / choosing.seconds, apply: size / apply.seconds,
                                  json_lines: { learn: size / oneInLines.seconds, apply: size / applyLines.seconds }, peaks };
}

/** Expert-tokens a second of one processor: votes in memory, with the checks that the experiment makes itself, and whole
 *  commands. */
function ensemble() {
  const report = JSON.parse(espalier('reproduce', 'ensemble-speed', '--json', '--threads', '1').output);
  results.ensemble = report;
  for (const r of report.rows) row(`ensemble in memory: ${r.row}, ${r.column}`, `${r.measured.toFixed(1)} M expert-tokens/s`);
  for (const c of report.checks) if (!c.holds) row(`  BROKEN: ${c.name}`, c.detail);
  ensembleFromFiles();
}

/** Columns of the Brown corpus: to learn from, every tenth sentence and those with a tag not seen before; to tag, the
 *  last thousand of the others. */
function brownFiles(folder) {
  const all = zlib.gunzipSync(fs.readFileSync(path.join(data, 'brown', 'brown.txt.gz'))).toString().trim().split(/\n\s*\n/);
  const files = { train: `${folder}/brown.train.txt`, test: `${folder}/brown.test.txt` };
  const seen = new Set();
  const rest = [];
  const chosen = all.filter((sentence, i) => {
    const before = seen.size;
    sentence.split('\n').forEach((line) => seen.add(line.trim().split(/\s+/).pop()));
    const wanted = i % 10 === 0 || seen.size > before;
    if (!wanted) rest.push(sentence);
    return wanted;
  });
  fs.writeFileSync(files.train, chosen.join('\n\n') + '\n');
  fs.writeFileSync(files.test, rest.slice(-1000).join('\n\n') + '\n');
  return { ...files, tags: seen.size };
}

/** Processor seconds of `tag` a token, the best of three, without what it takes to open the model; and peak memory. */
function tagging(file, model, folder) {
  const lines = fs.readFileSync(file, 'utf8').split('\n').filter((line) => line.trim() !== ''), tokens = lines.length;
  fs.writeFileSync(`${folder}/one.txt`, `${lines[0]}\n`);
  const best = (input) => [0, 1, 2].map(() => measured('tag', input, '-m', model, '-o', `${folder}/tagged.txt`, '--threads', '1', '-q'))
    .sort((a, b) => a.seconds - b.seconds)[0];
  const whole = best(file), opening = best(`${folder}/one.txt`);
  return { micros: 1e6 * (whole.seconds - opening.seconds) / tokens, whole: whole.seconds, peak: whole.peak, opening: opening.peak };
}

/** Whole commands: time and memory by the number of labels; Brown's tags beside a first-order model; training beside a CRF. */
function cascadeCommands() {
  const folder = `${work}/cascade`;
  fs.mkdirSync(folder, { recursive: true });
  const cascade = ['--learner', 'cascade', '-p', 'budget=4', '-p', 'passes=3', '-p', 'filter-passes=1', '-p', 'warm-up=2'];
  const byLabels = [];
  for (const labels of [10, 100, 1000]) {
    espalier('synth', 'labels', '-o', folder, '--labels', String(labels), '--sequences', '3000', '-q');
    const [train, test] = ['train.txt', 'test.txt'].map((name) => `${folder}/${name}`);
    measured('train', train, '-m', `${folder}/labels.model`, ...cascade, '--threads', '1', '-q');
    const tagged = tagging(test, `${folder}/labels.model`, folder);
    byLabels.push({ labels, ...tagged });
    row(`cascade: tag, ${labels} labels`, `${tagged.micros.toFixed(2)} us a token`, `peak ${megabytes(tagged.peak)}`,
        `of which the model opened ${megabytes(tagged.opening)}`);
  }
  const brown = brownFiles(folder);
  measured('train', brown.train, '-m', `${folder}/brown.cascade`, ...cascade, '--threads', '1', '-q');
  measured('train', brown.train, '-m', `${folder}/brown.first`, '--learner', 'perceptron', '-p', 'passes=1', '--threads', '1', '-q');
  const [ours, first] = ['cascade', 'first'].map((name) => ({
    ...tagging(brown.test, `${folder}/brown.${name}`, folder), accuracy: evaluate(brown.test, `${folder}/brown.${name}`).accuracy }));
  row(`cascade: tag, Brown, ${brown.tags} tags, trigram cascade`, `${ours.micros.toFixed(2)} us a token`, `whole ${ours.whole.toFixed(2)} s`, `accuracy ${ours.accuracy.toFixed(2)}`);
  row(`cascade: tag, Brown, ${brown.tags} tags, first-order Viterbi`, `${first.micros.toFixed(2)} us a token`, `whole ${first.whole.toFixed(2)} s`, `accuracy ${first.accuracy.toFixed(2)}`);
  row('  times faster', ratio(first.micros / ours.micros), `whole ${ratio(first.whole / ours.whole)}`);
  const training = {};
  for (const [name, ...flags] of [['EWT', path.join(data, 'ud', 'en_ewt-ud-train.conllu.gz'), '--format', 'conllu'], ['CoNLL-2000', conll('train.txt.gz')]]) {
    const time = (learner) => measured('train', ...flags, '-m', `${folder}/any.model`, '--learner', learner, '--threads', '1', '-q').seconds;
    const crf = time('crf'), own = time('cascade');
    training[name] = { crf, cascade: own };
    row(`cascade: train, ${name}, defaults`, `crf ${crf.toFixed(2)} s`, `cascade ${own.toFixed(2)} s`, ratio(own / crf));
  }
  fs.rmSync(folder, { recursive: true });
  results.cascade_commands = { byLabels, brown: { cascade: ours, first }, training };
}

// What a trigram cascade costs by the number of labels, up to 1,000, and beside first-order Viterbi over Brown's tags.
function cascade() {
  const report = JSON.parse(run('sh', ['-c', `'${program}' reproduce cascade-speed --json --quiet --threads 1 --out '${work}' || true`]).output);
  results.cascade = report;
  for (const r of report.rows) row(`cascade: ${r.row}, ${r.column}`, r.measured.toFixed(2));
  for (const c of report.checks) row(`  ${c.holds ? 'holds' : 'BROKEN'}: ${c.name}`, c.detail);
  cascadeCommands();
}

// A SEARN iteration beside a pass of the chain perceptron; greedy and beam decoding beside Viterbi; long sequences.
function search() {
  const report = JSON.parse(run('sh', ['-c', `'${program}' reproduce searn-speed --json --quiet --out '${work}' || true`]).output);
  results.search = report;
  for (const r of report.rows) row(`search: ${r.row}, ${r.column}`, r.measured.toFixed(3));
  for (const c of report.checks) row(`  ${c.holds ? 'holds' : 'BROKEN'}: ${c.name}`, c.detail);
}

const parts = { cascade, search, peer: againstPeer, brown, scaling, ensemble, tagging: taggingSpeed, training: trainingCost };
let wanted = process.argv.slice(2);
if (wanted.length === 0) wanted = ['peer', 'ensemble', 'search', 'cascade'];
if (wanted.includes('all')) wanted = Object.keys(parts);
for (const part of wanted) {
  if (!parts[part]) { console.error(`bench: no part '${part}'; there are ${Object.keys(parts).join(', ')}`); process.exit(2); }
  parts[part]();
  console.log('');
}
fs.writeFileSync(`${work}/results.json`, JSON.stringify(results, null, 1));
