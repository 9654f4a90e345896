import { permitsLine } from '../../rules/line.ts';
import type { HoldingProtocol } from '../../spi/engine/protocol.ts';
import type { LineTicket } from '../../spi/engine/ticket-line.ts';
import type { SemaphoreAsk, SemaphoreLook, SemaphoreVerbs } from '../../spi/verbs/semaphore.ts';
import type { LineContext } from './line-context.ts';
import { plainFence } from './line-fence.ts';
import { LineProtocol } from './line-protocol.ts';
import { lineView } from './line-view.ts';
import { lineVerbs } from './line-verbs.ts';

/** Of how many permits the first ticket says that it is. Without a number in the tickets no look knows who is in. */
function totalOf(tickets: readonly LineTicket[]): number | undefined {
  return tickets.find(({ total }) => total !== undefined)?.total;
}

/** K of N as one line: each ticket says how many permits it takes, of how many. */
export function semaphoreLine(
  context: LineContext,
  kind: 'semaphore' | 'permitSemaphore' = 'semaphore',
): HoldingProtocol<SemaphoreVerbs, SemaphoreLook> {
  const line = new LineProtocol<SemaphoreAsk>(context, {
    kind,
    excludes: false,
    rule: ({ total }) => permitsLine(total),
    claim: ({ permits, total }) => ({ permits, total, fences: 1, value: null }),
    fence: plainFence,
  });
  return {
    ...lineVerbs(context, line),
    acquire: (name, ask) => line.acquire(name, ask),
    look: async (name) => {
      const { holders, waiting } = await line.look(name, (tickets) =>
        permitsLine(totalOf(tickets) ?? Infinity),
      );
      const held = holders.map(({ ticket, view }) => ({ ...view, permits: ticket.permits ?? 1 }));
      return {
        total: totalOf(holders.map(({ ticket }) => ticket)),
        taken: held.reduce((sum, { permits }) => sum + permits, 0),
        holders: held,
        waiters: waiting.length,
        line: lineView(waiting.map((ticket) => ({ permits: 1, ...ticket }))),
      };
    },
  };
}
