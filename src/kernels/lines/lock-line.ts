import { exclusiveLine } from '../../rules/line.ts';
import type { UnraisedLockProtocol } from '../../spi/engine/protocols.ts';
import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { Busy, Granted } from '../../spi/verbs/holding.ts';
import type { LockAsk } from '../../spi/verbs/lock.ts';
import type { LineContext } from './line-context.ts';
import { blockFence } from './line-fence.ts';
import { LineProtocol } from './line-protocol.ts';
import { lineTraits } from './line-traits.ts';

/** A lock, plain or fair: both are a line, and differ in how the waiters of one process stand in it. */
export function lockLine(context: LineContext, kind: 'lock' | 'fairLock'): UnraisedLockProtocol {
  const line = new LineProtocol<LockAsk>(context, {
    kind,
    excludes: true,
    rule: () => exclusiveLine,
    claim: ({ fences }) => ({ fences, value: null }),
    fence: blockFence,
  });
  const seen = (name: string) => line.look(name, () => exclusiveLine);
  return {
    traits: lineTraits(context),
    // Only semaphores are refused for their number of permits.
    acquire: (name, ask) => line.acquire(name, ask) as MaybeAsync<Granted | Busy>,
    release: (name, ask) => line.release(name, ask),
    renew: (name, ask) => line.renew(name, ask),
    renewMany: (renewals) => line.renewMany(renewals),
    watch: (name, owner, heard) => line.watch(name, owner, heard),
    force: async (name, ask) => line.force(name, (await seen(name)).holders, ask),
    look: async (name) => {
      const { holders, waiting } = await seen(name);
      const places = waiting.map(({ id }) => ({ owner: id, lapsesInMs: Infinity }));
      return { holder: holders[0]?.view, waiters: waiting.length, line: places };
    },
  };
}
