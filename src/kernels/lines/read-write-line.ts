import { readWriteLine as rule } from '../../rules/line.ts';
import type { HoldingProtocol } from '../../spi/engine/protocol.ts';
import type { SeenTicket } from '../../spi/engine/ticket-line.ts';
import type {
  ReadWriteAsk,
  ReadWriteLockLook,
  ReadWriteLockVerbs,
  Side,
} from '../../spi/verbs/read-write-lock.ts';
import type { LineContext } from './line-context.ts';
import { plainFence } from './line-fence.ts';
import { LineProtocol } from './line-protocol.ts';
import { lineView } from './line-view.ts';
import { lineVerbs } from './line-verbs.ts';

function sideOf({ side = 'write' }: SeenTicket): Side {
  return side;
}

/** Readers and writers in one line, in the order in which they came: waiting writers are not starved by readers. */
export function readWriteLockLine(
  context: LineContext,
): HoldingProtocol<ReadWriteLockVerbs, ReadWriteLockLook> {
  const line = new LineProtocol<ReadWriteAsk>(context, {
    kind: 'readWriteLock',
    // A reader gets in behind other readers, so that a line that is not empty says nothing.
    excludes: false,
    rule: () => rule,
    claim: ({ side }) => ({ side, fences: 1, value: null }),
    fence: plainFence,
  });
  const seen = (name: string) => line.look(name, () => rule);
  return {
    ...lineVerbs(context, line),
    force: async (name, { side, ...ask }) => {
      const { holders } = await seen(name);
      return line.force(
        name,
        holders.filter(({ ticket }) => sideOf(ticket) === side),
        ask,
      );
    },
    look: async (name) => {
      const { holders, waiting } = await seen(name);
      const waits = (side: Side) => waiting.filter((ticket) => sideOf(ticket) === side).length;
      return {
        writer: holders.find(({ ticket }) => sideOf(ticket) === 'write')?.view,
        readers: holders.filter(({ ticket }) => sideOf(ticket) === 'read').map(({ view }) => view),
        waiters: { read: waits('read'), write: waits('write') },
        line: lineView(waiting.map((ticket) => ({ ...ticket, side: sideOf(ticket) }))),
      };
    },
  };
}
