import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeBlocks, expectedOutput } from '../../../examples/code-blocks.ts';
import { pages, read, root, sources } from '../../../examples/documents.ts';
import { printedLines } from '../../../examples/printed-lines.ts';
import { describeZooKeeper } from '../../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../../fixtures/zookeeper/zookeeper-server.ts';

/** What stands in the examples: the port of a server that a user starts. */
const DOCUMENTED = '127.0.0.1:2181';

const blocks = [...pages, ...sources]
  .flatMap((path) => codeBlocks(path, read(path)))
  .filter(({ language, code }) => language === 'ts' && code.includes(DOCUMENTED));

describeZooKeeper('the examples that need a ZooKeeper', () => {
  let server!: ZooKeeperServer;
  const folder = join(root, '.build', `zookeeper-examples-${process.pid}`);
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    server = await startZooKeeper();
  }, 60_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await server?.stop();
  }, 60_000);

  test('are there', () => {
    expect(blocks.length).toBeGreaterThan(0);
  });

  test.each(blocks.map((block) => [block.at, block] as const))('%s', async (at, block) => {
    const file = join(folder, `${at.replaceAll(/[/:]/g, '_')}.ts`);
    writeFileSync(file, block.code.replaceAll(DOCUMENTED, server.address));
    expect(await printedLines(file)).toEqual(expectedOutput(block));
  });
});
