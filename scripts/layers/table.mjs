// Which part of src/ may import which: the direction of dependence, as data.
// A part may always import its own folder.

/**
 * @typedef {object} Allowance
 * @property {readonly string[]} parts what may be imported in any way
 * @property {readonly string[]} [lazily] what may be reached by `import type` or `import()` only
 * @property {readonly string[]} [types] what may be reached by `import type` only
 * @property {boolean} [builtins] whether Node's own modules may be imported
 * @property {boolean} [peers] whether packages may be imported in any way: an entry that is of no use without them
 * @property {boolean} [packages] whether other packages may be reached, by `import type` or `import()` only
 */

/** What makes the object of a kind that only one engine has, such as a lock in the layout of another program. */
const ownKinds = ['synchronizers/lock/plain-lock.ts', 'synchronizers/semaphores/semaphore.ts'];

/** @type {Readonly<Record<string, Allowance>>} */
const allowances = {
  spi: { parts: [] },
  rules: { parts: ['spi'] },
  core: { parts: ['spi'], builtins: true },
  // Imports a package of the user by a name that it is given.
  'core/import-package.ts': { parts: ['spi'], packages: true },
  synchronizers: { parts: ['core', 'spi'], builtins: true },
  kernels: { parts: ['rules', 'core', 'spi'], builtins: true },
  // The list of values, which names the object of each kind.
  'kernels/kinds.ts': { parts: ['kernels', 'synchronizers', 'rules', 'core', 'spi'], builtins: true },
  engines: { parts: ['kernels', 'core', 'spi', ...ownKinds], builtins: true, packages: true },
  testing: { parts: ['index.ts'], types: ['spi', 'engine.ts', 'engines'], builtins: true, packages: true },
  // They hear of everything by the channels of Node, and import the package of a user that they are named after.
  integrations: { parts: ['spi'], builtins: true, peers: true },
  // Looks through the inspector of any engine object, at the real time.
  dashboard: { parts: ['spi', 'core/arguments.ts', 'core/time'], builtins: true },
  // The real time, which no caller of a command can pass in.
  cli: {
    parts: ['index.ts', 'spi', 'core/time/clock.ts', 'core/time/poller.ts'],
    lazily: ['engines', 'dashboard'],
    builtins: true,
    packages: true,
  },
  'index.ts': { parts: ['spi', 'core', 'synchronizers'], lazily: ['engines'], packages: true },
  // Nothing that needs Node.
  'browser.ts': { parts: ['spi'] },
  'engine.ts': { parts: ['spi', 'core', 'kernels', ...ownKinds] },
};

const sqlEngines = new Set(['engines/sqlite', 'engines/postgres', 'engines/mysql']);

/**
 * @param {string} file relative to src/
 * @returns {Allowance | undefined} nothing for a file that is in no known part
 */
export function allowanceOf(file) {
  const exact = allowances[file];
  if (exact) return exact;
  const allowance = allowances[file.split('/')[0] ?? ''];
  if (allowance && sqlEngines.has(folderOf(file)))
    return { ...allowance, parts: [...allowance.parts, 'engines/sql'] };
  return allowance;
}

/**
 * The folder within which files import each other freely. Each engine has its own.
 * @param {string} file
 */
export function folderOf(file) {
  const [first = '', second = ''] = file.split('/');
  return first === 'engines' ? `${first}/${second}` : first;
}

/**
 * @param {string} file
 * @param {readonly string[]} parts
 */
export function isIn(file, parts) {
  return parts.some((part) => file === part || file.startsWith(`${part}/`));
}

/** @param {Allowance} allowance */
export function describeAllowance({ parts, lazily = [], types = [], builtins = false }) {
  const ways = ['its own folder', ...parts];
  if (lazily.length > 0) ways.push(`${lazily.join(', ')} by \`import type\` or \`import()\``);
  if (types.length > 0) ways.push(`${types.join(', ')} by \`import type\``);
  if (builtins) ways.push('node:*');
  return ways.join('; ');
}
