import type { CommandSpec } from '../command-spec.ts';
import { as, common, help, json } from './common-options.ts';

export const release: CommandSpec = {
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

export const doctor: CommandSpec = {
  name: 'doctor',
  summary: 'find out whether the engine is fit to keep locks',
  synopsis: '',
  words: [],
  options: { json, ...common },
  notes: ['Exits with 1 if something is wrong, 69 if the engine cannot be reached.'],
  examples: [{ line: 'HOLDFAST_URL=redis://cache:6379 holdfast doctor', what: 'what to change, and why' }],
};

export const schema: CommandSpec = {
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

export const bench: CommandSpec = {
  name: 'bench',
  summary: 'measure the engine at hand, for a few seconds',
  synopsis: '',
  words: [],
  options: {
    time: { type: 'string', value: 'TIME', help: 'how long each measurement takes; 2s without it' },
    json,
    ...common,
  },
  notes: ['Uses locks whose names begin with "holdfast-bench:". Do not run it where others are at work.'],
  examples: [{ line: 'holdfast bench --url redis://cache:6379', what: 'from here to there' }],
};

export const completion: CommandSpec = {
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
