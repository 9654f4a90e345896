// The check behind `npm run check:scripts` that the fence is computed in one way. A script is read alone, on an incident, so
// the block that takes a fence is written out in each script. A copy that drifts gives out a fence twice, and no test of
// one script alone shows it.

/** @typedef {{ file: string, source: string }} Script */
/** @typedef {(block: string) => string} Variation */

/**
 * @typedef {object} Block
 * @property {string} what
 * @property {string} reference the script whose copy the others are compared with
 * @property {RegExp} first the first line
 * @property {number} statements how many `if`s it has
 * @property {Readonly<Record<string, readonly Variation[]>>} copies every script with a copy, and how its copy may differ
 */

/** @type {Variation} Takes one fence, which is then the last one reserved as well. */
const oneFence = (block) =>
  block.replaceAll(/^ *(local )?reserved = fence \+ fences - 1\n/gm, '').replaceAll('reserved', 'fence');

/** @type {Variation} Has no lease that would keep the token for longer. */
const noLease = (block) =>
  block.replace('retentionMs + leaseMs', 'retentionMs').replace('leaseMs > spanMs or ', '');

/** @type {readonly Block[]} */
const blocks = [
  {
    what: 'takes the next fences',
    reference: 'lock-acquire.lua',
    first: /^ *local clock = time\[1\]/,
    statements: 3,
    copies: {
      'bare-semaphore-acquire.lua': [oneFence, noLease],
      'fair-lock-acquire.lua': [],
      'fair-lock-release.lua': [],
      'fair-lock-release-later.lua': [],
      'lock-acquire.lua': [],
      'lock-acquire-waiting.lua': [],
      'permit-semaphore-acquire.lua': [oneFence],
      'read-lock-acquire.lua': [oneFence],
      'spring-lock-acquire.lua': [],
      'write-lock-acquire.lua': [oneFence],
    },
  },
  {
    what: 'raises the fence of a hold that is taken away',
    reference: 'lock-force.lua',
    first: /^ *local raised = /,
    statements: 1,
    copies: {
      'fair-lock-force.lua': [],
      'lock-force.lua': [],
      'read-write-lock-force.lua': [],
      'spring-lock-force.lua': [],
    },
  },
  {
    what: 'writes a fence back as a floor',
    reference: 'lock-raise.lua',
    first: /^ *if fence > /,
    statements: 1,
    copies: { 'lock-raise.lua': [], 'spring-lock-raise.lua': [] },
  },
];

/**
 * @param {readonly Script[]} scripts
 * @returns {string[]} a sentence for each script whose way to a fence is not that of the others
 */
export function fenceFaults(scripts) {
  return [...blocks.flatMap((block) => driftedCopies(block, scripts)), ...scripts.flatMap(unlistedWrites)];
}

/**
 * @param {Block} block
 * @param {readonly Script[]} scripts
 */
function driftedCopies({ what, reference, copies, ...block }, scripts) {
  const wanted = blockOf(sourceOf(reference, scripts), block);
  if (wanted === undefined) return [`${reference}: the block that ${what} is not found`];
  return Object.entries(copies).flatMap(([file, variations]) => {
    const copy = blockOf(sourceOf(file, scripts), block);
    if (copy === variations.reduce((text, vary) => vary(text), wanted)) return [];
    return [`${file}: the block that ${what} differs from that of ${reference}`];
  });
}

/**
 * A script that writes the token outside of a block would be a way to a fence that is compared with nothing.
 * @param {Script} script
 */
function unlistedWrites({ file, source }) {
  const inBlocks = blocks
    .filter(({ copies }) => file in copies)
    .reduce((count, block) => count + writes(blockOf(source, block) ?? ''), 0);
  return writes(source) === inBlocks ? [] : [`${file}: writes the token outside of a known fence block`];
}

/** @param {string} text */
function writes(text) {
  return text.split("redis.call('SET', token,").length - 1;
}

/**
 * @param {string} file
 * @param {readonly Script[]} scripts
 */
function sourceOf(file, scripts) {
  return scripts.find((script) => script.file === file)?.source ?? '';
}

/**
 * From the first line to the `end` of its last `if`, at the left margin and without comments.
 * @param {string} source
 * @param {Pick<Block, 'first' | 'statements'>} block
 */
function blockOf(source, { first, statements }) {
  const lines = source.split('\n').filter((line) => !line.trim().startsWith('--'));
  const from = lines.findIndex((line) => first.test(line));
  const margin = /^ */.exec(lines[from] ?? '')?.[0] ?? '';
  let to = from;
  for (let left = statements; left > 0 && to !== -1; left--) to = lines.indexOf(`${margin}end`, to + 1);
  if (from === -1 || to === -1) return undefined;
  return lines
    .slice(from, to + 1)
    .map((line) => line.slice(margin.length))
    .join('\n');
}
