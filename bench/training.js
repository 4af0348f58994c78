// The part `training` of bench/run.sh: what training with default features takes on CoNLL-2000, and what a second thread gives.
//
// Wall time of a CRF with one thread and with two, best of five in turn, next to what the second core of this machine is worth: two
// trainings with one thread each at once, against one after the other. Wall times mean something on an idle machine only. Seconds of
// processor time and peak memory of a CRF, a cascade, a search for chunks and joint labels. ESPALIER_BEFORE names an older program: both
// then train in turn, and their models must be the same bytes.
'use strict';
const fs = require('fs');
const { spawnSync } = require('child_process');

const kinds = [
  ['crf', ['--learner', 'crf']],
  ['cascade', ['--learner', 'cascade']],
  ['chunks by laso-br', ['--task', 'segment', '--learner', 'laso-br']],
  ['joint labels', ['--task', 'joint', '--label-column', '2,3']],
];
const rounds = 5;

module.exports = ({ row, conll, work, program }) => {
  const folder = `${work}/training`, before = process.env.ESPALIER_BEFORE, wanted = process.env.ESPALIER_KINDS;
  fs.mkdirSync(folder, { recursive: true });
  const command = (model, threads, settings) =>
    ['train', conll('train.txt.gz'), '-m', model, '--threads', String(threads), '-q', ...settings];
  const train = (which, model, threads, settings) => {
    const began = process.hrtime.bigint();
    const done = spawnSync('/usr/bin/time', ['-f', '%U %S %M', which, ...command(model, threads, settings)], { encoding: 'utf8' });
    const wall = Number(process.hrtime.bigint() - began) / 1e9;
    if (done.status !== 0) throw new Error(`${which} train: status ${done.status}\n${done.stderr}`);
    const [user, system, kilobytes] = done.stderr.trim().split('\n').pop().split(' ').map(Number);
    return { wall, seconds: user + system, peak: kilobytes * 1024 };
  };
  const atOnce = (settings) => {
    const line = (i) => [program, ...command(`${folder}/apart${i}.model`, 1, settings)].map((word) => `'${word}'`).join(' ');
    const began = process.hrtime.bigint();
    const done = spawnSync('sh', ['-c', `${line(1)} & first=$!; ${line(2)} && wait $first`], { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`two trainings at once: status ${done.status}\n${done.stderr}`);
    return Number(process.hrtime.bigint() - began) / 1e9;
  };
  const least = (runs, field) => Math.min(...runs.map((run) => run[field]));
  const same = (a, b) => fs.readFileSync(a).equals(fs.readFileSync(b));

  const results = {};
  const one = [], two = [], apart = [];
  for (let i = 0; i < rounds; ++i) {
    one.push(train(program, `${folder}/one.model`, 1, []));
    two.push(train(program, `${folder}/two.model`, 2, []));
    apart.push(atOnce([]));
    if (!same(`${folder}/one.model`, `${folder}/two.model`)) throw new Error('two threads make another model than one');
  }
  const gain = least(one, 'wall') / least(two, 'wall'), ceiling = 2 * least(one, 'wall') / Math.min(...apart);
  results.crf_two_threads = { gain, ceiling, one: least(one, 'wall'), two: least(two, 'wall') };
  row(`training: crf, best of ${rounds}`, `${least(one, 'wall').toFixed(2)} s`, `two threads ${gain.toFixed(2)}x`,
      `two trainings at once ${ceiling.toFixed(2)}x`);
  for (const [name, settings] of kinds) {
    if (wanted && !wanted.split(',').includes(name)) continue;
    const model = `${folder}/${name.replaceAll(' ', '-')}.model`, old = `${folder}/old.model`;
    const run = train(program, model, 1, settings), earlier = before ? train(before, old, 1, settings) : undefined;
    const crf = results.crf || run;
    results[name] = { ...run, before: earlier };
    row(`training: ${name}, one thread`, `${run.seconds.toFixed(1)} s (${(run.seconds / crf.seconds).toFixed(2)}x crf)`,
        `${(run.peak / 1e6).toFixed(0)} MB (${(run.peak / crf.peak).toFixed(2)}x crf)`,
        ...(earlier ? [`before: ${earlier.seconds.toFixed(1)} s`, `${(earlier.peak / 1e6).toFixed(0)} MB`,
                       same(model, old) ? 'the same bytes' : 'OTHER BYTES'] : []));
  }
  return results;
};
