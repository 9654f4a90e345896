import type { GivenArguments } from '../commands/command.ts';
import { readDuration } from '../duration.ts';
import { UsageError } from '../usage-error.ts';

/** A whole number from 1. `missing` says what is needed. */
export function readCount(text: string | undefined, missing: string): number {
  if (text !== undefined && /^\d{1,9}$/.test(text) && Number(text) >= 1) return Number(text);
  throw new UsageError(text === undefined ? missing : `${missing} "${text}" is none.`);
}

/** How long to wait at most: Infinity without `--wait`. */
export function readWait({ options }: GivenArguments): number {
  const text = options.get('wait');
  return text === undefined ? Infinity : readDuration(text, '--wait');
}
