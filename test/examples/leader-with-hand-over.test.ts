import { connect } from 'holdfast';
import { expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import type { CliProcess } from '../cli/cli-process.ts';
import { startExample } from './start-example.ts';

/** A leader that says nothing is replaced after its lease of 30 s. A hand-over that takes less than this is none of that kind. */
const AT_ONCE_MS = 5_000;
const LEADS = 'leads with fence';

describeRedis('a leader that hands over', () => {
  test('the next process leads at once after SIGTERM, and the last one leaves no leader', async () => {
    await using server = await startRedisServer();
    await using locks = await connect(server.url);
    const election = locks.election('scheduler');
    const start = () => startExample('leader-with-hand-over', [], { HOLDFAST_URL: server.url });
    let others: readonly CliProcess[] = [start(), start(), start()];
    let count = 0;
    for (; others.length > 0; count++) {
      const patience = count === 0 ? undefined : AT_ONCE_MS;
      const probe = () => others.find(({ stdout }) => stdout.includes(LEADS));
      const leader = await waitFor('one of them leads', probe, patience);
      others = others.filter((each) => each !== leader);
      await waitFor('the others are candidates', async () => (await election.candidates()) === others.length);
      expect(others.filter(({ stdout }) => stdout.includes(LEADS))).toEqual([]);
      leader.kill('SIGTERM');
      expect(await leader.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    }
    expect(count).toBe(3);
    expect(await election.leader()).toBe(null);
  });
});
