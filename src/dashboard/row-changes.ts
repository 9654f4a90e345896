import type { Sighting } from '../spi/engine/inspector.ts';
import { type ChangeFrame, type SentSighting, sentSighting } from './frames.ts';

/** A lease counts as renewed or cut when it ends so much later or earlier than it was said to: looks take a while themselves. */
const MOVED_MS = 500;

/** A row that viewers have. */
interface KnownRow {
  readonly id: number;
  readonly outline: string;
  /** When each lease ends, by our clock, as the viewers know it. */
  readonly ends: readonly (number | null)[];
  readonly sent: SentSighting;
  /** When it was as `sent` says, by our clock. */
  readonly seenAt: number;
}

/** What the viewers have, and what a new look changes of it. */
export class RowChanges {
  #known = new Map<string, KnownRow>();
  #nextId = 1;

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

  /** Takes a whole look, and answers what is new in it; undefined if nothing is. */
  see(looked: readonly Sighting[], now: number): ChangeFrame | undefined {
    const next = new Map<string, KnownRow>();
    const rows: SentSighting[] = [];
    const leases: (readonly [number, readonly (number | null)[]])[] = [];
    for (const sighting of looked) {
      const key = `${sighting.kind}:${sighting.name}`;
      // A listing may show a name twice, if it changes meanwhile: the second would get a row that is never taken away.
      if (next.has(key)) continue;
      const before = this.#known.get(key);
      const row = rowOf(sighting, before?.id ?? this.#nextId++, now);
      const isSame = before?.outline === row.outline;
      if (isSame && !haveMoved(before.ends, row.ends)) {
        next.set(key, before);
        continue;
      }
      next.set(key, row);
      if (isSame) leases.push([row.id, row.sent.holders.map(({ remainingMs }) => remainingMs)]);
      else rows.push(row.sent);
    }
    const gone = [...this.#known].filter(([key]) => !next.has(key)).map(([, { id }]) => id);
    this.#known = next;
    return rows.length + leases.length + gone.length === 0 ? undefined : { rows, gone, leases };
  }

  forget(): void {
    this.#known.clear();
  }
}

function rowOf(sighting: Sighting, id: number, now: number): KnownRow {
  const sent = sentSighting(sighting, id);
  const ends = sent.holders.map(({ remainingMs }) => (remainingMs === null ? null : now + remainingMs));
  return { id, sent, ends, seenAt: now, outline: outlineOf(sent) };
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
