// Two targets on the same text: which tokens get different labels.

/**
 * Per sentence the set of tokens whose labels differ, or null where the two were split differently. `layerIndex` says which
 * layer of a sentence is compared, given the sentence and its side, 0 or 1.
 */
export function differences(ours, theirs, layerIndex) {
  return ours.map((sentence, i) => {
    const other = theirs[i];
    if (!other || sentence.tokens.length !== other.tokens.length) return null;
    const mine = sentence.layers[layerIndex(sentence, 0)].labels;
    const its = other.layers[layerIndex(other, 1)].labels;
    return new Set(mine.flatMap((label, t) => (label === its[t] ? [] : [t])));
  });
}

/** How many tokens differ, and of how many. */
export function countDifferences(sentences, sets) {
  let tokens = 0;
  let differing = 0;
  sentences.forEach((s, i) => {
    tokens += s.tokens.length;
    differing += sets[i]?.size ?? 0;
  });
  return { tokens, differing };
}
