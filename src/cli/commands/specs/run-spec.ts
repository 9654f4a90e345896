import type { CommandSpec } from '../command-spec.ts';
import { common } from './common-options.ts';
import { killAfter, kinds, retry, shell, telling, waiting } from './holding-options.ts';

export const run: CommandSpec = {
  name: 'run',
  summary: 'run a command while holding a lock',
  synopsis: 'NAME... [options] -- COMMAND [ARGUMENT...]',
  takesCommand: 'always',
  options: {
    ...waiting,
    lease: {
      type: 'string',
      value: 'TIME',
      help: 'the longest that a crash keeps others waiting; renewed while the command runs; default: 30s',
    },
    'min-hold': {
      type: 'string',
      value: 'TIME',
      help: 'hold it for at least this time, even if the command ends sooner',
    },
    timeout: {
      type: 'string',
      value: 'TIME',
      help: 'end the command after this time, and exit with 124; default: without limit',
    },
    retry,
    ...kinds,
    'on-lost': {
      type: 'string',
      value: 'kill|warn',
      choices: ['kill', 'warn'],
      help: 'when the lock is lost: end the command before another owner can acquire (kill, the default), or only print a warning (warn)',
    },
    'kill-after': killAfter,
    shell,
    ...telling,
    json: { type: 'boolean', help: 'print events as JSON, one to a line, on stderr' },
    ...common,
  },
  notes: [
    'Exits with the code of the command; 128+n if signal n ended it; 75 not acquired; 76 lost, and the',
    'command was ended; 124 ended by --timeout; 69 store not reached; 64 wrong command line; 126 the command',
    'cannot be run; 127 the command was not found.',
    'The command finds HOLDFAST_NAME, HOLDFAST_OWNER, HOLDFAST_FENCE, HOLDFAST_ENGINE and HOLDFAST_DEADLINE',
    'in its environment. INT, TERM, HUP, QUIT, USR1 and USR2 end the wait, or are passed on to the command.',
  ],
  examples: [
    { line: 'holdfast run nightly-report -- ./report.sh', what: 'one at a time on this machine' },
    {
      line: 'holdfast run -n --min-hold 30s backup -- ./backup.sh',
      what: 'once in a fleet whose clocks differ a little',
    },
    {
      line: 'holdfast run --permits 1/3 video -- ffmpeg -i in.mp4 out.webm',
      what: 'at most three at a time',
    },
    { line: 'holdfast run --timeout 10m nightly -- ./job.sh', what: 'ended after ten minutes' },
    { line: 'holdfast run account:1 account:2 -- ./transfer.sh', what: 'both or none' },
  ],
};
