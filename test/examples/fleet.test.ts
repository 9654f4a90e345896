import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import type { CliProcess } from '../cli/cli-process.ts';
import { startExample } from './start-example.ts';

const DEADLINE_MS = 45_000;

/** A folder for what the demo writes, and the demo. */
function start(...words: readonly string[]): { readonly demo: CliProcess; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-fleet-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { demo: startExample('fleet/index', words, { TMPDIR: folder }), folder };
}

const printedBy = (demo: CliProcess, line: RegExp) =>
  waitFor(`the demo prints ${line}`, () => line.exec(demo.stdout), DEADLINE_MS).catch((error: unknown) => {
    throw new Error(demo.stdout + demo.stderr, { cause: error });
  });

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function listens(port: number): Promise<boolean> {
  const socket = connectSocket(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** The processes that the demo names, its Redis and the folder of that. */
async function expectNothingLeft(stdout: string, folder: string): Promise<void> {
  const pids = [...stdout.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));
  const ports = [...stdout.matchAll(/(?:redis|http):\/\/127\.0\.0\.1:(\d+)/g)].map(([, port]) =>
    Number(port),
  );
  expect(pids.length).toBeGreaterThanOrEqual(5);
  await waitFor('no worker runs', () => !pids.some(isRunning), DEADLINE_MS);
  for (const port of ports)
    await waitFor(`no program listens on ${port}`, async () => !(await listens(port)), DEADLINE_MS);
  await waitFor('the folder of Redis is gone', () => readdirSync(folder).length === 0, DEADLINE_MS);
}

describeRedis('the fleet of npm run demo', () => {
  test(
    'takes over what a killed worker held, works on, and leaves nothing behind on Ctrl-C',
    async () => {
      const { demo, folder } = start('--kill-every', '2');
      // Of a command line that has it.
      const [, dashboard] = await printedBy(demo, /Dashboard: (\S+)|No dashboard/);
      const status = dashboard === undefined ? 200 : (await fetch(dashboard)).status;
      expect(status).toBe(200);
      const [, killed] = await printedBy(demo, /(worker-\d+) is killed, and held dispatcher/);
      const [, next, after] = await printedBy(
        demo,
        new RegExp(
          `(worker-\\d+) takes over dispatcher from ${killed}, (.+) s after the kill, with a higher fence`,
        ),
      );
      expect(next).not.toBe(killed);
      expect(Number(after)).toBeGreaterThan(0);
      await printedBy(demo, new RegExp(`leader: ${next}`));
      const servedThen = Number(
        demo.stdout
          .match(/(\d+) customers served/g)
          ?.at(-1)
          ?.split(' ')[0],
      );
      const served = () =>
        [...demo.stdout.matchAll(/(\d+) customers served/g)].map(([, count]) => Number(count));
      await waitFor('the others work on', () => Math.max(...served()) > servedThen, DEADLINE_MS);
      await printedBy(demo, /writes the report of/);
      demo.kill('SIGINT');
      const { code, stdout, stderr } = await demo.ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/, 0 faults\. Nothing is left\.\n$/);
      await expectNothingLeft(stdout, folder);
    },
    4 * DEADLINE_MS,
  );

  // The race that no handler of the demo can win: it is killed itself.
  test(
    'leaves nothing behind when the demo itself is killed',
    async () => {
      const { demo, folder } = start();
      await printedBy(demo, /worker-5 starts/);
      await printedBy(demo, /leads/);
      demo.kill('SIGKILL');
      const { signal, stdout } = await demo.ended;
      expect(signal).toBe('SIGKILL');
      await expectNothingLeft(stdout, folder);
    },
    4 * DEADLINE_MS,
  );
});
