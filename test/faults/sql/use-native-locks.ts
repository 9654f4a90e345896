import type { Company } from '../../fixtures/every-synchronizer.ts';
import type { NativeEngine } from '../../engines/sql-native/native-engine.ts';

const IMPATIENCE_MS = 20;

/** Uses every lock that the database has itself, with waiters of each kind. Answers one handled promise for each use. */
export function useNativeLocks(
  engine: 'postgres' | 'mysql',
  { subject, rival, sleep, prefix }: Company<NativeEngine>,
): readonly Promise<unknown>[] {
  const uses: Promise<unknown>[] = [];
  const use = (body: () => Promise<unknown>): void => {
    uses.push(body().catch(() => undefined));
  };
  const ofConnections = (locks: NativeEngine) =>
    engine === 'postgres' ? locks.advisoryLock(`${prefix}session`) : locks.namedLock(`${prefix}session`);
  const ofTransactions = (locks: NativeEngine) =>
    engine === 'postgres'
      ? locks.advisoryLock(`${prefix}transaction`, { scope: 'transaction' })
      : locks.rowLock(`${prefix}transaction`);

  for (const lockOf of [ofConnections, (locks: NativeEngine) => locks.tableLock(`${prefix}table`)]) {
    const lock = lockOf(subject);
    use(async () => {
      const hold = await lockOf(rival).acquire();
      use(() => lock.acquire({ timeoutMs: IMPATIENCE_MS }).then((late) => late.release()));
      use(() => lock.acquire().then((first) => first.release()));
      use(() => lock.run(() => sleep(1)));
      use(() => lock.tryAcquire());
      await sleep(IMPATIENCE_MS / 2);
      await hold.release();
    });
  }
  for (const lockOf of [ofTransactions, (locks: NativeEngine) => locks.rowLock(`${prefix}row`)]) {
    const lock = lockOf(subject);
    use(() => lockOf(rival).run(() => sleep(IMPATIENCE_MS / 2)));
    use(() => lock.run(() => lock.run(() => sleep(1))));
    use(() => lock.run(() => undefined, { timeoutMs: IMPATIENCE_MS }));
  }
  return uses;
}
