import { hostname } from 'node:os';
import { basename, isAbsolute } from 'node:path';
import type { ClientCard } from '../../spi/api/client-card.ts';
import { shortened } from '../../spi/plain-text.ts';
import { systemRandom } from '../time/clock.ts';

/** Options of Node that make the program itself an argument. */
const EVALUATES = /^(?:-e|-p|-pe|--eval|--print)(?:=|$)/;

/** Tells this process, and in it this copy of the library, from every other: a pid is used again, and a host may be cloned. */
export const THIS_PROCESS = systemRandom.id();

/** What every client of this process announces. */
export function processCard(name: string | undefined): ClientCard {
  return {
    host: shortened(hostname()),
    pid: process.pid,
    command: shortened(commandOf(process)),
    ...(name !== undefined && { name: shortened(name) }),
  };
}

/**
 * The file name of the script, or of Node where there is none: `node -e '…' redis://:secret@host` has the user's first argument in its
 * place, which is not ours to tell. Node makes the path of every script absolute.
 */
export function commandOf({
  argv: [, script = ''],
  execArgv,
  execPath,
}: Pick<NodeJS.Process, 'argv' | 'execArgv' | 'execPath'>): string {
  const hasScript = isAbsolute(script) && !execArgv.some((option) => EVALUATES.test(option));
  return basename(hasScript ? script : execPath);
}
