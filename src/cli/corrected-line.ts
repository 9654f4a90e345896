import { parseArgs } from 'node:util';
import { passwordsOf } from './address.ts';
import type { CommandSpec } from './commands/command-spec.ts';
import { parserOptions } from './parser-options.ts';

/**
 * The line with the `--` that it lacks: in front of the second word, because the first is a name. Undefined where there is no second
 * word, or the `--` is there.
 */
export function correctedLine(verb: CommandSpec, argv: readonly string[]): string | undefined {
  const { tokens } = parseArgs({
    args: [...argv],
    options: parserOptions(verb),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  if (tokens.some(({ kind }) => kind === 'option-terminator')) return undefined;
  const { wordsBeforeCommand: names = 1 } = verb;
  const at = tokens.filter(({ kind }) => kind === 'positional')[names]?.index;
  const unknownAt = tokens.find((token) => token.kind === 'option' && !(token.name in verb.options))?.index;
  // What follows a misspelt option of ours may be its value, and no command.
  if (at === undefined || (unknownAt !== undefined && unknownAt < at)) return undefined;
  const words = [verb.name, ...argv.slice(0, at), '--', ...argv.slice(at)];
  return ['holdfast', ...words.map(quoted)].join(' ');
}

/** As a shell reads it, without the password of an address. */
function quoted(word: string): string {
  const shown = passwordsOf(word.replace(/^--url=/, '')).reduce(
    (text, password) => text.replaceAll(password, '***'),
    word,
  );
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}
