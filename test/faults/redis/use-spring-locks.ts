import type { RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import type { Company } from '../../fixtures/every-synchronizer.ts';

const IMPATIENCE_MS = 20;

/** Uses a lock of each type of Spring's registry, with waiters of each kind. Answers one handled promise for each use. */
export function useSpringLocks({
  subject,
  rival,
  sleep,
  prefix,
}: Company<RedisSynchronizers>): readonly Promise<unknown>[] {
  const uses: Promise<unknown>[] = [];
  const use = (body: () => Promise<unknown>): void => {
    uses.push(body().catch(() => undefined));
  };
  for (const type of ['spin', 'pubSub'] as const) {
    // The tag keeps the lock, its companions and its channel in one slot of a cluster.
    const lockOf = (locks: RedisSynchronizers) =>
      locks.springLock(`${prefix}${type}`, `{${prefix}${type}}`, { type });
    const lock = lockOf(subject);
    use(async () => {
      const hold = await lockOf(rival).acquire();
      use(() => lock.acquire({ timeoutMs: IMPATIENCE_MS }).then((late) => late.release()));
      use(() => lock.acquire().then((first) => first.release()));
      use(() => lock.run((inside) => inside.extend(70_000)));
      use(() => lock.tryAcquire());
      use(() => lock.holder());
      await sleep(IMPATIENCE_MS / 2);
      await hold.release();
    });
  }
  return uses;
}
