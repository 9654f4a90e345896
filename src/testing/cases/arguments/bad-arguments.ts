import type { BadArgument } from '../../harness/coded-error.ts';

/** Names that every factory refuses. */
export const BAD_NAMES: readonly BadArgument[] = [
  { given: '', error: RangeError, names: /1 to 512 bytes.*has 0/ },
  { given: 'x'.repeat(513), error: RangeError, names: /1 to 512 bytes.*has 513/ },
  { given: 'é'.repeat(257), error: RangeError, names: /1 to 512 bytes.*has 514/ },
  { given: 'a\0b', error: TypeError, names: /must not contain NUL/ },
  { given: 'a\ud800', error: TypeError, names: /well-formed/ },
  { given: '\udc00b', error: TypeError, names: /well-formed/ },
  { given: undefined, error: TypeError, names: /must be a string, not undefined/ },
  { given: null, error: TypeError, names: /must be a string, not null/ },
  { given: 42, error: TypeError, names: /must be a string, not 42/ },
  { given: ['a'], error: TypeError, names: /must be a string, not an array/ },
  { given: Symbol('a'), error: TypeError, names: /must be a string, not a value of type symbol/ },
];

/** Names that look odd and are valid. */
export const ODD_NAMES: readonly string[] = [
  ' ',
  '__proto__',
  'constructor',
  '😀',
  'é'.repeat(256),
  'a/b:c{d}*%?',
  "'; drop table locks; --",
  '\n\t',
];

/** Options that every wait refuses. */
export const BAD_WAIT_OPTIONS: readonly BadArgument[] = [
  { given: 'soon', error: TypeError, names: /options must be an object, not "soon"/ },
  { given: 5, error: TypeError, names: /options must be an object, not 5/ },
  { given: null, error: TypeError, names: /options must be an object, not null/ },
  { given: [], error: TypeError, names: /options must be an object, not an array/ },
  { given: { timeout: 5 }, error: TypeError, names: /no option "timeout"; known are .*timeoutMs/ },
  { given: { timeoutMs: -1 }, error: RangeError, names: /timeoutMs must be from 0 to \d+, not -1/ },
  { given: { timeoutMs: NaN }, error: RangeError, names: /timeoutMs must be from 0 to \d+, not NaN/ },
  { given: { timeoutMs: 1e15 }, error: RangeError, names: /timeoutMs must be from 0/ },
  { given: { timeoutMs: '5' }, error: TypeError, names: /timeoutMs must be a number, not "5"/ },
  { given: { timeoutMs: 5n }, error: TypeError, names: /timeoutMs must be a number/ },
  { given: { timeoutMs: null }, error: TypeError, names: /timeoutMs must be a number, not null/ },
  { given: { signal: {} }, error: TypeError, names: /signal must be an AbortSignal/ },
  { given: { signal: new AbortController() }, error: TypeError, names: /signal must be an AbortSignal/ },
  { given: { signal: null }, error: TypeError, names: /signal must be an AbortSignal, not null/ },
];

/** Options that every acquisition refuses. */
export const BAD_HOLD_OPTIONS: readonly BadArgument[] = [
  ...BAD_WAIT_OPTIONS,
  { given: { leaseMs: 0 }, error: RangeError, names: /leaseMs must be from 50 to \d+, not 0/ },
  { given: { leaseMs: 49 }, error: RangeError, names: /leaseMs must be from 50/ },
  { given: { leaseMs: -1000 }, error: RangeError, names: /leaseMs must be from 50/ },
  { given: { leaseMs: NaN }, error: RangeError, names: /leaseMs must be from 50 .*not NaN/ },
  {
    given: { leaseMs: Infinity },
    error: RangeError,
    names: /leaseMs must be from 50 .*not Infinity. Leave it out/,
  },
  { given: { leaseMs: '30s' }, error: TypeError, names: /leaseMs must be a number, not "30s"/ },
  { given: { leaseMs: null }, error: TypeError, names: /leaseMs must be a number, not null/ },
  { given: { lease: 5000 }, error: TypeError, names: /no option "lease"; known are .*leaseMs/ },
];

/** Times that every `extend` refuses. */
export const BAD_EXTENSIONS: readonly BadArgument[] = [
  { given: undefined, error: TypeError, names: /extend must be a number, not undefined/ },
  { given: '1000', error: TypeError, names: /extend must be a number, not "1000"/ },
  { given: 0, error: RangeError, names: /extend must be from 50/ },
  { given: -1, error: RangeError, names: /extend must be from 50/ },
  { given: NaN, error: RangeError, names: /extend must be from 50/ },
  { given: Infinity, error: RangeError, names: /extend must be from 50/ },
];

/** Arguments that every `run` refuses. */
export const BAD_FUNCTIONS: readonly BadArgument[] = [
  { given: undefined, error: TypeError, names: /run needs a function, not undefined/ },
  { given: 'work', error: TypeError, names: /run needs a function, not "work"/ },
  { given: {}, error: TypeError, names: /run needs a function, not a value of type object/ },
  { given: Promise.resolve(), error: TypeError, names: /run needs a function/ },
];

/** Values that are not a count of at least one. */
export function badCounts(what: string): readonly BadArgument[] {
  return [
    { given: -1, error: RangeError, names: new RegExp(`${what} must be from`) },
    { given: 1.5, error: RangeError, names: new RegExp(`${what} must be a whole number, not 1.5`) },
    { given: NaN, error: RangeError, names: new RegExp(`${what} must be from`) },
    { given: Infinity, error: RangeError, names: new RegExp(`${what} must be from`) },
    { given: '3', error: TypeError, names: new RegExp(`${what} must be a number, not "3"`) },
    { given: null, error: TypeError, names: new RegExp(`${what} must be a number, not null`) },
    { given: 3n, error: TypeError, names: new RegExp(`${what} must be a number`) },
  ];
}
