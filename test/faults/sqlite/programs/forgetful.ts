// Forgets some of its holds and only seems to forget others, collects garbage, and tells what became of each.
import { memory } from '../../../../src/engines/memory/index.ts';
import { sqlite } from '../../../../src/engines/sqlite/index.ts';
import type { Hold } from '../../../../src/index.ts';
import { asked, plan, tell } from '../../redis/programs/tell.ts';

interface Plan {
  /** None: in memory. */
  readonly file?: string;
  readonly renewalLeaseMs: number;
}

const { file, renewalLeaseMs } = plan() as Plan;
const locks = file === undefined ? memory({ renewalLeaseMs }) : sqlite({ file, renewalLeaseMs });
const { gc } = globalThis;
if (gc === undefined) throw new Error('This program needs --expose-gc.');
const collect = gc;
process.on('warning', (warning: Error & { code?: string }) =>
  tell('warned', { code: warning.code, message: warning.message }),
);

const renewals = new Map<string, number>();
locks.on('renew', ({ name }) => void renewals.set(name, (renewals.get(name) ?? 0) + 1));
const released: string[] = [];
locks.on('release', ({ name }) => void released.push(name));

/** What is taken in here is out of reach when it returns. */
async function forget(taking: () => Promise<unknown>): Promise<void> {
  await taking();
}

/** Until the keeper has renewed each of them twice more, with collections in between. */
async function renewTwice(names: readonly string[]): Promise<void> {
  const before = names.map((name) => renewals.get(name) ?? 0);
  while (names.some((name, at) => (renewals.get(name) ?? 0) < before[at]! + 2)) await collectOnce();
}

function collectOnce(): Promise<void> {
  collect();
  return new Promise((resolve) => {
    setTimeout(resolve, 10);
  });
}

const semaphore = locks.semaphore('semaphore', { permits: 2 });
const permits = locks.permitSemaphore('permits', { permits: 2 });
const never = (): Promise<never> => new Promise<never>(() => undefined);

// On purpose, though no variable has some of them.
const kept: Hold = await locks.lock('kept').acquire();
const owner = locks.owner('me');
const signals: AbortSignal[] = [];
const ids: string[] = [];
await forget(() => locks.lock('owned').acquire({ owner }));
await forget(async () =>
  (await locks.lock('listened').acquire()).lost.addEventListener('abort', () =>
    tell('lost', { name: 'listened' }),
  ),
);
await forget(async () => signals.push(AbortSignal.any([(await locks.lock('composed').acquire()).lost])));
await forget(async () => ids.push((await permits.acquire()).id));
// The signal is read after the hold was registered.
await forget(async () => {
  const hold = await locks.lock('late').acquire();
  await renewTwice(['late']);
  hold.lost.addEventListener('abort', () => tell('lost', { name: 'late' }));
});
void locks.lock('running').run(never);
void semaphore.run(never);
void locks.monitor('monitor', { initial: 0 }).run(never);

await forget(() => locks.lock('forgotten').acquire());
await forget(() => locks.fairLock('fair').acquire());
await forget(() => locks.readWriteLock('shared').read.acquire());
await forget(() => semaphore.acquire());
await forget(() => locks.election('election').campaign());
await forget(() => locks.lock('nested').acquire({ owner: locks.owner('gone') }));
// A waiter of this process comes next.
const next = locks.lock('forgotten').acquire();

tell('begun');
const FORGOTTEN = ['forgotten', 'fair', 'shared', 'semaphore', 'election', 'nested'];
while (!FORGOTTEN.every((name) => released.includes(name))) await collectOnce();
await (await next).release();

const KEPT = ['kept', 'owned', 'listened', 'composed', 'late', 'running', 'semaphore', 'permits', 'monitor'];
await renewTwice(KEPT);
const held = [
  ...(await Promise.all(
    ['kept', 'owned', 'listened', 'composed', 'late', 'running'].map(async (name) =>
      (await locks.lock(name).isLocked()) ? [name] : [],
    ),
  )),
  (await semaphore.available()) === 1 ? ['semaphore'] : [],
  (await permits.available()) === 1 ? ['permits'] : [],
  (await locks.monitor('monitor', { initial: 0 }).isLocked()) ? ['monitor'] : [],
].flat();
tell('settled', {
  held,
  ids: ids.length,
  good: kept.remainingMs > 0 && signals.every((one) => !one.aborted),
});
await asked();
await locks.close();
tell('ended');
