import { describe, expect, test } from 'vitest';
import type { DocumentChange } from '../../../src/spi/engine/documents.ts';
import type { Database } from './databases.ts';
import type { Ground } from './ground.ts';

const state = (value: string): unknown => ({ state: { value }, clients: [] });
/** Much more than a statement takes. */
const SOON_MS = 60_000;

export function guardCases(database: Database, ground: () => Ground): void {
  describe.each(database.clients)('a change of a row, with %s', (client) => {
    test('happens on the version and at the time that it was decided for, and at no other (soundness 5, 7)', async () => {
      const { server } = ground();
      await using locks = database.open(server.url, { client, tablePrefix: `guarded by ${client} ` });
      const { documents, client: own } = locks.inside;
      const now = await documents.time('lock', 'a');
      const change = (more: Partial<DocumentChange>): DocumentChange => ({
        kind: 'lock',
        name: 'a',
        verb: 'acquire',
        before: undefined,
        expected: undefined,
        version: own.random.id(),
        state: state('first'),
        notBefore: now - SOON_MS,
        notAfter: now + SOON_MS,
        ttlMs: Infinity,
        wake: 'none',
        mayBeLost: false,
        ...more,
      });
      const there = async (): Promise<string | undefined> => (await documents.read('lock', 'a')).version;
      const refuses = async (more: Partial<DocumentChange>, why: string): Promise<void> => {
        const before = await there();
        const { instead } = await documents.write(change(more));
        expect.assert(instead, `${why}: refused`);
        expect(instead.version, `${why}: told what is there`).toBe(before);
        expect(await there(), `${why}: left as it was`).toBe(before);
      };
      await refuses({ notAfter: now }, 'a first one that is late');
      await refuses({ notBefore: now + SOON_MS }, 'a first one before its time');
      const first = change({});
      expect((await documents.write(first)).instead).toBe(undefined);
      await refuses({}, 'a second first one');
      await refuses({ expected: own.random.id() }, 'on another version');
      await refuses({ expected: first.version, notAfter: now }, 'late');
      await refuses({ expected: first.version, notBefore: now + SOON_MS }, 'before its time');
      const second = change({ expected: first.version, state: state('second') });
      expect((await documents.write(second)).instead).toBe(undefined);
      expect((await documents.write(second)).instead, 'a copy finds that it has happened').toBe(undefined);
      const found = await documents.read('lock', 'a');
      expect(found.state).toStrictEqual(state('second'));
      expect.assert(found.now >= now && found.changedAt! >= now);
    });

    test('is made alone by a caller that may not be made to wait (soundness 21)', async () => {
      const { server } = ground();
      await using locks = database.open(server.url, { client, tablePrefix: `alone by ${client} ` });
      const { documents, client: own } = locks.inside;
      const now = await documents.time('lock', 'a');
      const change = (expected: string | undefined): DocumentChange => ({
        kind: 'lock',
        name: 'a',
        verb: 'acquire',
        before: undefined,
        expected,
        version: own.random.id(),
        state: state('by a client'),
        notBefore: now - SOON_MS,
        notAfter: now + SOON_MS,
        ttlMs: Infinity,
        wake: 'none',
        mayBeLost: false,
      });
      await documents.write(change(undefined));
      // Every client writes on what was there before, for as long as one has the row for itself.
      const order: string[] = [];
      const alone = documents.exclusively!('lock', 'a', (found) => {
        order.push('decided');
        return { change: change(found.version), answer: () => order.push('answered') };
      });
      await alone;
      expect(order).toStrictEqual(['decided', 'answered']);
      const racing = await Promise.all(
        Array.from({ length: 10 }, () =>
          documents.exclusively!('lock', 'a', (found) => {
            const made = change(found.version);
            return { change: made, answer: () => ({ on: found.version, made: made.version }) };
          }),
        ),
      );
      const made = new Map(racing.map((one) => [one.on, one.made]));
      expect(made.size, 'no two were decided on the same version').toBe(10);
    });
  });
}
