import { exclusiveLine } from '../../rules/line.ts';
import type { UnraisedLockProtocol } from '../../spi/engine/protocols.ts';
import type { LockAsk } from '../../spi/verbs/lock.ts';
import type { LineContext } from './line-context.ts';
import { blockFence } from './line-fence.ts';
import { LineProtocol } from './line-protocol.ts';
import { lineView } from './line-view.ts';
import { lineVerbs } from './line-verbs.ts';

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
    ...lineVerbs(context, line),
    force: async (name, ask) => line.force(name, (await seen(name)).holders, ask),
    look: async (name) => {
      const { holders, waiting } = await seen(name);
      return { holder: holders[0]?.view, waiters: waiting.length, line: lineView(waiting) };
    },
  };
}
