import { ALL_KINDS, wordOf } from '../../kind-words.ts';
import type { Option } from '../command-spec.ts';

/** The help of a verb. */
export const help: Option = { type: 'boolean', short: 'h', help: 'print this text' };
/** Where the locks are. */
const url: Option = {
  type: 'string',
  value: 'URL',
  help: 'the address of the store; default: HOLDFAST_URL, or else a file of this machine',
};
/** For programs. */
export const json: Option = { type: 'boolean', help: 'print one JSON object to a line' };
/** The prefix of tables, which `schema` has as well. */
export const tablePrefix: Option = {
  type: 'string',
  value: 'TEXT',
  help: 'what the names of the tables begin with (SQLite, PostgreSQL, MySQL); default: holdfast_',
};
/** The schema of tables, which `schema` has as well. */
export const schemaName: Option = {
  type: 'string',
  value: 'NAME',
  help: 'the schema of the tables (PostgreSQL), or their database (MySQL)',
};
/** The options of every command that opens an engine. */
export const common = {
  url,
  'key-prefix': { type: 'string', value: 'TEXT', help: 'what every key begins with (Redis, etcd)' },
  'table-prefix': tablePrefix,
  schema: schemaName,
  namespace: { type: 'string', value: 'PATH', help: "the folder of every path (ZooKeeper), as Curator's" },
  name: {
    type: 'string',
    value: 'TEXT',
    help: 'the name of this client in list and in time-outs, beside its host',
  },
  help,
} as const satisfies Readonly<Record<string, Option>>;

/** The kind to look at. */
export const as: Option = {
  type: 'string',
  value: 'KIND',
  choices: ALL_KINDS.map(wordOf),
  help: 'the kind of the name; needed on Redis for latches and for semaphores without holders, which are bare numbers there',
};
