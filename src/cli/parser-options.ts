import type { CommandSpec } from './commands/command-spec.ts';

/** The options of a verb in the form of Node's parser. */
export function parserOptions(verb: CommandSpec) {
  return Object.fromEntries(
    Object.entries(verb.options).map(([name, { type, short }]) => [
      name,
      { type, ...(short !== undefined && { short }) },
    ]),
  );
}
