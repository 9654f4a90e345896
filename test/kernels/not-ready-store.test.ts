import { describe, expect, test } from 'vitest';
import { NotReadyError } from '../../src/core/failures/not-ready-error.ts';
import { silentStoreError } from '../../src/core/failures/silent-store.ts';
import { NoAnswerError } from '../../src/core/async/in-time.ts';
import { Requests } from '../../src/kernels/requests/requests.ts';
import { EngineError } from '../../src/spi/errors.ts';
import { newClient } from '../core/new-client.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

const commandTimeoutMs = 1000;
const subject = { resource: 'lock "a"', engine: 'test' };
const other = { resource: 'lock "b"', engine: 'test' };

const loading = new NotReadyError(new Error('LOADING'), (of, mayBeDone = false) => {
  const message = `${of.resource}: ${mayBeDone ? 'not known' : 'nothing'}`;
  return new EngineError(message, of, { retryable: true });
});

/** A request whose first copy failed with this, and which a store that is not ready refuses ever since. */
async function ask(first: Error, body: (said: (of?: typeof subject) => string) => Promise<void>) {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const client = newClient(clock);
    const requests = new Requests({ client, commandTimeoutMs });
    const copies = { wasSent: false, giveUp: () => undefined };
    const failed = (error: unknown): unknown => {
      copies.wasSent ||= error instanceof NoAnswerError;
      return error;
    };
    const request = { subject, copies, failed, send: () => Promise.reject(loading) };
    const outcome = requests.repeat(request, clock.now() + 2000, { error: first }).catch(String);
    await clock.sleep(500);
    await body((of = subject) => silentStoreError(client, of, 500).message);
    await outcome;
    // The next wait is about another request.
    expect(silentStoreError(client, subject, 500).message).toBe('lock "a": nothing');
    requests.close();
    await client.close();
  });
}

describe('a wait ends while the store refuses each copy of its request because it is not ready', () => {
  test('nothing was done if that was the answer to the first copy too', () =>
    ask(loading, async (said) => {
      expect(said()).toBe('lock "a": nothing');
    }));

  test('the outcome is open if an earlier copy was not answered, and only that of this lock', () =>
    ask(new NoAnswerError(commandTimeoutMs), async (said) => {
      expect([said(), said(other)]).toEqual(['lock "a": not known', 'lock "b": nothing']);
    }));
});
