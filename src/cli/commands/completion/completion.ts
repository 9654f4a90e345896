import type { Command } from '../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { print } from '../../output/output.ts';
import { UsageError } from '../../usage-error.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

const shells: Readonly<Record<string, () => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** Prints a completion script. It is generated from the same table as the help, and asks no engine at run time. */
export const completion: Command = async ({ words: [shell = '', more] }) => {
  const script = Object.hasOwn(shells, shell) && more === undefined ? shells[shell] : undefined;
  if (script === undefined)
    throw new UsageError(`completion needs one of ${Object.keys(shells).join(', ')}.`);
  print(script().trimEnd());
  return EXIT.ok;
};
