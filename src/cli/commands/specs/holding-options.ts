import type { Option } from '../command-spec.ts';

/** How to wait, and what comes of it: the options of `run`, `hold` and `elect`. */
export const waiting = {
  'no-wait': { type: 'boolean', short: 'n', help: 'do not wait if it is held' },
  wait: {
    type: 'string',
    short: 'w',
    value: 'TIME',
    help: 'wait no longer than this; default: without limit',
  },
  'conflict-exit-code': {
    type: 'string',
    short: 'E',
    value: 'N',
    help: 'the exit code when it was not acquired; default: 75',
  },
} as const satisfies Readonly<Record<string, Option>>;

/** How often to poll. */
export const retry: Option = {
  type: 'string',
  value: 'TIME',
  help: 'how often to poll where the store sends no messages (MySQL, PostgreSQL behind a pooler)',
};

/** What to acquire: the options of `run` and `hold`. */
export const kinds = {
  fair: { type: 'boolean', help: 'a fair lock: first come, first served' },
  shared: { type: 'boolean', short: 's', help: 'the read side of a read-write lock: many at a time' },
  exclusive: { type: 'boolean', short: 'x', help: 'the write side of a read-write lock' },
  permits: { type: 'string', value: 'K/N', help: 'K of the N permits of a semaphore' },
} as const satisfies Readonly<Record<string, Option>>;

/** How much to print. */
export const telling = {
  verbose: {
    type: 'boolean',
    short: 'v',
    help: 'print how long it waited and for which holder, and how long it held',
  },
  quiet: { type: 'boolean', short: 'q', help: 'print nothing but errors' },
} as const satisfies Readonly<Record<string, Option>>;

/** A line of sh in place of a command. */
export const shell: Option = {
  type: 'string',
  short: 'c',
  value: 'LINE',
  help: 'run this line by sh in place of a command',
};

/** The grace of a command that is ended. */
export const killAfter: Option = {
  type: 'string',
  value: 'TIME',
  help: 'the time from TERM to KILL; default: 5s, and a third of the lease at most',
};
