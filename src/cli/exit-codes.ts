import { constants } from 'node:os';

/** What `holdfast` exits with, besides the code of the command that it runs. The numbers are those of sysexits.h where it has one. */
export const EXIT = {
  ok: 0,
  /** Nothing of that name, or a check failed. */
  no: 1,
  /** The command line is wrong. */
  usage: 64,
  /** The engine cannot be reached, or refused. */
  unavailable: 69,
  /** A bug of holdfast. */
  software: 70,
  /** It was not acquired in the given time, or another owner holds it by now. */
  notAcquired: 75,
  /** It was lost while the command ran, and the command was ended. */
  lost: 76,
  /** The command ran for longer than it may, and was ended; the number is that of timeout(1). */
  timedOut: 124,
  /** The command exists and cannot be run. */
  notExecutable: 126,
  notFound: 127,
} as const;

/** As shells report that a process was ended by a signal. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + (constants.signals[signal] ?? 0);
}
