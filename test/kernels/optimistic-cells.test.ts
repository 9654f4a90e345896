import { describe, expect, test } from 'vitest';
import { Client } from '../../src/core/client.ts';
import type { DocumentChange, Documents, Found } from '../../src/spi/engine/documents.ts';
import { OptimisticCells } from '../../src/kernels/cells/optimistic-cells.ts';
import type { CellCall, CellReply } from '../../src/kernels/cells/wire.ts';
import { RequestCopies } from '../../src/kernels/requests/request-copies.ts';
import { SeededRandom } from '../engines/seeded-random.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** Documents in this process. A hook may do something between the reading and the writing of another client. */
class Shelf implements Documents {
  readonly confirms = false;
  readonly retentionMs = RETENTION_MS;
  readonly changes: DocumentChange[] = [];
  now = 1_750_000_000_000;
  beforeWrite: (() => Promise<void>) | undefined;
  #found: Omit<Found, 'now'> = { version: undefined, state: undefined };

  async read(): Promise<Found> {
    return { ...this.#found, now: this.now };
  }

  async write(change: DocumentChange): Promise<{ readonly now: number; readonly instead?: Found }> {
    const hook = this.beforeWrite;
    this.beforeWrite = undefined;
    await hook?.();
    const inTime = this.now >= change.notBefore && this.now < change.notAfter;
    if (this.#found.version !== change.expected || !inTime)
      return { now: this.now, instead: await this.read() };
    this.changes.push(change);
    this.#found = { version: change.version, state: structuredClone(change.state) };
    return { now: this.now };
  }

  async time(): Promise<number> {
    return this.now;
  }

  clockOf(): string {
    return 'shelf';
  }

  watch() {
    return () => undefined;
  }

  /** The last change is lost, as in a crash of a database; what is there now is what was there before. */
  loseLast(): void {
    this.changes.pop();
    const before = this.changes.at(-1);
    this.#found = { version: before?.version, state: before?.state };
  }
}

function wireTo(
  shelf: Shelf,
  label: string,
): { wire: OptimisticCells; ask: (verb: string, more?: object) => CellCall } {
  const clock = new VirtualClock();
  const client = new Client({
    label,
    clock,
    random: new SeededRandom(label),
    renewalLeaseMs: 30_000,
    maxHoldMs: Infinity,
  });
  let seq = 0;
  const ask = (verb: string, more: object = {}): CellCall => ({
    kind: 'lock',
    name: 'a',
    verb,
    ask: { owner: `${label}:1`, leaseMs: 1000, fences: 1, wait: true, interestMs: 30_000, ...more },
    request: { client: label, seq: ++seq, notAfter: shelf.now + 10_000 },
  });
  return { wire: new OptimisticCells(client, shelf), ask };
}

async function answerTo(
  wire: OptimisticCells,
  call: CellCall,
  sending?: RequestCopies<CellReply>,
): Promise<{ readonly kind: string }> {
  const { outcome } = await wire.send(call, sending);
  expect(outcome.kind).toBe('done');
  return (outcome as { answer: { kind: string } }).answer;
}

describe('rules over a store that compares and replaces', () => {
  test('of two that decide on the same state, one decides again', async () => {
    const shelf = new Shelf();
    const [one, other] = [wireTo(shelf, 'one'), wireTo(shelf, 'other')];
    shelf.beforeWrite = async () => {
      expect((await answerTo(other.wire, other.ask('acquire'))).kind).toBe('granted');
    };
    expect((await answerTo(one.wire, one.ask('acquire'))).kind).toBe('busy');
  });

  test('a copy that is overtaken by another gets its answer, and does nothing more (soundness 3)', async () => {
    const shelf = new Shelf();
    const { wire, ask } = wireTo(shelf, 'one');
    const call = ask('acquire');
    const sending = new RequestCopies<CellReply>(true);
    let other: { readonly kind: string } | undefined;
    shelf.beforeWrite = async () => {
      other = await answerTo(wire, call, sending);
    };
    const answer = await answerTo(wire, call, sending);
    expect(answer.kind).toBe('granted');
    expect(answer).toStrictEqual(other);
    expect(shelf.changes.length).toBe(1);
  });

  test('a decision that is a quarter of a second old is not carried out (soundness 5)', async () => {
    const shelf = new Shelf();
    const { wire, ask } = wireTo(shelf, 'one');
    shelf.beforeWrite = async () => {
      shelf.now += 251;
    };
    expect((await answerTo(wire, ask('acquire'))).kind).toBe('granted');
    const until = (shelf.changes[0]!.state as { state: { holder: { until: number } } }).state.holder.until;
    expect(until, 'decided again, by the time of the second look').toBe(shelf.now + 1000);
  });

  test('a clock that was set back meanwhile makes it decide again (soundness 5)', async () => {
    const shelf = new Shelf();
    const { wire, ask } = wireTo(shelf, 'one');
    shelf.beforeWrite = async () => {
      shelf.now -= 5;
    };
    expect((await answerTo(wire, ask('acquire'))).kind).toBe('granted');
    expect(shelf.changes.length).toBe(1);
  });

  test('no version is used twice, also after a change was lost (soundness 7)', async () => {
    const shelf = new Shelf();
    const { wire, ask } = wireTo(shelf, 'one');
    await wire.send(ask('acquire'));
    await wire.send(ask('release'));
    const lost = shelf.changes.at(-1)!.version;
    shelf.loseLast();
    const other = wireTo(shelf, 'other');
    shelf.now += 2000;
    expect((await answerTo(other.wire, other.ask('acquire'))).kind).toBe('granted');
    expect(shelf.changes.at(-1)!.version).not.toBe(lost);
    // The client that still believes in the lost change decides on nothing that is there.
    const stale = {
      ...shelf.changes.at(-1)!,
      expected: lost,
      version: 'stale',
      notBefore: 0,
      notAfter: Infinity,
    };
    expect((await shelf.write(stale)).instead).toBeTruthy();
    expect(new Set(shelf.changes.map(({ version }) => version)).size).toBe(shelf.changes.length);
  });

  test('an answer that changes nothing writes nothing', async () => {
    const shelf = new Shelf();
    const [one, other] = [wireTo(shelf, 'one'), wireTo(shelf, 'other')];
    await one.wire.send(one.ask('acquire'));
    await other.wire.send(other.ask('acquire'));
    const written = shelf.changes.length;
    expect((await answerTo(other.wire, other.ask('acquire'))).kind).toBe('busy');
    expect(shelf.changes.length).toBe(written);
  });

  test('a record may go when only its fence matters, and not before the retention is over (soundness 8)', async () => {
    const shelf = new Shelf();
    const { wire, ask } = wireTo(shelf, 'one');
    await wire.send(ask('acquire', { leaseMs: 3 * 60 * 60 * 1000 }));
    expect(shelf.changes.at(-1)!.ttlMs, 'held for longer than is foreseen').toBe(Infinity);
    await wire.send(ask('release'));
    expect(shelf.changes.at(-1)!.ttlMs >= RETENTION_MS).toBeTruthy();
    expect(Number.isFinite(shelf.changes.at(-1)!.ttlMs)).toBeTruthy();
  });
});
