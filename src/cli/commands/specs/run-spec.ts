import type { CommandSpec } from '../command-spec.ts';
import { common } from './common-options.ts';

export const run: CommandSpec = {
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
      help: 'wait no longer than this; default: without limit',
    },
    'conflict-exit-code': {
      type: 'string',
      short: 'E',
      value: 'N',
      help: 'the exit code when it was not acquired; default: 75',
    },
    lease: {
      type: 'string',
      value: 'TIME',
      help: 'how long a crash keeps others waiting at most; renewed while the command runs; default: 30s',
    },
    'min-hold': {
      type: 'string',
      value: 'TIME',
      help: 'hold it for at least this time, even if the command ends sooner',
    },
    retry: {
      type: 'string',
      value: 'TIME',
      help: 'how often to poll where the store sends no messages (MySQL, PostgreSQL behind a pooler)',
    },
    fair: { type: 'boolean', help: 'first come, first served' },
    shared: { type: 'boolean', help: 'the read side of a read-write lock' },
    exclusive: { type: 'boolean', help: 'the write side of a read-write lock' },
    permits: { type: 'string', value: 'K/N', help: 'K of N permits in place of a lock' },
    'on-lost': {
      type: 'string',
      value: 'DO',
      choices: ['kill', 'warn'],
      help: 'kill: end the command before another owner can acquire (default); warn: only say so',
    },
    'kill-after': {
      type: 'string',
      value: 'TIME',
      help: 'the time from TERM to KILL when it is lost; at most a third of the lease; default: 5s or that',
    },
    shell: { type: 'string', short: 'c', value: 'LINE', help: 'run this line by sh in place of a command' },
    verbose: {
      type: 'boolean',
      short: 'v',
      help: 'print how long it waited and for which holder, and how long it held',
    },
    quiet: { type: 'boolean', short: 'q', help: 'print nothing but errors' },
    json: { type: 'boolean', help: 'print events as JSON, one to a line, on stderr' },
    ...common,
  },
  notes: [
    'Exits with the code of the command; 128+n if signal n ended it; 75 not acquired; 76 lost, and the command',
    'was ended; 69 engine unreachable; 64 wrong command line; 126 cannot be run; 127 not found.',
    'The command finds HOLDFAST_NAME, HOLDFAST_OWNER, HOLDFAST_FENCE, HOLDFAST_ENGINE and HOLDFAST_DEADLINE',
    'in its environment. INT, TERM, HUP, QUIT, USR1 and USR2 end the wait, or are passed on to the command.',
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
