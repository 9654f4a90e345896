import type { CommandSpec, Option } from '../command-spec.ts';
import { common, json } from './common-options.ts';
import { killAfter, kinds, retry, shell, telling, waiting } from './holding-options.ts';

const lease: Option = {
  type: 'string',
  value: 'TIME',
  help: 'the longest that a crash keeps others waiting; renewed while it is held; default: 30s',
};

const wait: Option = {
  type: 'string',
  short: 'w',
  value: 'TIME',
  help: 'wait no longer than this, then exit with 75; default: without limit',
};

export const hold: CommandSpec = {
  name: 'hold',
  summary: 'hold a lock until stdin ends or a signal comes',
  synopsis: 'NAME... [options]',
  options: {
    ...waiting,
    lease,
    retry,
    ...kinds,
    ...telling,
    json: { type: 'boolean', help: 'print events as JSON, one to a line, on stdout' },
    ...common,
  },
  notes: [
    'Prints a line on stdout when it is held. Releases it when its stdin ends, or at INT, TERM, HUP or QUIT,',
    'and exits with 0. A stdin without a writer (/dev/null, a file) does not count: then only a signal ends it.',
    'Exits with 75 if it was not acquired, 76 if it was lost, 128+n if signal n came while it waited.',
  ],
  examples: [
    { line: 'holdfast hold deploy', what: 'until Ctrl-D or Ctrl-C' },
    {
      line: 'coproc holdfast hold deploy; read -r line <&${COPROC[0]}',
      what: 'in a bash script: held from here until the script ends, however it ends',
    },
  ],
};

export const elect: CommandSpec = {
  name: 'elect',
  summary: 'campaign in an election, and lead',
  synopsis: 'NAME VALUE [options] [-- COMMAND [ARGUMENT...]]',
  takesCommand: 'maybe',
  wordsBeforeCommand: 2,
  options: {
    ...waiting,
    again: {
      type: 'boolean',
      help: 'campaign again after the leadership was lost, in place of exit code 76',
    },
    lease,
    retry,
    'kill-after': killAfter,
    shell,
    ...telling,
    json: {
      type: 'boolean',
      help: 'print events as JSON, one to a line: on stderr with a command, on stdout without',
    },
    ...common,
  },
  notes: [
    'The leader publishes VALUE, which observe shows. With a COMMAND: runs it while it leads, ends it when the',
    'leadership is lost, resigns when it ends, and exits with its code. Without: prints a line on stdout, leads',
    'until stdin ends or a signal comes, resigns, and exits with 0. Other codes are those of run.',
  ],
  examples: [
    {
      line: 'holdfast elect scheduler "$HOSTNAME" -- ./scheduler',
      what: 'one scheduler runs, the other candidates wait',
    },
    {
      line: 'holdfast elect scheduler "$HOSTNAME" --again -- ./scheduler',
      what: 'stays a candidate after a loss',
    },
    { line: 'holdfast elect scheduler pod-1', what: 'leads until Ctrl-C' },
  ],
};

export const observe: CommandSpec = {
  name: 'observe',
  summary: 'print the leader of an election, and every change',
  synopsis: 'NAME [options]',
  options: {
    once: { type: 'boolean', help: 'print the leader now, and exit with 1 if there is none' },
    json,
    ...common,
  },
  notes: ['Prints "no leader" while there is none. May print quick changes as one. A signal ends it.'],
  examples: [
    { line: 'holdfast observe scheduler', what: 'a line for each leader' },
    {
      line: "holdfast observe scheduler --json | jq --unbuffered -r '.leader.value'",
      what: 'for a program; null while there is none',
    },
  ],
};

export const latch: CommandSpec = {
  name: 'latch',
  summary: 'set a latch, count it down, or wait until it is open',
  synopsis: '[options] set NAME N | count-down NAME [N] | await NAME | count NAME',
  actions: ['set', 'count-down', 'await', 'count'],
  options: {
    wait,
    force: { type: 'boolean', help: 'set the count even if the latch still counts' },
    json,
    ...common,
  },
  notes: [
    'set, count-down and count print the count; set exits with 1 if the latch still counts. await exits with 0',
    'when the count is 0. A latch that was never set is open: set it before its waiters start.',
  ],
  examples: [
    { line: 'holdfast latch set build-42 3', what: 'before three jobs start' },
    { line: 'holdfast latch count-down build-42', what: 'at the end of each of them' },
    { line: 'holdfast latch await build-42 --wait 30m && ./deploy.sh', what: 'when all three are done' },
  ],
};

export const barrier: CommandSpec = {
  name: 'barrier',
  summary: 'wait until a number of processes have arrived',
  synopsis: 'arrive | reset NAME --parties N [options]',
  actions: ['arrive', 'reset'],
  options: {
    parties: { type: 'string', short: 'p', value: 'N', help: 'how many processes meet in each round' },
    wait: {
      ...wait,
      help: 'wait no longer than this (1s at least), then exit with 75; default: without limit',
    },
    json,
    ...common,
  },
  notes: [
    'arrive prints the round and an index that counts down: the last to arrive has 0. A party that gives up',
    '(75, or a signal) breaks the barrier: the others exit with 1, and so does every arrival until reset.',
  ],
  examples: [
    {
      line: 'holdfast barrier arrive load-test --parties 5 --wait 2m && ./fire.sh',
      what: 'five start together',
    },
  ],
};
