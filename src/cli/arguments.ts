import { parseArgs } from 'node:util';
import { UsageError } from './usage-error.ts';
import type { CommandSpec } from './commands/command-spec.ts';

/** The command line after the verb: words, options, and what follows `--`. */
export type Arguments =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'given';
      readonly words: readonly string[];
      readonly options: Options;
      /** Unparsed. Undefined without `--`. */
      readonly command: readonly string[] | undefined;
    };

/** Options by name, as they were written. */
export interface Options {
  has(name: string): boolean;
  get(name: string): string | undefined;
}

/** Reads the command line of a verb. What follows `--` belongs to the command, and is not parsed. */
export function readArguments(verb: CommandSpec, argv: readonly string[]): Arguments {
  const { values, tokens } = parsed(verb, argv);
  if (values['help'] === true) return { kind: 'help' };
  const end = tokens.find((token) => token.kind === 'option-terminator')?.index ?? argv.length;
  const words = tokens.flatMap((token) =>
    token.kind === 'positional' && token.index < end ? [token.value] : [],
  );
  const command = end < argv.length ? argv.slice(end + 1) : undefined;
  if (command !== undefined && verb.takesCommand !== true)
    throw new UsageError(`${verb.name} takes no command behind "--".`);
  // Not named: it may be an address, with a password in it.
  if (verb.words?.length === 0 && words.length > 0)
    throw new UsageError(`${verb.name} takes options only. Give an address by --url or HOLDFAST_URL.`);
  for (const [name, { choices }] of Object.entries(verb.options)) {
    const value = values[name];
    if (choices !== undefined && value !== undefined && !choices.includes(String(value)))
      throw new UsageError(`--${name} must be one of ${choices.join(', ')}, not "${String(value)}".`);
  }
  const options: Options = {
    has: (name) => values[name] === true,
    get: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
  };
  return { kind: 'given', words, options, command };
}

function parsed(verb: CommandSpec, argv: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(verb.options).map(([name, { type, short }]) => [
      name,
      { type, ...(short !== undefined && { short }) },
    ]),
  );
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, tokens: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? firstSentence(error.message) : String(error));
  }
}

/** The rest of the message is advice about Node's own function. */
function firstSentence(message: string): string {
  return /^.*?\.(?=\s|$)/s.exec(message)?.[0] ?? message;
}
