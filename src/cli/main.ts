#!/usr/bin/env node
import { hidePasswords, PASSWORD_WARNING, readAddress } from './address.ts';
import { type Options, readArguments } from './arguments.ts';
import { closest } from './closest.ts';
import { type Command, commands } from './commands/command.ts';
import { EXIT } from './exit-codes.ts';
import { failureOf } from './failure.ts';
import { bearClosedPipes, print, say, sayWarnings } from './output/output.ts';
import { UsageError } from './usage-error.ts';
import { isCommandName, COMMAND_SPECS } from './commands/spec.ts';

/** Those of a verb that opens no store: `schema` has a `--schema` that sets nothing. */
const NO_OPTIONS: Options = { has: () => false, get: () => undefined };

/** Reads the command line, carries it out, and answers with the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const [word = '--help', ...rest] = argv;
  if (word === '--version' || word === '-V') return tell((await import('./version.ts')).version());
  if (!isCommandName(word)) return other(word, rest);
  const verb = COMMAND_SPECS[word];
  const given = readArguments(verb, rest);
  if (given.kind === 'help') return tell((await import('./commands/help.ts')).helpOf(verb));
  const opens = Object.hasOwn(verb.options, 'url');
  const address = readAddress(opens ? given.options : NO_OPTIONS, process.env);
  if (hidePasswords(address, word) && !given.options.has('quiet')) say(PASSWORD_WARNING);
  const command: Command = await commands[word]();
  return command(given, address);
}

async function other(word: string, [verb]: readonly string[]): Promise<number> {
  const { overview, helpOf } = await import('./commands/help.ts');
  if (word === 'help' && verb !== undefined) {
    if (isCommandName(verb)) return tell(helpOf(COMMAND_SPECS[verb]));
    throw noSuchVerb(verb);
  }
  if (['help', '--help', '-h'].includes(word)) return tell(overview());
  if (word.startsWith('-'))
    throw new UsageError(`options follow a verb: holdfast VERB ${word.replace(/=.*$/s, '')} …`);
  throw noSuchVerb(word);
}

function noSuchVerb(word: string): UsageError {
  const verbs = Object.keys(COMMAND_SPECS);
  const meant = closest(word, verbs);
  return new UsageError(
    `there is no verb "${word}". ${meant === undefined ? `Known are ${verbs.join(', ')}.` : `Did you mean ${meant}?`}`,
  );
}

function tell(text: string): number {
  print(text);
  return EXIT.ok;
}

/**
 * Exits even if something is still open, such as a silent socket: it must not delay the parent that waits for the exit
 * code.
 */
async function exitWith(argv: readonly string[]): Promise<never> {
  try {
    process.exit(await main(argv));
  } catch (error) {
    const { message, exitCode } = failureOf(error);
    say(message);
    if (exitCode === EXIT.usage) say(`${helpFor(argv)} shows how to use it.`);
    process.exit(exitCode);
  }
}

/** How to ask for the help that explains what is wrong with a line. */
function helpFor([word = '']: readonly string[]): string {
  return `holdfast ${isCommandName(word) ? `${word} ` : ''}--help`;
}

/**
 * Node exits with 0 when nothing is pending. The caller of `run` would take that for success, so an exit while we wait
 * for an event that never comes must not look like it.
 */
function noticeEmptyLoop(): void {
  process.once('beforeExit', () => {
    say('this is a bug in holdfast: it ended before its work was done. Please report it.');
    process.exit(EXIT.software);
  });
}

bearClosedPipes();
sayWarnings();
noticeEmptyLoop();
// Not awaited: a module that awaits itself never finishes loading, and in the bundle the verbs are part of this module.
void exitWith(process.argv.slice(2));
