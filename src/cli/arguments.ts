import { parseArgs } from 'node:util';
import { closest } from './closest.ts';
import { correctedLine } from './corrected-line.ts';
import { parserOptions } from './parser-options.ts';
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
  if (command !== undefined && verb.takesCommand === undefined)
    throw new UsageError(`${verb.name} takes no command after "--".`);
  if (command === undefined && verb.takesCommand !== undefined && typeof values['shell'] !== 'string') {
    const corrected = correctedLine(verb, argv);
    if (corrected !== undefined)
      throw new UsageError(`${verb.name} needs "--" before a command: ${corrected}`);
  }
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
  try {
    return parseArgs({ args: [...argv], options: parserOptions(verb), allowPositionals: true, tokens: true });
  } catch (error) {
    throw usageErrorOf(verb, argv, error);
  }
}

function usageErrorOf(verb: CommandSpec, argv: readonly string[], error: unknown): UsageError {
  if (!(error instanceof Error)) return new UsageError(String(error));
  const ofValue = valueErrorOf(verb, error.message);
  if (ofValue !== undefined) return ofValue;
  const [, unknown] = /^Unknown option '(-{1,2}[^'=]+)/.exec(error.message) ?? [];
  if (unknown === undefined) return new UsageError(firstSentence(error.message));
  // The option of a command that stands there without "--".
  const corrected = verb.takesCommand === undefined ? undefined : correctedLine(verb, argv);
  const meant = unknown.startsWith('--') ? closest(unknown.slice(2), Object.keys(verb.options)) : undefined;
  return new UsageError(
    [
      `${verb.name} has no option ${unknown}.`,
      ...(meant === undefined ? [] : [`Did you mean --${meant}?`]),
      ...(corrected === undefined
        ? []
        : [`If it belongs to the command, write "--" in front of the command: ${corrected}`]),
    ].join(' '),
  );
}

/** What Node says of an option without its value, or with one that it does not take, speaks of "arguments" that are "ambiguous". */
function valueErrorOf(verb: CommandSpec, message: string): UsageError | undefined {
  const [, written = '', what] =
    /^Option '(?:-\w, )?(-{1,2}[\w-]+).*(ambiguous|missing|does not take)/.exec(message) ?? [];
  const option = Object.entries(verb.options).find(
    ([name, { short }]) => written === `--${name}` || written === `-${short}`,
  );
  if (what === undefined || option === undefined) return undefined;
  if (what === 'does not take') return new UsageError(`${verb.name}: ${written} takes no value.`);
  const [name, { value = 'VALUE' }] = option;
  const dash = what === 'ambiguous' ? ` A value that begins with "-" is written --${name}=${value}.` : '';
  return new UsageError(`${verb.name}: ${written} needs a value: ${written} ${value}.${dash}`);
}

/** The rest of the message is advice about Node's own function. */
function firstSentence(message: string): string {
  return /^.*?\.(?=\s|$)/s.exec(message)?.[0] ?? message;
}
