import type { GivenArguments } from '../command.ts';
import { readDuration, showDuration } from '../../duration.ts';
import { UsageError } from '../../usage-error.ts';
import { type HoldRequest, readTermsOfHold, readWanted } from './hold-request.ts';

/** What to run while it is held. */
export type Work =
  | { readonly kind: 'program'; readonly file: string; readonly args: readonly string[] }
  | { readonly kind: 'shell'; readonly line: string };

/** What a command under a hold needs besides the hold. */
export interface WorkRequest extends HoldRequest {
  /** How long the command may run; undefined is without limit. */
  readonly timeoutMs: number | undefined;
  readonly onLost: 'kill' | 'warn';
  readonly killAfterMs: number;
  readonly work: Work;
}

export interface RunRequest extends WorkRequest {
  readonly minHoldMs: number;
}

const USUAL_KILL_AFTER_MS = 5_000;

/**
 * The last part of a lease, in which the command is ended if renewals have failed until then. A third: renewals are due
 * every third of the lease, so a late answer still arrives before it.
 */
function endingMs(leaseMs: number): number {
  return Math.floor(leaseMs / 3);
}

/** Reads the request of `run`; throws if it makes no sense. */
export function readRunRequest(given: GivenArguments): RunRequest {
  const { words, options } = given;
  if (words.length === 0)
    throw new UsageError(
      'run needs a name: holdfast run NAME -- COMMAND. Everything after "--" is the command.',
    );
  const terms = readTermsOfHold(given, 'run');
  const minHold = options.get('min-hold');
  return {
    ...terms,
    wanted: readWanted(given, 'run'),
    minHoldMs: minHold === undefined ? 0 : readDuration(minHold, '--min-hold'),
    timeoutMs: readTimeout(options.get('timeout')),
    onLost: options.get('on-lost') === 'warn' ? 'warn' : 'kill',
    killAfterMs: readKillAfter(options.get('kill-after'), terms.leaseMs),
    work: readWork(given, 'run') ?? missingCommand(),
  };
}

function readTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = readDuration(text, '--timeout');
  if (ms > 0) return ms;
  throw new UsageError('--timeout must be longer than 0.');
}

/**
 * The command must end before another owner can acquire, so the time it gets for that must fit into the last part of
 * the lease.
 */
export function readKillAfter(text: string | undefined, leaseMs: number): number {
  const most = endingMs(leaseMs);
  if (text === undefined) return Math.min(USUAL_KILL_AFTER_MS, most);
  const killAfterMs = readDuration(text, '--kill-after');
  if (killAfterMs <= most) return killAfterMs;
  throw new UsageError(
    `--kill-after may be a third of the lease at most: ${showDuration(most)} of ${showDuration(leaseMs)}. Otherwise another owner could acquire before the command has ended.`,
  );
}

/** What to run; undefined if no command was given. */
export function readWork({ command, options }: GivenArguments, verb: string): Work | undefined {
  const line = options.get('shell');
  if (line !== undefined) {
    if (command !== undefined) throw new UsageError(`${verb}: -c takes the place of a command after "--".`);
    return { kind: 'shell', line };
  }
  const [file, ...args] = command ?? [];
  return file === undefined || file === '' ? undefined : { kind: 'program', file, args };
}

function missingCommand(): never {
  throw new UsageError('run needs a command after "--": holdfast run NAME -- COMMAND.');
}
