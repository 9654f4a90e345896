import assert from 'node:assert/strict';
import { QuorumError, quorumLock } from '../../../index.ts';
import type { Bench } from '../../harness/bench.ts';
import { assertRejects } from '../../harness/coded-error.ts';
import { type Cases, needing } from '../../suites/suite.ts';
import { assertAllFree, type ComposedKinds } from './composed-cases.ts';
import { openThree } from './quorum-members.ts';

/** A quorum lock with members whose answer is late. */
export const lateMemberCases: Cases<ComposedKinds> = {
  'a member whose answer does not come is not waited for, and its grant is given back': needing(
    'loseNextReply',
    async (bench) => {
      const clients = await openThree(bench);
      const locks = clients.map((client, at) => client.lock(`${bench.name}-${at}`));
      const lock = quorumLock(locks, { memberTimeoutMs: bench.unit / 2 });
      // With the usual time limit: a first answer may take longer than half a unit.
      await quorumLock(locks).run(() => undefined);
      bench.loseNextReply(clients[2]!);
      const hold = await lock.acquire({ timeoutMs: 20 * bench.unit });
      hold.throwIfLost();
      await bench.until(async () => !(await locks[2]!.isLocked()));
      hold.throwIfLost();
      await hold.release();
      await assertAllFree({ locks });
    },
  ),

  'two members whose answers do not come are an error': needing('loseNextReply', async (bench) => {
    const clients = await openThree(bench);
    const locks = clients.map((client, at) => client.lock(`${bench.name}-${at}`));
    const patient = quorumLock(locks);
    await patient.run(() => undefined);
    for (const client of clients.slice(1)) bench.loseNextReply(client);
    const impatient = quorumLock(locks, { memberTimeoutMs: bench.unit / 2 });
    const error = await assertRejects(() => impatient.tryAcquire(), 'QUORUM');
    assert.ok(error instanceof QuorumError);
    const [first, ...others] = error.answers.map(({ answer }) => answer);
    assert.deepEqual(others, ['too-late', 'too-late']);
    // In real time a store may be late by itself.
    if (bench.time.exact || first !== 'too-late') assert.equal(first, 'granted');
    for (const one of locks) await bench.until(async () => !(await one.isLocked()));
    await patient.run((hold) => hold.throwIfLost());
  }),
};

/** A majority whose stores fall silent, and every way in which it is waited for. */
async function silenceThree(bench: Bench<ComposedKinds>) {
  const clients = await openThree(bench);
  const lock = quorumLock(clients.map((client, at) => client.lock(`${bench.name}-${at}`)));
  await lock.run(() => undefined);
  const speak = clients.map((client) => bench.silence(client));
  const waits = [
    (timeoutMs: number) => lock.acquire({ timeoutMs }),
    (timeoutMs: number) => lock.tryAcquire({ timeoutMs }),
    (timeoutMs: number) => lock.run(() => undefined, { timeoutMs }),
  ];
  return { lock, waits, speak: () => speak.forEach((each) => each()) };
}

/** That it ends as an outage does: what each member said, with its cause, and that it may work later. */
async function assertNoQuorum(ask: () => Promise<unknown>): Promise<void> {
  const error = await assertRejects(ask, 'QUORUM');
  assert.ok(error instanceof QuorumError);
  for (const { answer } of error.answers) assert.match(answer, /^(too-late|failed)$/);
  assert.equal(error.retryable, true);
  assert.ok(error.cause instanceof Error, 'has a cause');
}

/** A quorum lock whose members are all silent. */
export const silentMajorityCases: Cases<ComposedKinds> = {
  'members that do not answer are no contention, however often they are asked': needing(
    'silence',
    async (bench) => {
      const { lock, waits, speak } = await silenceThree(bench);
      const timeoutMs = bench.unit;
      for (const wait of waits) {
        const start = bench.time.now();
        await assertNoQuorum(() => wait(timeoutMs));
        bench.assertElapsed(start, timeoutMs);
      }
      // What was asked before is still not answered: that is no answer to this attempt either.
      await assertNoQuorum(() => lock.tryAcquire());
      speak();
    },
  ),

  'calls at the same time report an outage, each in its own time': needing('silence', async (bench) => {
    const { lock, waits, speak } = await silenceThree(bench);
    const timeoutMs = bench.unit;
    const start = bench.time.now();
    await Promise.all([...waits, ...waits].map((wait) => assertNoQuorum(() => wait(timeoutMs))));
    bench.assertElapsed(start, timeoutMs);
    await Promise.all([lock, lock].map((each) => assertNoQuorum(() => each.tryAcquire())));
    speak();
  }),
};
