#!/usr/bin/env node
import { hidePasswords, PASSWORD_WARNING, readAddress } from './address.ts';
import { readArguments } from './arguments.ts';
import { type Command, commands } from './commands/command.ts';
import { EXIT } from './exit-codes.ts';
import { failureOf } from './failure.ts';
import { bearClosedPipes, print, say, sayWarnings } from './output/output.ts';
import { UsageError } from './usage-error.ts';
import { isCommandName, COMMAND_SPECS } from './commands/spec.ts';

/** Reads the command line, carries it out, and answers with the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const [word = '--help', ...rest] = argv;
  if (word === '--version' || word === '-V') return tell((await import('./version.ts')).version());
  if (!isCommandName(word)) return other(word, rest);
  const verb = COMMAND_SPECS[word];
  const given = readArguments(verb, rest);
  if (given.kind === 'help') return tell((await import('./commands/help.ts')).helpOf(verb));
  const address = readAddress(given.options, process.env);
  if (hidePasswords(address, word) && !given.options.has('quiet')) say(PASSWORD_WARNING);
  const command: Command = await commands[word]();
  return command(given, address);
}

async function other(word: string, [verb = '']: readonly string[]): Promise<number> {
  const { overview, helpOf } = await import('./commands/help.ts');
  if (word === 'help' && isCommandName(verb)) return tell(helpOf(COMMAND_SPECS[verb]));
  if (['help', '--help', '-h'].includes(word)) return tell(overview());
  throw new UsageError(
    word.startsWith('-')
      ? `there is no option ${word} before a verb.`
      : `there is no verb "${word}". Known are ${Object.keys(COMMAND_SPECS).join(', ')}.`,
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
    if (exitCode === EXIT.usage) say('holdfast VERB --help says how to use it.');
    process.exit(exitCode);
  }
}

/**
 * Node exits with 0 when nothing is pending. The caller of `run` would take that for success, so an exit while we wait
 * for an event that never comes must not look like it.
 */
function noticeEmptyLoop(): void {
  process.once('beforeExit', () => {
    say('a fault of holdfast: it came to its end before it was done. Please report it.');
    process.exit(EXIT.software);
  });
}

bearClosedPipes();
sayWarnings();
noticeEmptyLoop();
// Not awaited: a module that awaits itself never finishes loading, and in the bundle the verbs are part of this module.
void exitWith(process.argv.slice(2));
