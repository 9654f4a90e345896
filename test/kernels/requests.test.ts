import { expect, test } from 'vitest';
import { NotReadyError } from '../../src/core/failures/not-ready-error.ts';
import { Client } from '../../src/core/client.ts';
import { RequestCopies } from '../../src/kernels/requests/request-copies.ts';
import { Requests } from '../../src/kernels/requests/requests.ts';
import { EngineError } from '../../src/spi/errors.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

const COMMAND_TIMEOUT_MS = 1000;
const subject = { resource: 'latch "gate"', engine: 'scripted' };
const isReplica = new NotReadyError(
  new Error('READONLY'),
  (about) =>
    new EngineError(`${about.resource}: this server is a replica; nothing was done.`, about, {
      retryable: true,
    }),
  true,
);

/** Repeats a change until its time is over; each copy fails with the next of these, and with the last of them from then on. */
async function outcomeAfter(clock: VirtualClock, failures: readonly Error[]) {
  const random = { id: () => 'c'.repeat(32), fraction: () => 0.5 };
  const client = new Client({
    label: 'scripted',
    clock,
    random,
    renewalLeaseMs: 30_000,
    maxHoldMs: Infinity,
  });
  const requests = new Requests({ client, commandTimeoutMs: COMMAND_TIMEOUT_MS });
  const copies = new RequestCopies(true);
  let sent = 0;
  const send = (): Promise<never> => {
    const failure = failures[Math.min(sent++, failures.length - 1)]!;
    copies.leaves();
    if (failure instanceof NotReadyError) copies.cameToNothing();
    return Promise.reject(failure);
  };
  const since = clock.now();
  const error: unknown = await requests
    .repeat({ subject, send, copies }, requests.until(since))
    .catch((reason: unknown) => reason);
  requests.close();
  return { error, sent, tookMs: clock.now() - since, patienceMs: requests.patienceMs };
}

test('a store that gives the same lasting answer twice is asked no third time, and its answer is the outcome', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { error, sent } = await outcomeAfter(clock, [isReplica]);
    expect(String(error)).toMatch(/this server is a replica; nothing was done/);
    expect(sent).toBe(2);
  });
});

// The server that broke off may have carried out the first copy before another one took its place.
test('answers of a store that cannot do it now hide no earlier copy without an answer (soundness 3)', async () => {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const { error, tookMs, patienceMs } = await outcomeAfter(clock, [
      new Error('connection reset'),
      isReplica,
    ]);
    expect(String(error)).toMatch(/^EngineError: latch "gate": .*whether it happened is not known/);
    expect(tookMs).toBeGreaterThan(0.9 * patienceMs);
  });
});
