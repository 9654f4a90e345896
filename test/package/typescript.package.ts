import { expect, test } from 'vitest';
import { Project } from './project.ts';

const USE = `import { connect, isHoldfastError, LeaseLostError, multiLock, quorumLock } from 'holdfast';
import type { Hold, Lock } from 'holdfast';
import { assemble, type Documents } from 'holdfast/engine';
import { memory } from 'holdfast/memory';
import { mysql } from 'holdfast/mysql';
import { postgres } from 'holdfast/postgres';
import { redis } from 'holdfast/redis';
import { sqlite } from 'holdfast/sqlite';
import { conformance } from 'holdfast/testing';
import { zookeeper } from 'holdfast/zookeeper';

export async function main(): Promise<string> {
  const locks = memory();
  const lock: Lock = locks.lock('a');
  const hold: Hold = await lock.acquire({ timeoutMs: 100 });
  const fence: bigint = hold.fence;
  await hold.release();
  const answer: string = await multiLock([locks.lock('a'), locks.lock('b')]).run(() => 'both');
  // @ts-expect-error: there is no such option
  await lock.acquire({ timeout: 5 }).catch((error: unknown) => isHoldfastError(error) && error.code);
  // @ts-expect-error: ZooKeeper has no permit semaphore
  const lacks = async () => (await connect('zookeeper://h')).permitSemaphore('a');
  await locks.close();
  const functions = [lacks, quorumLock, LeaseLostError, assemble, mysql, postgres, redis, sqlite, conformance, zookeeper];
  return [answer, typeof fence, ...new Set(functions.map((one) => typeof one))].join(' ');
}
export type Mine = Documents;
void main().then(console.log);
`;

/** Each major release, the first that is supported, and the first that knows the condition `module-sync`. */
const releases = { 'ts-5.0': '5.0.4', 'ts-5.8': '5.8.3', 'ts-6': '6.0.3', 'ts-7': '7.0.2' };

const project = new Project('typescript', {
  '@types/node': '20.19.43',
  ...Object.fromEntries(
    Object.entries(releases).map(([name, version]) => [name, `npm:typescript@${version}`]),
  ),
});
for (const file of ['use.ts', 'use.mts', 'use.cts']) project.write(file, USE);

/** Resolves by `main` and `types` alone; TypeScript 7 has only ways that read `exports`. */
const classic = ['--module', 'commonjs', '--moduleResolution', 'node', '--esModuleInterop'];
const ways = [
  ...['ts-5.0', 'ts-5.8'].map((release) => ({ release, way: classic, files: ['use.ts'] })),
  ...['ts-6', 'ts-7'].map((release) => ({ release, way: ['--module', 'commonjs'], files: ['use.ts'] })),
  ...Object.keys(releases).flatMap((release) => [
    { release, way: ['--module', 'node16'], files: ['use.mts', 'use.cts'] },
    { release, way: ['--module', 'nodenext'], files: ['use.mts', 'use.cts'] },
    { release, way: ['--module', 'esnext', '--moduleResolution', 'bundler'], files: ['use.ts'] },
  ]),
].map((one) => ({ ...one, what: one.way.filter((word) => !word.startsWith('--')).join(' ') }));

// With every declaration checked, ours as well: few users do, and those must not be stopped.
test.each(ways)('$release compiles it as $what', async ({ release, way, files }) => {
  const strictly = ['--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--types', 'node'];
  const compiler = `node_modules/${release}/bin/tsc`;
  await project.node(compiler, ...strictly, ...way, '--outDir', 'out', ...files);
  // What a bundler is to read has imports that Node would take for CommonJS.
  if (way.includes('bundler')) return;
  for (const file of files)
    expect(await project.node(`out/${file.replace('ts', 'js')}`)).toBe('both bigint function\n');
});
