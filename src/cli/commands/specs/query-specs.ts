import type { CommandSpec } from '../command-spec.ts';
import { as, common, json } from './common-options.ts';

export const list: CommandSpec = {
  name: 'list',
  summary: 'show what is held or waited for',
  synopsis: '[PREFIX] [options]',
  options: { json, ...common },
  examples: [
    { line: 'holdfast list', what: 'everything' },
    { line: "holdfast list orders: --json | jq -r 'select(.waiters.count > 3).name'", what: 'for a program' },
  ],
};

export const inspect: CommandSpec = {
  name: 'inspect',
  summary: 'show one name in full',
  synopsis: 'NAME [options]',
  options: { as, json, ...common },
  notes: ['Exits with 1 if there is nothing of that name.'],
  examples: [
    { line: 'holdfast inspect nightly-report', what: 'its holders and its waiters' },
    {
      line: 'holdfast inspect uploads --as semaphore',
      what: 'a bare number on Redis if no process holds a permit: name its kind',
    },
  ],
};

export const token: CommandSpec = {
  name: 'token',
  summary: 'print the fence of the holder',
  synopsis: 'NAME [options]',
  options: { as, ...common },
  notes: ['Exits with 1 if the name is free, or if its holder has no fence.'],
  examples: [{ line: 'holdfast token nightly-report', what: 'a number, for scripts' }],
};

export const watch: CommandSpec = {
  name: 'watch',
  summary: 'show a live table of what is held',
  synopsis: '[PREFIX] [options]',
  options: {
    every: { type: 'string', value: 'TIME', help: 'refresh at least this often; default: 1s' },
    once: { type: 'boolean', help: 'print the table once' },
    ...common,
  },
  notes: ['Into a pipe it writes a table whenever something has changed. Ctrl-C or q ends it.'],
  examples: [{ line: 'holdfast watch orders:', what: 'names that begin with orders:' }],
};

export const wait: CommandSpec = {
  name: 'wait',
  summary: 'wait until a name is free',
  synopsis: 'NAME [options]',
  options: {
    as,
    wait: { type: 'string', short: 'w', value: 'TIME', help: 'wait no longer than this; then exit with 75' },
    ...common,
  },
  notes: ['The name is free when wait ends; another owner may acquire it right after.'],
  examples: [{ line: 'holdfast wait migration -w 5m && ./start.sh', what: 'after the migration' }],
};
