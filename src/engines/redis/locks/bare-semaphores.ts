import { subjectOf } from '../../../core/arguments.ts';
import { createSemaphoreOfKind } from '../../../synchronizers/semaphores/semaphore.ts';
import type { Semaphore } from '../../../spi/synchronizers.ts';
import { bareSemaphoreProtocol } from './bare-semaphore-protocol.ts';
import type { RedisContext } from '../redis-context.ts';

/** Redisson's `RSemaphore` of this name: a number without owners and without leases. */
export type BareSemaphoreFactory = (name: string, options: { readonly permits: number }) => Semaphore;

const kind = 'bareSemaphore';

export function bareSemaphores(parts: RedisContext): BareSemaphoreFactory {
  const { scripts, client, keys } = parts;
  const protocol = bareSemaphoreProtocol(parts);
  const inCluster = scripts.driver.topology === 'cluster';
  return (name, options) => {
    const semaphore = createSemaphoreOfKind(client, protocol, kind, name, options);
    if (inCluster) keys.checkOneSlot(kind, name, subjectOf(kind, name, client.label));
    return semaphore;
  };
}
