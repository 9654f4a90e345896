import { LeaseLostError } from '../../../spi/errors.ts';
import { EXIT } from '../../exit-codes.ts';
import type { HeldNames } from '../run/acquire-telling.ts';
import type { CaughtSignals } from '../run/caught-signals.ts';
import { releaseHold } from '../run/release-hold.ts';
import type { TellEvent } from '../run/run-event.ts';
import { untilStopped } from './until-stopped.ts';

/** Keeps what is held until a signal comes or the input ends, and releases it. Answers with the exit code. */
export async function keepHold(
  held: HeldNames,
  signals: CaughtSignals,
  input: AbortSignal,
  tell: TellEvent,
): Promise<number> {
  const { lost } = held.hold;
  if ((await untilStopped(held.hold, signals, input)) === 'asked')
    return (await releaseHold(held, tell, 'none')) === 'lost' ? EXIT.lost : EXIT.ok;
  const reason = lost.reason instanceof LeaseLostError ? lost.reason.reason : 'expired';
  tell({ event: 'lost', reason, command: 'none' });
  return EXIT.lost;
}
