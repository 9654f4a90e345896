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
/** The options of every command that opens an engine. */
export const common = { url, help } as const;

/** The kind to look at. */
export const as: Option = {
  type: 'string',
  value: 'KIND',
  choices: ALL_KINDS.map(wordOf),
  help: 'the kind of the name; needed on Redis for latches and for semaphores without holders, which are bare numbers there',
};
