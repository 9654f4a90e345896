import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { startPostgres } from '../fixtures/sql/postgres-server.ts';
import { describeWith } from '../fixtures/sql/sql-binaries.ts';
import { codeBlocks, expectedOutput } from './code-blocks.ts';
import { pages, read, root } from './documents.ts';
import { printedLines } from './printed-lines.ts';

/** What a block says after its language, and what stands in it: the address of a server that a user starts, here of this test. */
const servers = [
  {
    remark: 'on-redis',
    documented: 'redis://localhost:6379',
    describe: describeRedis,
    start: startRedisServer,
  },
  {
    remark: 'on-postgres',
    documented: 'postgres://localhost/shop',
    describe: describeWith('postgres'),
    start: startPostgres,
  },
];

const blocks = pages.flatMap((path) => codeBlocks(path, read(path)));

const folder = join(root, '.build', `server-blocks-${process.pid}`);
beforeAll(() => void mkdirSync(folder, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(servers)('$remark', ({ remark: wanted, documented, describe: describeHere, start }) => {
  const own = blocks.filter(({ remark }) => remark === wanted);

  describeHere('runs the examples that need it', () => {
    let server: { readonly url: string; stop(): Promise<void> };
    beforeAll(async () => {
      server = await start();
    }, 60_000);
    afterAll(() => server.stop(), 60_000);

    test('of which there are some, and each has its address', () => {
      expect(own.length).toBeGreaterThan(0);
      expect(own.filter(({ code }) => !code.includes(documented)).map(({ at }) => at)).toEqual([]);
    });

    test.each(own.map((block) => [block.at, block] as const))(
      '%s',
      async (at, block) => {
        const file = join(folder, `${at.replaceAll(/[/:]/g, '_')}.ts`);
        writeFileSync(file, block.code.replaceAll(documented, server.url));
        expect(await printedLines(file)).toEqual(expectedOutput(block));
      },
      120_000,
    );
  });
});
