import { assemble } from '../../kernels/assemble.ts';
import { openContext } from '../../kernels/context.ts';
import { OptimisticCells } from '../../kernels/cells/optimistic-cells.ts';
import { ReliableCells } from '../../kernels/cells/reliable-cells.ts';
import { remoteProtocols } from '../../kernels/cells/remote-protocols.ts';
import { systemClock, systemRandom } from '../../core/time/clock.ts';
import type { Clock, Random } from '../../spi/clock.ts';
import type { Synchronizers } from '../../spi/synchronizers.ts';
import type { Traits } from '../../spi/engine/traits.ts';
import { Scripts } from './requests/scripts.ts';
import { CellDocuments } from './cells/cell-documents.ts';
import { Channels } from './messages/channels.ts';
import type { RedisDriver } from './driver.ts';
import { EvictionCheck } from './diagnostics/eviction-check.ts';
import { fairLockForm } from './locks/fair-lock-form.ts';
import { Keys } from './keys.ts';
import { latchProtocol } from './locks/latch-protocol.ts';
import { lockProtocol } from './locks/lock-protocol.ts';
import { RedisAnnouncements } from './inspector/redis-announcements.ts';
import { OwnConnections } from './own-connections.ts';
import { permitsProtocol } from './locks/permits-protocol.ts';
import { plainLockForm } from './locks/plain-lock-form.ts';
import { PubSubMode } from './messages/pub-sub-mode.ts';
import { readWriteLockProtocol } from './locks/read-write-lock-protocol.ts';
import { type RedisExtras, redisExtras } from './redis-extras.ts';
import { checkedSettings, checkOptions, type RedisSettings } from './redis-options.ts';
import { renewAfterReconnect } from './requests/renew-after-reconnect.ts';

/**
 * How long a Java waiter may be without a listener before the line passes over it. A Java waiter joins the line before it
 * subscribes, and may lose its connection for messages: 10 s is longer than either lasts (Redisson gives a subscription
 * 7.5 s), and much shorter than the five minutes that a dead waiter would keep its place.
 */
const FOREIGN_ABSENT_MS = 10_000;

export const redisTraits = {
  wakeUp: 'push',
  clock: 'server',
  crash: 'lease',
  waiters: {
    lock: 'process',
    readWriteLock: 'process',
    semaphore: 'process',
    permitSemaphore: 'process',
    springLock: 'process',
    bareSemaphore: 'process',
    others: 'fleet',
  },
  permitOrder: 'client',
  keyspace: 'shared',
  leaseGranularityMs: 1,
  scope: 'fleet',
} as const satisfies Traits;

/**
 * Opens the engine over a driver, and closes the driver with the engine.
 *
 * The engine has no sessions (decision 14). Every hold and every ticket in Redis ends by its own time, so no death has to be
 * proven: a session record for each client would be one more thing to renew and to lose, and in a cluster it would lie in
 * another slot than the holds that depend on it.
 */
export function openEngine(
  driver: RedisDriver,
  options: RedisSettings,
  surroundings: { readonly clock: Clock; readonly random: Random } = {
    clock: systemClock,
    random: systemRandom,
  },
): Synchronizers & RedisExtras & { readonly traits: typeof redisTraits } {
  checkOptions(options);
  const settings = checkedSettings(options);
  const context = openContext({ engine: 'redis', options, ...surroundings });
  const { client } = context;
  const { commandTimeoutMs, fenceRetentionMs, fairLockWaitMs } = settings;
  const inCluster = driver.topology === 'cluster';
  const keys = new Keys(settings.keyPrefix);
  const confirming = settings.replicas && new OwnConnections(driver, settings.replicas);
  const onFirstUse = () => new EvictionCheck(client, driver).schedule();
  const scripts = new Scripts({ client, driver, commandTimeoutMs, confirming, onFirstUse });
  const channels = new Channels({
    client,
    open: (events) => driver.openSubscriber(events),
    // Less than a command has: a waiter without a subscription polls, and must not report that the server is silent.
    patienceMs: commandTimeoutMs / 2,
  });
  const stopRenewing = renewAfterReconnect(client, driver);
  const pubSub = new PubSubMode({
    driver,
    option: settings.pubSub,
    clock: client.clock,
    timeoutMs: commandTimeoutMs,
  });
  const parts = {
    client,
    scripts,
    channels,
    keys,
    pubSub,
    fenceRetentionMs,
    fairLockWaitMs,
    // A server of a cluster does not know the listeners at the other servers.
    foreignAbsentMs: inCluster ? 0 : FOREIGN_ABSENT_MS,
  };
  const documents = new CellDocuments(parts, confirming !== undefined);
  const optimistic = new OptimisticCells(client, documents, scripts.times);
  const cells = new ReliableCells(client, context.session, optimistic, { commandTimeoutMs });
  const protocols = {
    ...remoteProtocols(cells),
    // The kinds that Redisson has, in its layout.
    lock: lockProtocol(parts, plainLockForm(parts)),
    fairLock: lockProtocol(parts, fairLockForm(parts)),
    readWriteLock: readWriteLockProtocol(parts),
    semaphore: permitsProtocol(parts, 'semaphore'),
    permitSemaphore: permitsProtocol(parts, 'permitSemaphore'),
    latch: latchProtocol(parts),
  };
  const engine = assemble(context, {
    traits: redisTraits,
    protocols,
    announcements: new RedisAnnouncements({ driver, keys }),
    checkName: inCluster ? (kind, name, subject) => keys.checkOneSlot(kind, name, subject) : undefined,
    whenClosed: async () => {
      // In parallel: a connection that is still opening may end only when the driver closes.
      const closing = [stopRenewing, () => channels.close(), () => scripts.close()];
      await Promise.allSettled([
        ...closing.map(async (close) => close()),
        confirming?.close(),
        driver.close(),
      ]);
    },
  });
  return { ...engine, ...redisExtras(parts, protocols, commandTimeoutMs) };
}
