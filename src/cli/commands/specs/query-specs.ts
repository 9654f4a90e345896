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

export const ui: CommandSpec = {
  name: 'ui',
  summary: 'serve a page that shows what is held',
  synopsis: '[PREFIX] [options]',
  options: {
    port: { type: 'string', value: 'N', help: 'the port to listen on, 0 for a free one; default: 4765' },
    host: {
      type: 'string',
      value: 'HOST',
      help: 'the address to listen on; default: 127.0.0.1. At any other, nothing is shown without a token',
    },
    'allow-release': {
      type: 'boolean',
      help: 'let the page end holds by force, with a token that is printed with the address; without it, the page only reads',
    },
    every: { type: 'string', value: 'TIME', help: 'look at the store at least this often; default: 1s' },
    ...common,
  },
  notes: [
    'Prints the address of the page, with the token if there is one: a reader of that line has the rights.',
    'Looks at the store only while a page is open. Ctrl-C ends it. It does not encrypt: put a proxy in front of',
    'any other host than this machine.',
  ],
  examples: [
    { line: 'HOLDFAST_URL=redis://cache:6379 holdfast ui', what: 'for a browser of this machine' },
    {
      line: 'holdfast ui orders: --port 8080 --allow-release',
      what: 'names that begin with orders:, with rights',
    },
  ],
};
