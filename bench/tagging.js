// The part `tagging` of bench/run.sh: how fast models with default features tag CoNLL-2000's test data ten times over.
//
// Whole commands, from columns to columns, in seconds of processor time: reading, loading the model and writing count. What a second
// thread gives is measured on the data forty times over, so that opening the model, which takes one thread, hardly counts. Models
// that are already in build/bench/tagging are taken as they are. ESPALIER_BEFORE names an older program: both then tag in
// turn, with the same models, and their outputs must be the same.
'use strict';
const fs = require('fs');
const zlib = require('zlib');
const { spawnSync } = require('child_process');

const kinds = [
  ['crf', ['--learner', 'crf']],
  ['cascade', ['--learner', 'cascade']],
  ['chunks by laso-br', ['--task', 'segment', '--learner', 'laso-br']],
];
const rounds = 5, copies = 10, copiesForThreads = 40;

module.exports = ({ espalier, row, conll, work, program }) => {
  const folder = `${work}/tagging`, before = process.env.ESPALIER_BEFORE;
  fs.mkdirSync(folder, { recursive: true });
  const text = zlib.gunzipSync(fs.readFileSync(conll('test.txt.gz'))).toString();
  const tokens = copies * text.split('\n').filter((line) => line.trim() !== '').length;
  const input = `${folder}/test.txt`, long = `${folder}/long.txt`;
  fs.writeFileSync(input, `${text}\n`.repeat(copies));
  fs.writeFileSync(long, `${text}\n`.repeat(copiesForThreads));

  const tag = (which, model, threads, output, input) => {
    const began = process.hrtime.bigint();
    const done = spawnSync('/usr/bin/time', ['-f', '%U %S %M', which, 'tag', input, '-m', model, '-o', output, '--threads', String(threads), '-q'],
                           { encoding: 'utf8' });
    const wall = Number(process.hrtime.bigint() - began) / 1e9;
    if (done.status !== 0) throw new Error(`${which} tag: status ${done.status}\n${done.stderr}`);
    const [user, system, kilobytes] = done.stderr.trim().split('\n').pop().split(' ').map(Number);
    return { wall, seconds: user + system, peak: kilobytes * 1024 };
  };
  const least = (runs, field) => Math.min(...runs.map((run) => run[field]));
  const same = (a, b) => fs.readFileSync(a).equals(fs.readFileSync(b));

  const results = {};
  row(`tagging: ${tokens} tokens, best of ${rounds}`, 'tokens/s', 'two threads', 'peak memory', ...(before ? ['before', 'output'] : []));
  for (const [name, settings] of kinds) {
    const model = `${folder}/${name.replaceAll(' ', '-')}.model`, out = `${folder}/out.txt`, old = `${folder}/old.txt`;
    if (!fs.existsSync(model)) espalier('train', conll('train.txt.gz'), '-m', model, ...settings, '-q');
    const one = [], earlier = [], oneLong = [], two = [];
    for (let i = 0; i < rounds; ++i) {
      if (before) earlier.push(tag(before, model, 1, old, input));
      one.push(tag(program, model, 1, out, input));
      oneLong.push(tag(program, model, 1, `${folder}/one.txt`, long));
      two.push(tag(program, model, 2, `${folder}/two.txt`, long));
      if (!same(`${folder}/one.txt`, `${folder}/two.txt`)) throw new Error(`${name}: two threads write something else than one`);
    }
    const speed = tokens / least(one, 'seconds'), gain = least(oneLong, 'wall') / least(two, 'wall');
    const was = before ? tokens / least(earlier, 'seconds') : undefined;
    results[name] = { tokens_per_second: speed, two_threads: gain, peak_rss_bytes: least(one, 'peak'), before: was };
    row(`tagging: ${name}`, Math.round(speed), `${gain.toFixed(2)}x`, `${(least(one, 'peak') / 1e6).toFixed(0)} MB`,
        ...(before ? [`${Math.round(was)} (${(speed / was).toFixed(2)}x)`, same(out, old) ? 'the same' : 'DIFFERS'] : []));
  }
  return results;
};
