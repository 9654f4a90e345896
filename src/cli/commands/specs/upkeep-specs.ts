import type { CommandSpec } from '../command-spec.ts';
import { as, common, help, json, schemaName, tablePrefix } from './common-options.ts';

export const release: CommandSpec = {
  name: 'release',
  summary: 'end the hold of a name by force',
  synopsis: 'NAME [options]',
  options: {
    as,
    fence: { type: 'string', value: 'N', help: 'end only the hold with this fence, as list shows it' },
    owner: { type: 'string', value: 'ID', help: 'end only the hold of this owner, as list shows it' },
    yes: { type: 'boolean', short: 'y', help: 'do not ask; needs --fence or --owner' },
    ...common,
  },
  notes: [
    'Ends only the hold that was seen, never a newer one, and raises its fence. The holder learns of it at its',
    'next renewal, and works on until then. Exits with 1 if it is free, 75 if another owner holds it by now.',
  ],
  examples: [
    { line: 'holdfast release nightly-report', what: 'shows the holder, and asks' },
    { line: 'holdfast release nightly-report --fence 1763215000000000 --yes', what: 'for a script' },
  ],
};

export const doctor: CommandSpec = {
  name: 'doctor',
  summary: 'check whether the store is fit to keep locks',
  synopsis: '[options]',
  words: [],
  options: { json, ...common },
  notes: ['Exits with 1 if something is wrong, 69 if the store is not reached.'],
  examples: [{ line: 'HOLDFAST_URL=redis://cache:6379 holdfast doctor', what: 'what to change, and why' }],
};

export const schema: CommandSpec = {
  name: 'schema',
  summary: 'print the SQL of the tables, for a database whose user may not create tables',
  synopsis: 'postgres | mysql | sqlite [options]',
  words: ['postgres', 'mysql', 'sqlite'],
  options: {
    'table-prefix': tablePrefix,
    schema: schemaName,
    help,
  },
  examples: [{ line: 'holdfast schema postgres | psql', what: 'as a role that may create tables' }],
};

export const bench: CommandSpec = {
  name: 'bench',
  summary: 'measure the store for a few seconds',
  synopsis: '[options]',
  words: [],
  options: {
    time: { type: 'string', value: 'TIME', help: 'how long each measurement takes; default: 2s' },
    json,
    ...common,
  },
  notes: ['Uses locks whose names begin with "holdfast-bench:". Do not run it on a store in use.'],
  examples: [{ line: 'holdfast bench --url redis://cache:6379', what: 'from this machine to that server' }],
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
