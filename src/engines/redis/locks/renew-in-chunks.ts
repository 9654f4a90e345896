import type { RenewalOutcome } from '../../../spi/engine/protocol.ts';
import type { Reply } from '../driver.ts';
import { keySlot } from '../drivers/cluster/key-slot.ts';
import type { RedisContext } from '../redis-context.ts';
import type { ScriptCall } from '../requests/script.ts';

/** Holds per call: few calls for many holds, and none that blocks the server for long. */
const CHUNK = 200;

interface Keyed {
  readonly key: string;
  readonly name: string;
}

interface ChunkOptions<T> {
  /** Holds with the same number may share a call; without it all may. */
  readonly together?: (one: T) => number;
  /** Reads the outcome of the hold at this index of a call. */
  readonly outcomeAt?: (reply: readonly Reply[], at: number) => RenewalOutcome;
}

/**
 * Renews many holds with few calls; in a cluster, the holds of each slot in calls of their own. A renewal that too few
 * replicas have confirmed does not count: the deadline of the hold stays where it was (soundness 12).
 */
export async function renewInChunks<T extends Keyed>(
  { scripts }: RedisContext,
  kind: string,
  renewals: readonly T[],
  prepare: (chunk: readonly T[]) => ScriptCall,
  { together = () => 0, outcomeAt = (reply, at) => renewalOutcomeOf(reply[at]) }: ChunkOptions<T> = {},
): Promise<readonly RenewalOutcome[]> {
  const renewChunk = async (chunk: readonly T[]): Promise<readonly RenewalOutcome[]> => {
    const { key, name } = chunk[0]!;
    try {
      const answered = await scripts.sendConfirmed({ kind, name, key, ...prepare(chunk) });
      const outcomes = chunk.map((_, at) => outcomeAt(answered.reply, at));
      if (scripts.replicas.isConfirmed(answered)) return outcomes;
      const error = scripts.replicas.errorFor(answered, scripts.subject(kind, name));
      return outcomes.map((outcome) => (outcome.kind === 'gone' ? outcome : { kind: 'failed', error }));
    } catch (error) {
      return chunk.map(() => ({ kind: 'failed', error }));
    }
  };
  const groupOf =
    scripts.driver.topology === 'cluster' ? (one: T) => `${keySlot(one.key)} ${together(one)}` : together;
  const groups = grouped(renewals, groupOf);
  const outcomes = (await Promise.all(groups.flatMap(chunksOf).map(renewChunk))).flat();
  return groups.length === 1 ? outcomes : inOrderOf(renewals, groups.flat(), outcomes);
}

/** Restores the order of the renewals, which the grouping changed. */
function inOrderOf<T>(
  renewals: readonly T[],
  asked: readonly T[],
  outcomes: readonly RenewalOutcome[],
): readonly RenewalOutcome[] {
  const places = new Map(asked.map((one, at) => [one, at]));
  return renewals.map((one) => outcomes[places.get(one)!]!);
}

/** Reads `remainingMs`, negative if the hold is gone. */
export function renewalOutcomeOf(remainingMs: Reply | undefined): RenewalOutcome {
  return Number(remainingMs) < 0 ? { kind: 'gone' } : { kind: 'renewed', remainingMs: Number(remainingMs) };
}

function grouped<T>(all: readonly T[], groupOf: (one: T) => string | number): readonly (readonly T[])[] {
  const groups = new Map<string | number, T[]>();
  for (const one of all) {
    const key = groupOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

function chunksOf<T>(all: readonly T[]): readonly (readonly T[])[] {
  const chunks: (readonly T[])[] = [];
  for (let from = 0; from < all.length; from += CHUNK) chunks.push(all.slice(from, from + CHUNK));
  return chunks;
}
