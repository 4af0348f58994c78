#!/usr/bin/env node
// Expands a CRF++ template over a columns file into CRFsuite attribute strings.
//
//   node features.js --template FILE --input COLUMNS[.gz] --output FILE
//
// Input: columns split by blanks or tabs, the last one the label; an empty line
// ends a sentence.  Output: one token a line, "label TAB attribute TAB ...", an
// empty line after each sentence.  Attributes are the strings CRF++ makes
// ("U05:the/dog"), with its boundary marks (_B-1, _B-2, ..., _B+1, _B+2, ...).
// They stand unescaped: this is not the file format of the crfsuite program,
// in which ':' and '\' have a meaning.
'use strict';
const fs = require('fs');
const zlib = require('zlib');

/** A template is {unigrams: [pieces...], bigram: bool}; a piece is a string or [row, col]. */
function parseTemplate(text) {
  const unigrams = [];
  let bigram = false;
  text.split('\n').forEach((raw, n) => {
    const line = raw.replace(/\r$/, '').replace(/[ \t]+$/, '');
    if (line === '' || line[0] === '#') return;
    if (line[0] === 'B') {
      if (line !== 'B') {
        throw new Error(`template line ${n + 1}: CRFsuite has no observed label bigrams ("${line}"); only a bare B`);
      }
      bigram = true;
      return;
    }
    if (line[0] !== 'U') throw new Error(`template line ${n + 1}: neither U nor B: "${line}"`);
    const pieces = [];
    const macro = /%x\[(-?\d+),(\d+)\]/g;
    let from = 0;
    for (let m; (m = macro.exec(line)) !== null; from = macro.lastIndex) {
      if (m.index > from) pieces.push(line.slice(from, m.index));
      pieces.push([Number(m[1]), Number(m[2])]);
    }
    if (from < line.length) pieces.push(line.slice(from));
    if (pieces.some((p) => typeof p === 'string' && p.includes('%'))) {
      throw new Error(`template line ${n + 1}: only %x[row,col] is known: "${line}"`);
    }
    unigrams.push(pieces);
  });
  if (!bigram) throw new Error('template: no B line, but CRFsuite always has label bigrams');
  return { unigrams, bigram };
}

/** Value of a column of a row relative to the sentence's bounds, as CRF++ gives it. */
function cell(rows, index, column) {
  if (index < 0) return `_B-${-index}`;
  if (index >= rows.length) return `_B+${index - rows.length + 1}`;
  return rows[index][column];
}

/** Attribute strings of token t of a sentence (an array of column arrays). */
function expand(template, rows, t) {
  return template.unigrams.map((pieces) => {
    let s = '';
    for (const p of pieces) s += typeof p === 'string' ? p : cell(rows, t + p[0], p[1]);
    return s;
  });
}

function readText(path) {
  const bytes = fs.readFileSync(path);
  const gz = bytes.length > 1 && bytes[0] === 0x1f && bytes[1] === 0x8b;
  return (gz ? zlib.gunzipSync(bytes) : bytes).toString('utf8');
}

/** Sentences of a columns file: arrays of column arrays. */
function readColumns(path) {
  const sentences = [];
  let rows = [];
  let width = 0;
  readText(path).split('\n').forEach((raw, n) => {
    const line = raw.replace(/\r$/, '').replace(/^[ \t]+|[ \t]+$/g, '');
    if (line === '') {
      if (rows.length > 0) sentences.push(rows);
      rows = [];
      return;
    }
    const columns = line.split(/[ \t]+/);
    if (width === 0) width = columns.length;
    if (columns.length !== width || width < 2) {
      throw new Error(`${path}:${n + 1}: ${columns.length} columns, expected ${width < 2 ? 'at least 2' : width}`);
    }
    rows.push(columns);
  });
  if (rows.length > 0) sentences.push(rows);
  return sentences;
}

/** Writes the attribute file; returns its counts. */
function writeFeatures(templatePath, inputPath, outputPath) {
  const template = parseTemplate(readText(templatePath));
  const sentences = readColumns(inputPath);
  const labelColumn = sentences.length > 0 ? sentences[0][0].length - 1 : 0;
  for (const pieces of template.unigrams) {
    for (const p of pieces) {
      if (typeof p !== 'string' && p[1] >= labelColumn) {
        throw new Error(`template: column ${p[1]} is not an observed column of ${inputPath}`);
      }
    }
  }
  const fd = fs.openSync(outputPath, 'w');
  let tokens = 0;
  let out = '';
  for (const rows of sentences) {
    for (let t = 0; t < rows.length; ++t) {
      out += `${rows[t][labelColumn]}\t${expand(template, rows, t).join('\t')}\n`;
      ++tokens;
    }
    out += '\n';
    if (out.length > 1 << 20) {
      fs.writeSync(fd, out);
      out = '';
    }
  }
  fs.writeSync(fd, out);
  fs.closeSync(fd);
  return { sentences: sentences.length, tokens, templates: template.unigrams.length };
}

/** Sentences of an attribute file: {labels: [...], items: [[attribute...]...]}. */
function* readFeatures(path) {
  const text = readText(path);
  let labels = [];
  let items = [];
  for (let from = 0; from < text.length;) {
    let to = text.indexOf('\n', from);
    if (to < 0) to = text.length;
    if (to === from) {
      if (labels.length > 0) yield { labels, items };
      labels = [];
      items = [];
    } else {
      const fields = text.slice(from, to).split('\t');
      labels.push(fields[0]);
      items.push(fields.slice(1));
    }
    from = to + 1;
  }
  if (labels.length > 0) yield { labels, items };
}

module.exports = { parseTemplate, expand, readColumns, readFeatures, writeFeatures };

if (require.main === module) {
  const { parseArgs } = require('util');
  try {
    const { values } = parseArgs({
      options: { template: { type: 'string' }, input: { type: 'string' }, output: { type: 'string' } },
    });
    for (const k of ['template', 'input', 'output']) if (!values[k]) throw new Error(`--${k} is missing`);
    console.log(JSON.stringify(writeFeatures(values.template, values.input, values.output)));
  } catch (e) {
    console.error(`features.js: ${e.message}`);
    process.exit(2);
  }
}
