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
 * @property {Readonly<Record<string, readonly Variation[]>>} copies every script with a copy, and how its copy may differ
 */

/** @type {Variation} Takes one fence, which is then the last one reserved as well. */
const oneFence = (block) =>
  without(block, 'local reserved = fence + fences - 1').replaceAll('reserved', 'fence');

/** @type {Variation} Has no lease that would keep the token for longer. */
const noLease = (block) => block.replace('retentionMs + leaseMs', 'retentionMs');

/** @type {Variation} Formats the number once, because the answer needs it too. */
const formattedOnce = (block) => {
  const text = "string.format('%.0f', reserved)";
  return block.replaceAll(text, 'text').replace(/^(local keptMs .*)$/m, `$1\nlocal text = ${text}`);
};

/** @type {readonly Block[]} */
const blocks = [
  {
    what: 'takes the next fences',
    reference: 'lock-acquire.lua',
    first: /^ *local last = redis\.call\('GET', token\)$/,
    copies: {
      'bare-semaphore-acquire.lua': [oneFence, noLease],
      'fair-lock-acquire.lua': [],
      'fair-lock-release.lua': [formattedOnce],
      'fair-lock-release-later.lua': [formattedOnce],
      'lock-acquire.lua': [],
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
function driftedCopies({ what, reference, first, copies }, scripts) {
  const wanted = blockOf(sourceOf(reference, scripts), first);
  if (wanted === undefined) return [`${reference}: the block that ${what} is not found`];
  return Object.entries(copies).flatMap(([file, variations]) => {
    const copy = blockOf(sourceOf(file, scripts), first);
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
    .reduce((count, { first }) => count + writes(blockOf(source, first) ?? ''), 0);
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
 * From the first line to the `end` of the `if` in it, at the left margin and without comments.
 * @param {string} source
 * @param {RegExp} first
 */
function blockOf(source, first) {
  const lines = source.split('\n').filter((line) => !line.trim().startsWith('--'));
  const from = lines.findIndex((line) => first.test(line));
  const margin = /^ */.exec(lines[from] ?? '')?.[0] ?? '';
  const to = lines.indexOf(`${margin}end`, from);
  if (from === -1 || to === -1) return undefined;
  return lines
    .slice(from, to + 1)
    .map((line) => line.slice(margin.length))
    .join('\n');
}

/**
 * @param {string} block
 * @param {string} line
 */
function without(block, line) {
  return block.replace(`${line}\n`, '');
}
