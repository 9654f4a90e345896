import assert from 'node:assert/strict';
import { test } from 'vitest';
import { WaitQueues } from '../../../src/engines/redis/locks/wait-queues.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const LEASE_MS = 1000;

test('what a single attempt was owed in an outage is forgotten when it fails', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const lines = new WaitQueues(clock);
    assert.equal(lines.mayAsk('x', 'once', false), true);
    await assert.rejects(lines.answerTo('x', Promise.reject(new Error('no answer'))));
    await clock.sleep(60_000);
    assert.equal(lines.mayAsk('x', 'head', true), true);
    assert.equal(lines.mayAsk('x', 'behind', true), false);
    const owed = (): number | undefined => lines.behindFirst('x', LEASE_MS).behind?.owedSince();
    assert.equal(owed(), undefined);
    const asking = lines.answerTo('x', clock.sleep(10));
    assert.equal(owed(), clock.now());
    await asking;
    assert.equal(owed(), undefined);
  });
});

test('what the first of a line is owed counts on for those behind when it fails', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const lines = new WaitQueues(clock);
    lines.mayAsk('x', 'head', true);
    lines.mayAsk('x', 'behind', true);
    const since = clock.now();
    await assert.rejects(lines.answerTo('x', Promise.reject(new Error('no answer'))));
    await clock.sleep(100);
    assert.equal(lines.behindFirst('x', LEASE_MS).behind?.owedSince(), since);
  });
});
