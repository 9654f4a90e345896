/** A run of lines that is shared saves less than its name costs if it is shorter. */
const LEAST_LENGTH = 120;
const MOST_LINES = 120;

/** @typedef {string | { readonly shared: number }} Item a line, or the place of a run that other texts have too */
/** @typedef {{ readonly texts: readonly (readonly Item[])[], readonly runs: readonly (readonly Item[])[] }} Factored */

/**
 * Takes the runs of lines that several texts have out of them, the longest first: scripts are written out one by one, because each is
 * read alone, and the package need not hold the same lines nine times. A run may contain runs of a higher number.
 * @param {readonly string[]} sources
 * @returns {Factored}
 */
export function sharedRuns(sources) {
  /** @type {Item[][]} */
  const sequences = sources.map((source) => source.split('\n'));
  for (let length = MOST_LINES; length >= 1; length--) {
    for (let found = mostRepeated(sequences, length); found !== undefined;) {
      const shared = { shared: sequences.length - sources.length };
      for (const sequence of sequences) replaceRuns(sequence, found, length, shared);
      sequences.push(found.split('\n'));
      found = mostRepeated(sequences, length);
    }
  }
  return { texts: sequences.slice(0, sources.length), runs: sequences.slice(sources.length) };
}

/**
 * @param {readonly Item[]} sequence
 * @param {number} at
 * @param {number} length
 */
function runAt(sequence, at, length) {
  if (at + length > sequence.length) return undefined;
  const lines = [];
  for (const item of sequence.slice(at, at + length)) {
    if (typeof item !== 'string') return undefined;
    lines.push(item);
  }
  return lines.join('\n');
}

/**
 * @param {readonly (readonly Item[])[]} sequences
 * @param {number} length
 */
function mostRepeated(sequences, length) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const sequence of sequences) {
    for (let at = 0; at + length <= sequence.length; at++) {
      const run = runAt(sequence, at, length);
      if (run !== undefined && run.length >= LEAST_LENGTH) counts.set(run, (counts.get(run) ?? 0) + 1);
    }
  }
  const [first] = [...counts].toSorted(([, one], [, other]) => other - one);
  return first !== undefined && first[1] > 1 ? first[0] : undefined;
}

/**
 * @param {Item[]} sequence
 * @param {string} run
 * @param {number} length
 * @param {Item} shared
 */
function replaceRuns(sequence, run, length, shared) {
  for (let at = 0; at + length <= sequence.length; at++) {
    if (runAt(sequence, at, length) === run) sequence.splice(at, length, shared);
  }
}

/**
 * The text as an expression of TypeScript.
 * @param {readonly Item[]} items
 */
export function expressionOf(items) {
  const parts = [];
  let text = '';
  for (const [at, item] of items.entries()) {
    if (at > 0) text += '\n';
    if (typeof item === 'string') {
      text += item;
      continue;
    }
    if (text !== '') parts.push(JSON.stringify(text));
    parts.push(`shared${item.shared}`);
    text = '';
  }
  if (text !== '') parts.push(JSON.stringify(text));
  return parts.join(' + ');
}
