import type { CommandSpec } from '../command-spec.ts';
import { as, common, json } from './common-options.ts';

export const list: CommandSpec = {
  name: 'list',
  summary: 'show what is held or waited for',
  synopsis: '[PREFIX]',
  options: { json, ...common },
  examples: [
    { line: 'holdfast list', what: 'everything' },
    { line: "holdfast list orders: --json | jq -r 'select(.waiters.count > 3).name'", what: 'for a program' },
  ],
};

export const inspect: CommandSpec = {
  name: 'inspect',
  summary: 'show all there is to know about one name',
  synopsis: 'NAME [--as KIND]',
  options: { as, json, ...common },
  notes: ['Exits with 1 if nothing of that name is there.'],
  examples: [
    { line: 'holdfast inspect nightly-report', what: 'who has it, who waits' },
    {
      line: 'holdfast inspect uploads --as semaphore',
      what: 'a bare number on Redis if no process holds a permit: say what it is',
    },
  ],
};

export const token: CommandSpec = {
  name: 'token',
  summary: 'print the fence of its holder',
  synopsis: 'NAME [--as KIND]',
  options: { as, ...common },
  notes: ['Exits with 1 if it is free, or if its holder has no fence.'],
  examples: [{ line: 'holdfast token nightly-report', what: 'a number, for scripts' }],
};

export const watch: CommandSpec = {
  name: 'watch',
  summary: 'a live table of what is held',
  synopsis: '[PREFIX]',
  options: {
    every: { type: 'string', value: 'TIME', help: 'look at least so often; 1s without it' },
    once: { type: 'boolean', help: 'draw it once' },
    ...common,
  },
  notes: ['Into a pipe it writes a table whenever something has changed. Ends by Ctrl-C or q.'],
  examples: [{ line: 'holdfast watch orders:', what: 'those that begin so' }],
};

export const wait: CommandSpec = {
  name: 'wait',
  summary: 'wait until it is free',
  synopsis: 'NAME [--as KIND]',
  options: {
    as,
    wait: { type: 'string', short: 'w', value: 'TIME', help: 'no longer than this; then exits with 75' },
    ...common,
  },
  notes: ['That it is free is true when it ends, and no longer than until the next one takes it.'],
  examples: [{ line: 'holdfast wait migration -w 5m && ./start.sh', what: 'after the migration' }],
};
