// Finds where a module takes time, timers or chance from the surroundings instead of from the clock it is given.

const globals = new Set(['setTimeout', 'setInterval', 'setImmediate', 'performance']);

const members = new Set([
  'Date.now',
  'Math.random',
  'AbortSignal.timeout',
  'process.hrtime',
  'process.uptime',
  'os.uptime',
]);

/** Types vanish when compiled; these are the TypeScript nodes that wrap an expression that stays. */
const wrappers = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
]);

/** @typedef {{ what: string, offset: number }} Use */
/** @typedef {{ type: string, start: number, [key: string]: unknown }} Syntax */

/**
 * @param {unknown} value a syntax tree or any part of one
 * @returns {Use[]}
 */
export function readAmbientUses(value) {
  if (Array.isArray(value)) return value.flatMap(readAmbientUses);
  if (!isSyntax(value)) return [];
  const what = ambientUse(value);
  if (what !== undefined) return [{ what, offset: value.start }];
  return childrenOf(value).flatMap(readAmbientUses);
}

/** @param {Syntax} node */
function ambientUse(node) {
  if (node.type === 'Identifier') return globals.has(nameOf(node)) ? nameOf(node) : undefined;
  if (node.type === 'MemberExpression') return ambientMember(node);
  const makesDate = node.type === 'NewExpression' || node.type === 'CallExpression';
  return makesDate && nameOf(node['callee']) === 'Date' ? 'Date' : undefined;
}

/** @param {Syntax} node */
function ambientMember(node) {
  const property = nameOf(node['property']);
  const path = `${nameOf(node['object'])}.${property}`;
  if (members.has(path)) return path;
  return path === `globalThis.${property}` && globals.has(property) ? path : undefined;
}

/** @param {unknown} node */
function nameOf(node) {
  return isSyntax(node) && node.type === 'Identifier' ? String(node['name']) : '';
}

/**
 * Leaves out what only looks like a reference: `clock.setTimeout`, `{ setTimeout() {} }`, types.
 * @param {Syntax} node
 */
function childrenOf(node) {
  if (wrappers.has(node.type)) return [node['expression']];
  if (node.type.startsWith('TS')) return [];
  const name = node['computed'] ? undefined : node.type === 'MemberExpression' ? 'property' : 'key';
  return Object.entries(node)
    .filter(([key]) => key !== name)
    .map(([, child]) => child);
}

/**
 * @param {unknown} value
 * @returns {value is Syntax}
 */
function isSyntax(value) {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
