import { argumentTypeError } from '../spi/errors.ts';

/** How the factory of an engine is called. */
export interface FactoryCall {
  /** The name of the factory, which is the name of the engine. */
  readonly engine: string;
  /** The option in which the caller passes the store, and the words for what that is. */
  readonly option: string;
  readonly what: string;
  /** How to open the store by an address instead. Missing where the option itself takes a string. */
  readonly byAddress?: string;
}

/** What other libraries call an address, or a part of one; and what they, or other engines, call the store. */
const OTHER_NAMES: readonly string[] = [
  'url',
  'uri',
  'address',
  'host',
  'connectionString',
  'client',
  'pool',
  'connection',
  'db',
  'database',
  'file',
  'filename',
  'path',
  'servers',
];

/**
 * Refuses a call such as `redis()`, `redis(url)`, `redis(client)` or `redis({ url })` with the line that the caller should write.
 * Misspelt options are the task of `checkEngineOptions`. Never shows the argument: an address may contain a password.
 */
export function checkFactoryArgument(given: unknown, call: FactoryCall): void {
  const problem = problemWith(given, call);
  if (problem === undefined) return;
  const resource = `${call.engine}()`;
  throw argumentTypeError(`${resource}: ${problem}`, { resource, engine: call.engine });
}

function problemWith(given: unknown, { engine, option, what, byAddress }: FactoryCall): string | undefined {
  const write = `Write ${engine}({ ${option} }) with ${what}`;
  const open = byAddress === undefined ? '' : `, or ${byAddress} to open a connection by an address`;
  if (given === undefined || given === null) return `${option} is missing. ${write}${open}.`;
  if (typeof given === 'string' || given instanceof URL)
    return `the argument must be an object, not ${byAddress === undefined ? 'a string' : 'an address'}. ${write}${open}.`;
  if (Array.isArray(given) || (typeof given !== 'object' && typeof given !== 'function')) return undefined;
  if (isStore(given, option)) return `the argument must be an object with the option ${option}. ${write}.`;
  if (option in given) return undefined;
  const named = OTHER_NAMES.find((name) => name in given);
  return named === undefined ? undefined : `there is no option ${named}. ${write}${open}.`;
}

/**
 * Whether it is the client, pool or store itself. Options are a literal, whose prototype is the last of its chain: that of any
 * realm, because a test runner may give each file an `Object` of its own. The tempting alternative asks for the option alone, but
 * a client of ioredis has a method `client`, and a pool of mysql2 a `pool`: they emit events, which options do not.
 */
function isStore(given: object, option: string): boolean {
  if (typeof given === 'function') return true;
  const prototype = Object.getPrototypeOf(given) as object | null;
  const isLiteral = prototype === null || Object.getPrototypeOf(prototype) === null;
  return !isLiteral && ('on' in given || !(option in given));
}
