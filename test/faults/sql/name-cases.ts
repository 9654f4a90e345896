import { describe, expect, test } from 'vitest';
import type { Synchronizers } from '../../../src/index.ts';
import type { Database } from './databases.ts';
import type { Ground } from './ground.ts';

/** Uses one of each kind by this name. */
export const uses: Readonly<Record<string, (locks: Synchronizers, name: string) => Promise<unknown>>> = {
  lock: (locks, name) => locks.lock(name).run(() => undefined),
  fairLock: (locks, name) => locks.fairLock(name).run(() => undefined),
  readLock: (locks, name) => locks.readWriteLock(name).read.run(() => undefined),
  writeLock: (locks, name) => locks.readWriteLock(name).write.run(() => undefined),
  semaphore: (locks, name) => locks.semaphore(name, { permits: 2 }).run(() => undefined),
  permitSemaphore: (locks, name) => locks.permitSemaphore(name, { permits: 2 }).run(() => undefined),
  latch: async (locks, name) => {
    await locks.latch(name).trySetCount(1);
    return locks.latch(name).countDown();
  },
  barrier: (locks, name) => locks.barrier(name, { parties: 1 }).arrive(),
  election: async (locks, name) => (await locks.election(name).campaign()).resign(),
  monitor: (locks, name) => locks.monitor(name, { initial: 'ä "0" \\' }).run((m) => m.set(`${m.state}\n🔒`)),
};

const ODD = [
  `'; drop table holdfast_cells; --`,
  'quotes \' " ` and $1 ? :name %s',
  'back\\slash',
  'with\nlines\r\nand\ttabs',
  'case',
  'CASE',
  'caf\u00e9',
  'cafe\u0301',
  'trailing',
  'trailing ',
  'Größe 東京 🔒',
  'x'.repeat(512),
];

export function nameCases(database: Database, ground: () => Ground): void {
  describe('a name', () => {
    test.each(database.clients)(
      'of any well-formed text is its own, with %s',
      async (client) => {
        const { server } = ground();
        const prefix = `named by ${client} `;
        await using locks = database.open(server.url, { client, tablePrefix: prefix });
        await using other = database.open(server.url, { client, tablePrefix: prefix });
        for (const use of Object.values(uses)) await Promise.all(ODD.map((name) => use(locks, name)));
        // All of them at once, each waited for by a client that is notified by this name.
        const held = await Promise.all(ODD.map((name) => locks.lock(name).acquire({ timeoutMs: 30_000 })));
        expect(await Promise.all(ODD.map((name) => other.lock(name).tryAcquire()))).toStrictEqual(
          ODD.map(() => null),
        );
        const listed: string[] = [];
        for await (const { kind, name } of locks.inspector.list()) if (kind === 'lock') listed.push(name);
        expect(listed.toSorted()).toStrictEqual(ODD.toSorted());
        const waiting = ODD.map((name) => other.lock(name).run(({ fence }) => fence));
        for (const hold of held) await hold.release();
        const fences = await Promise.all(waiting);
        expect(fences.every((fence, at) => fence > held[at]!.fence)).toBeTruthy();
      },
      60_000,
    );

    test('of a table or schema is quoted', async () => {
      const { server, admin } = ground();
      const [schema, tablePrefix] = [`odd "schema" \``, `odd 'prefix' " \` `];
      await admin.pool.client.query(`create schema ${database.quote(schema)}`, []);
      await using locks = database.open(server.url, { schema, tablePrefix });
      await using other = database.open(server.url, { schema, tablePrefix });
      const hold = await locks.lock('a').acquire();
      const waiting = other.lock('a').run(({ fence }) => fence);
      await hold.release();
      expect((await waiting) > hold.fence).toBeTruthy();
      expect(await admin.lock('a').tryAcquire(), 'in other tables it is another lock').toBeTruthy();
    });
  });
}
