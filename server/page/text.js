// From what is in the input field to what the server is asked, and back to the text around tokens.

/** Sentences of columns: one token per line, cells separated by tabs or blanks, a blank line between sentences. */
export function parseColumns(text) {
  const sentences = [];
  let rows = [];
  for (const line of text.split(/\r?\n/)) {
    const cells = line.includes("\t") ? line.split("\t").map((cell) => cell.trim()) : line.trim().split(/\s+/);
    if (line.trim() !== "") {
      rows.push(cells);
    } else if (rows.length > 0) {
      sentences.push(rows);
      rows = [];
    }
  }
  if (rows.length > 0) sentences.push(rows);
  return sentences;
}

/** The text without halves of surrogate pairs, which UTF-8 cannot hold. */
export const wellFormed = (text) =>
  text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD");

/**
 * A function from offsets in code points, which the server counts, to offsets in a JavaScript string. Linear time once,
 * and nothing at all for texts without characters beyond the first plane.
 */
export function codePointOffsets(text) {
  if (!/[\uD800-\uDFFF]/.test(text)) return (offset) => offset;
  const starts = [];
  for (let i = 0; i < text.length; i += text.codePointAt(i) > 0xffff ? 2 : 1) starts.push(i);
  starts.push(text.length);
  return (offset) => starts[Math.min(offset, starts.length - 1)];
}

/**
 * What stands between tokens: per sentence and token the white space before it, empty where words touch. Tokens that were
 * given one by one are set apart by blanks.
 */
export function gapsOf(sequences, text) {
  if (text === null) return sequences.map(({ tokens }) => tokens.map((_, i) => (i === 0 ? "" : " ")));
  const at = codePointOffsets(text);
  return sequences.map(({ offsets }) =>
    offsets.map(([from], i) => (i === 0 ? "" : text.slice(at(offsets[i - 1][1]), at(from)))),
  );
}

/** Sentences to begin with. */
export const examples = {
  english:
    "Heavy rain flooded dozens of cellars in the north of Dayton on Friday night. " +
    "Paul Rotich of Kenya won the race along the Elbe in Hamburg by a single second. " +
    "Helen Ashdown stepped down after an inquiry found that she had accepted gifts from Corvane Construction.",
  arabic:
    "زارت الدكتورة ليلى حداد مكتبة الإسكندرية يوم الجمعة. " +
    "قالت إن شركة Norwood Institute ستفتح مكتبا في القاهرة سنة 2024.",
};
