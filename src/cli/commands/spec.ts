import type { CommandSpec } from './command-spec.ts';
import { barrier, elect, hold, latch, observe } from './specs/coordination-specs.ts';
import { inspect, list, token, ui, wait, watch } from './specs/query-specs.ts';
import { run } from './specs/run-spec.ts';
import { bench, completion, doctor, release, schema } from './specs/upkeep-specs.ts';

/** All verbs, in the order of the help. */
export const COMMAND_SPECS = {
  run,
  hold,
  elect,
  observe,
  latch,
  barrier,
  list,
  inspect,
  token,
  watch,
  wait,
  release,
  ui,
  doctor,
  schema,
  bench,
  completion,
} as const satisfies Readonly<Record<string, CommandSpec>>;

export type CommandName = keyof typeof COMMAND_SPECS;

export function isCommandName(word: string): word is CommandName {
  return Object.hasOwn(COMMAND_SPECS, word);
}
