import { ALL_KINDS, wordOf } from '../kind-words.ts';
import type { Option, CommandSpec } from './verb.ts';

const help: Option = { type: 'boolean', short: 'h', help: 'this text' };
const url: Option = {
  type: 'string',
  value: 'URL',
  help: 'where the locks are; HOLDFAST_URL without it, and without that a file of this machine',
};
const json: Option = { type: 'boolean', help: 'one JSON object to a line' };
const common = { url, help } as const;

const as: Option = {
  type: 'string',
  value: 'KIND',
  choices: ALL_KINDS.map(wordOf),
  help: 'as what to look at it; needed on Redis for latches and for semaphores without holders, which are bare numbers there',
};

const run: CommandSpec = {
  name: 'run',
  summary: 'run a command while holding a lock',
  synopsis: 'NAME... [options] -- COMMAND [ARGUMENT...]',
  takesCommand: true,
  options: {
    'no-wait': { type: 'boolean', short: 'n', help: 'do not wait if it is held' },
    wait: {
      type: 'string',
      short: 'w',
      value: 'TIME',
      help: 'wait no longer than this; without it, without limit',
    },
    'conflict-exit-code': {
      type: 'string',
      short: 'E',
      value: 'N',
      help: 'what to exit with when it was not acquired; 75 without it',
    },
    lease: {
      type: 'string',
      value: 'TIME',
      help: 'what a crash keeps others waiting for, at most; renewed meanwhile; 30s without it',
    },
    'min-hold': {
      type: 'string',
      value: 'TIME',
      help: 'keep it at least so long, also when the command is over',
    },
    retry: {
      type: 'string',
      value: 'TIME',
      help: 'how often to look where the store sends no messages (MySQL, PostgreSQL behind a pooler); elsewhere a message comes at once',
    },
    fair: { type: 'boolean', help: 'first come, first served' },
    shared: { type: 'boolean', help: 'the read side of a read-write lock' },
    exclusive: { type: 'boolean', help: 'the write side of a read-write lock' },
    permits: { type: 'string', value: 'K/N', help: 'K of N permits in place of a lock' },
    'on-lost': {
      type: 'string',
      value: 'DO',
      choices: ['kill', 'warn'],
      help: 'kill: end the command before another can be in (usual); warn: only say so',
    },
    'kill-after': {
      type: 'string',
      value: 'TIME',
      help: 'from TERM to KILL when it is lost; at most a third of the lease; 5s or that without it',
    },
    shell: { type: 'string', short: 'c', value: 'LINE', help: 'run this line by sh, in place of a command' },
    verbose: {
      type: 'boolean',
      short: 'v',
      help: 'say how long it waited and for whom, and how long it held',
    },
    quiet: { type: 'boolean', short: 'q', help: 'say nothing but errors' },
    json: { type: 'boolean', help: 'say what happens as JSON, one line to an event, on stderr' },
    ...common,
  },
  notes: [
    'Exits with the code of the command; 128+n if signal n ended it; 75 not acquired; 76 lost, and the command',
    'was ended; 69 engine unreachable; 64 wrong command line; 126 cannot be run; 127 not found.',
    'The command finds HOLDFAST_NAME, HOLDFAST_OWNER, HOLDFAST_FENCE, HOLDFAST_ENGINE and HOLDFAST_DEADLINE',
    'in its environment. INT, TERM, HUP, QUIT, USR1 and USR2 are passed on to it, and end the waiting.',
  ],
  examples: [
    { line: 'holdfast run nightly-report -- ./report.sh', what: 'one at a time on this machine' },
    {
      line: 'holdfast run -n --min-hold 30s backup -- ./backup.sh',
      what: 'one of a fleet whose clocks differ a little',
    },
    {
      line: 'holdfast run --permits 1/3 video -- ffmpeg -i in.mp4 out.webm',
      what: 'at most three at a time',
    },
    { line: 'holdfast run account:1 account:2 -- ./transfer.sh', what: 'both or none' },
  ],
};

const list: CommandSpec = {
  name: 'list',
  summary: 'show what is held or waited for',
  synopsis: '[PREFIX]',
  options: { json, ...common },
  examples: [
    { line: 'holdfast list', what: 'everything' },
    { line: "holdfast list orders: --json | jq -r 'select(.waiters.count > 3).name'", what: 'for a program' },
  ],
};

const inspect: CommandSpec = {
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

const token: CommandSpec = {
  name: 'token',
  summary: 'print the fence of its holder',
  synopsis: 'NAME [--as KIND]',
  options: { as, ...common },
  notes: ['Exits with 1 if it is free, or if its holder has no fence.'],
  examples: [{ line: 'holdfast token nightly-report', what: 'a number, for scripts' }],
};

const watch: CommandSpec = {
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

const wait: CommandSpec = {
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

const release: CommandSpec = {
  name: 'release',
  summary: 'take it away from its holder',
  synopsis: 'NAME [--as KIND] [--fence N | --owner ID] [--yes]',
  options: {
    as,
    fence: { type: 'string', value: 'N', help: 'only that hold, as it was seen' },
    owner: { type: 'string', value: 'ID', help: 'only what this owner holds, as it was seen' },
    yes: { type: 'boolean', short: 'y', help: 'do not ask; needs --fence or --owner' },
    ...common,
  },
  notes: [
    'Only the hold that was seen is broken, never a newer one; its fence is raised. The holder learns of it at',
    'its next renewal, and works on until then. Exits with 1 if it is free, 75 if another owner holds it by now.',
  ],
  examples: [
    { line: 'holdfast release nightly-report', what: 'shows who has it, and asks' },
    { line: 'holdfast release nightly-report --fence 1763215000000000 --yes', what: 'for a script' },
  ],
};

const doctor: CommandSpec = {
  name: 'doctor',
  summary: 'find out whether the engine is fit to keep locks',
  synopsis: '',
  options: { json, ...common },
  notes: ['Exits with 1 if something is wrong, 69 if the engine cannot be reached.'],
  examples: [{ line: 'HOLDFAST_URL=redis://cache:6379 holdfast doctor', what: 'what to change, and why' }],
};

const schema: CommandSpec = {
  name: 'schema',
  summary: 'print the tables for a database whose user may not create any',
  synopsis: 'postgres | mysql | sqlite',
  words: ['postgres', 'mysql', 'sqlite'],
  options: {
    'table-prefix': { type: 'string', value: 'TEXT', help: 'goes before their names; holdfast_ without it' },
    schema: { type: 'string', value: 'NAME', help: 'the schema they are in' },
    help,
  },
  examples: [{ line: 'holdfast schema postgres | psql', what: 'as a role that may create tables' }],
};

const bench: CommandSpec = {
  name: 'bench',
  summary: 'measure the engine at hand, for a few seconds',
  synopsis: '',
  options: {
    time: { type: 'string', value: 'TIME', help: 'how long each measurement takes; 2s without it' },
    json,
    ...common,
  },
  notes: ['Uses locks whose names begin with "holdfast-bench:". Do not run it where others are at work.'],
  examples: [{ line: 'holdfast bench --url redis://cache:6379', what: 'from here to there' }],
};

const completion: CommandSpec = {
  name: 'completion',
  summary: 'print a completion script',
  synopsis: 'bash | zsh | fish',
  words: ['bash', 'zsh', 'fish'],
  options: { help },
  examples: [
    { line: 'source <(holdfast completion bash)', what: 'in ~/.bashrc' },
    { line: 'source <(holdfast completion zsh)', what: 'in ~/.zshrc, behind compinit' },
    { line: 'holdfast completion fish | source', what: 'in ~/.config/fish/config.fish' },
  ],
};

/** All verbs, in the order of the help. */
export const VERBS = {
  run,
  list,
  inspect,
  token,
  watch,
  wait,
  release,
  doctor,
  schema,
  bench,
  completion,
} as const satisfies Readonly<Record<string, CommandSpec>>;

export type VerbName = keyof typeof VERBS;

export function isVerb(word: string): word is VerbName {
  return Object.hasOwn(VERBS, word);
}
