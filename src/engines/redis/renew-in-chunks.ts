import type { RenewalOutcome } from '../../spi/protocol.ts';
import type { Reply } from './driver.ts';
import { keySlot } from './drivers/key-slot.ts';
import type { RedisParts } from './redis-parts.ts';
import type { Prepared } from './script.ts';

/** So many holds to a call: few calls for many holds, and none that keeps the server busy for long. */
const CHUNK = 200;

interface Keyed {
  readonly key: string;
  readonly name: string;
}

/**
 * Renews many holds with few calls; in a cluster, those of each slot by themselves. A renewal that too few replicas have
 * confirmed has not happened as far as the hold is concerned: its deadline stays where it was (soundness 12).
 */
export async function renewInChunks<T extends Keyed>(
  { calls }: RedisParts,
  kind: string,
  renewals: readonly T[],
  prepare: (chunk: readonly T[]) => Prepared,
): Promise<readonly RenewalOutcome[]> {
  const outcomes = new Map<T, RenewalOutcome>();
  const renewChunk = async (chunk: readonly T[]): Promise<void> => {
    const { key, name } = chunk[0]!;
    try {
      const answered = await calls.confirmed({ kind, name, key, ...prepare(chunk) });
      chunk.forEach((one, at) => outcomes.set(one, outcomeOf(answered.reply[at])));
      if (calls.isConfirmed(answered)) return;
      throw calls.notConfirmed(answered, kind, name);
    } catch (error) {
      for (const one of chunk) {
        if (outcomes.get(one)?.kind !== 'gone') outcomes.set(one, { kind: 'failed', error });
      }
    }
  };
  const groups = calls.driver.topology === 'cluster' ? bySlot(renewals) : [renewals];
  await Promise.all(groups.flatMap(chunksOf).map(renewChunk));
  return renewals.map((one) => outcomes.get(one) ?? { kind: 'gone' });
}

function outcomeOf(remainingMs: Reply | undefined): RenewalOutcome {
  return Number(remainingMs) < 0 ? { kind: 'gone' } : { kind: 'renewed', remainingMs: Number(remainingMs) };
}

function bySlot<T extends Keyed>(renewals: readonly T[]): readonly (readonly T[])[] {
  const slots = new Map<number, T[]>();
  for (const one of renewals) {
    const slot = keySlot(one.key);
    const group = slots.get(slot);
    if (group === undefined) slots.set(slot, [one]);
    else group.push(one);
  }
  return [...slots.values()];
}

function chunksOf<T>(all: readonly T[]): readonly (readonly T[])[] {
  const chunks: (readonly T[])[] = [];
  for (let from = 0; from < all.length; from += CHUNK) chunks.push(all.slice(from, from + CHUNK));
  return chunks;
}
