import { abortInTurn } from '../../core/async/abort-in-turn.ts';
import { onAbort } from '../../core/async/aborts.ts';
import type { Client } from '../../core/client.ts';
import { EngineError } from '../../spi/errors.ts';
import { isError } from '../../spi/is-error.ts';
import type { Leadership } from '../../spi/synchronizers.ts';
import type { GrantHold } from '../hold.ts';
import { releaseQuietly } from '../release-at-end.ts';

/** What a leader does while it leads. */
export type Lead<V> = (signal: AbortSignal, leadership: Leadership<V>) => unknown;

/** Two turns of one `lead` begin at least so far apart: a function that returns at once must not flood the store. */
const SHORTEST_TURN_MS = 1000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;

/** One `lead`, from its call to its end. */
export interface Leading<V, L extends GrantHold & Leadership<V>> {
  readonly client: Client;
  readonly name: string;
  readonly signal: AbortSignal | undefined;
  campaign(): Promise<L>;
  readonly lead: Lead<V>;
}

/**
 * Campaigns, leads, resigns, and campaigns again until the signal of the caller aborts. Resolves then: to stop is how a
 * `lead` ends, and a rejection would make an exception of every shutdown. Rejects with what `lead` throws, and with what no
 * further campaign can mend.
 */
export async function leadInTurns<V, L extends GrantHold & Leadership<V>>(
  leading: Leading<V, L>,
): Promise<void> {
  const { client } = leading;
  for (;;) {
    const leadership = await campaignUntilGranted(leading);
    if (leadership === undefined) return;
    const since = client.clock.now();
    await takeTurn(leading, leadership);
    await pause(leading, since + SHORTEST_TURN_MS - client.clock.now());
  }
}

/**
 * The leadership, or undefined once the caller has stopped. An outage of the store ends no `lead`: its purpose is to lead
 * again when the store is back. Each failed campaign is reported as `trouble`.
 */
async function campaignUntilGranted<V, L extends GrantHold & Leadership<V>>(
  leading: Leading<V, L>,
): Promise<L | undefined> {
  const { client, name, signal } = leading;
  for (let pauseMs = FIRST_PAUSE_MS; !hasAborted(signal); pauseMs *= 2) {
    try {
      return await leading.campaign();
    } catch (error) {
      if (hasAborted(signal)) return undefined;
      if (!(error instanceof EngineError && error.retryable)) throw error;
      client.events.trouble.emit({ kind: 'election', name, engine: client.label, error });
    }
    await pause(leading, Math.min(pauseMs, LONGEST_PAUSE_MS));
  }
  return undefined;
}

/**
 * Leads until the function has settled, and resigns only then: to resign while its work still runs would put the next leader
 * beside it. A loss does not end the turn either: it aborts the signal, and the function must not run twice at a time here.
 */
async function takeTurn<V, L extends GrantHold & Leadership<V>>(
  { signal: stop, lead }: Leading<V, L>,
  leadership: L,
): Promise<void> {
  const turn = new AbortController();
  const end = (): void => abortInTurn(turn, leadership.lost.aborted ? leadership.lost.reason : stop?.reason);
  const unlisten = [leadership.lost, stop].map((signal) => signal && onAbort(signal, end));
  try {
    // The caller may have stopped, or the process have stood still for a lease, between the grant and here: no listener
    // hears of an abort that was before.
    if (leadership.lost.aborted || hasAborted(stop)) return;
    await leadership.callSection(() => lead(turn.signal, leadership));
  } catch (error) {
    if (!isAbort(error, [turn.signal, leadership.lost, stop])) throw error;
  } finally {
    for (const unlistenOne of unlisten) unlistenOne?.();
    await releaseQuietly(leadership);
  }
}

/**
 * Whether the function only stopped as its signal told it to: threw the reason, or what Node throws for it. Every other error
 * is its own and ends the `lead`, also after a loss: an error that is taken for a consequence of the loss is never seen again.
 */
function isAbort(error: unknown, signals: readonly (AbortSignal | undefined)[]): boolean {
  const isNodes = isError(error) && error.name === 'AbortError';
  return signals.some((signal) => hasAborted(signal) && (isNodes || error === signal?.reason));
}

function hasAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

async function pause(
  { client, signal }: Pick<Leading<never, never>, 'client' | 'signal'>,
  ms: number,
): Promise<void> {
  if (ms <= 0 || hasAborted(signal)) return;
  const sleeper = client.makeSleeper();
  const unlisten = signal && onAbort(signal, sleeper.wake);
  await sleeper.sleep(client.clock.now() + ms);
  unlisten?.();
  client.releaseSleeper(sleeper);
}
