import { connect } from 'holdfast';
import { expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { startExample } from './start-example.ts';

const HOUR_MS = 60 * 60_000;

describeRedis('a job once a period', () => {
  async function runs(count: number, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const pods = Array.from({ length: count }, () => startExample('cron-once-a-period', [], env).ended);
    const ends = await Promise.all(pods);
    expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      ends.map(() => ({ code: 0, stderr: '' })),
    );
    return ends.map(({ stdout }) => stdout.split(/[ :]/)[0]!).toSorted();
  }

  test('one of five processes runs it, and a late one does not run it again', async () => {
    await using server = await startRedisServer();
    const env = { HOLDFAST_URL: server.url, PERIOD_MS: String(HOUR_MS) };
    expect(await runs(5, env)).toEqual(['ran', 'skipped', 'skipped', 'skipped', 'skipped']);
    // All five have ended, and closed what they had.
    expect(await runs(1, env)).toEqual(['skipped']);
  });

  test('it runs again in the next period', async () => {
    await using server = await startRedisServer();
    await using locks = await connect(server.url);
    const env = { HOLDFAST_URL: server.url, PERIOD_MS: '1500' };
    expect(await runs(1, env)).toEqual(['ran']);
    await waitFor('the period is over', async () => !(await locks.lock('report').isLocked()));
    expect(await runs(1, env)).toEqual(['ran']);
  });
});
