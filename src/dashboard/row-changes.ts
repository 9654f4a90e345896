import type { Sighting } from '../spi/engine/inspector.ts';
import { type ChangeFrame, type SentSighting, sentSighting } from './frames.ts';
import { howEnded, type Look, MOVED_MS, type SeenLease, seenLease } from './hold-ends.ts';
import { holdKey } from './hold-key.ts';

/** A row that viewers have. */
interface KnownRow {
  readonly id: number;
  readonly outline: string;
  /** When each lease ends, by our clock, as the viewers know it. */
  readonly ends: readonly (number | null)[];
  readonly sent: SentSighting;
  /** When it was as `sent` says, by our clock. */
  readonly seenAt: number;
  /** What the looks have seen of each lease, also of what was not worth sending. */
  readonly leases: readonly SeenLease[];
}

/** What the viewers have, and what a new look changes of it. */
export class RowChanges {
  #known = new Map<string, KnownRow>();
  #nextId = 1;
  #lastLook: Look = { begin: 0, end: 0 };

  /** Everything, with the leases and the ages as they are now. */
  all(now: number): readonly SentSighting[] {
    return [...this.#known.values()].map(({ sent, ends, seenAt }) => ({
      ...sent,
      holders: sent.holders.map(({ heldForMs, ...holder }, at) => ({
        ...holder,
        remainingMs: leftAt(ends[at] ?? null, now),
        ...(heldForMs !== undefined && { heldForMs: heldForMs + Math.round(now - seenAt) }),
      })),
    }));
  }

  /** Takes what a whole look has seen, and answers what is new in it; undefined if nothing is. */
  see(looked: readonly Sighting[], look: Look): ChangeFrame | undefined {
    const next = new Map<string, KnownRow>();
    const rows: SentSighting[] = [];
    const leases: (readonly [number, readonly (number | null)[]])[] = [];
    for (const sighting of looked) {
      const key = `${sighting.kind}:${sighting.name}`;
      // A listing may show a name twice, if it changes meanwhile: the second would get a row that is never taken away.
      if (next.has(key)) continue;
      const before = this.#known.get(key);
      const row = rowOf(sighting, before, before?.id ?? this.#nextId++, look.end);
      const isSame = before?.outline === row.outline;
      if (isSame && !haveMoved(before.ends, row.ends)) {
        next.set(key, { ...before, leases: row.leases });
        continue;
      }
      next.set(key, row);
      if (isSame) leases.push([row.id, row.sent.holders.map(({ remainingMs }) => remainingMs)]);
      else rows.push(row.sent);
    }
    const gone = [...this.#known].filter(([key]) => !next.has(key)).map(([, { id }]) => id);
    const ended = this.#endedSince(next, look);
    this.#known = next;
    this.#lastLook = look;
    return rows.length + leases.length + gone.length === 0 ? undefined : { rows, gone, leases, ended };
  }

  #endedSince(next: ReadonlyMap<string, KnownRow>, look: Look): ChangeFrame['ended'] {
    return [...this.#known].flatMap(([key, { id, outline, sent, leases }]) => {
      const after = next.get(key);
      if (after?.outline === outline) return [];
      const still = new Set(after?.sent.holders.map(holdKey));
      return sent.holders.flatMap((holder, at) => {
        const how = still.has(holdKey(holder)) ? undefined : howEnded(leases[at]!, this.#lastLook, look);
        return how === undefined ? [] : [[id, at, how] as const];
      });
    });
  }

  forget(): void {
    this.#known.clear();
  }
}

function rowOf(sighting: Sighting, before: KnownRow | undefined, id: number, now: number): KnownRow {
  const sent = sentSighting(sighting, id);
  const known = new Map(before?.sent.holders.map((holder, at) => [holdKey(holder), before.leases[at]]));
  const leases = sent.holders.map((holder) => seenLease(known.get(holdKey(holder)), holder.remainingMs, now));
  const ends = leases.map(({ endsAt }) => endsAt);
  return { id, sent, ends, leases, seenAt: now, outline: outlineOf(sent) };
}

/** All but the times: those pass without a change. */
function outlineOf({ holders, waiters }: SentSighting): string {
  const lasting = holders.map(({ remainingMs: _left, heldForMs: _age, ...holder }) => holder);
  return JSON.stringify([lasting, waiters]);
}

function haveMoved(before: KnownRow['ends'], after: KnownRow['ends']): boolean {
  return after.some((end, at) => {
    const known = before[at] ?? null;
    return end === null || known === null ? end !== known : Math.abs(end - known) > MOVED_MS;
  });
}

function leftAt(end: number | null, now: number): number | null {
  return end === null ? null : Math.max(0, Math.round(end - now));
}
