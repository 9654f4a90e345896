import { asPromise } from '../../spi/maybe-async.ts';
import { type ProtocolTraits, protocolTraits } from '../../spi/engine/protocol-traits.ts';
import type { HoldingProtocol, Renewal, RenewalOutcome } from '../../spi/engine/protocol.ts';
import type { LineName } from '../../spi/engine/ticket-line.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { Busy, Granted, Renewed } from '../../spi/verbs/holding.ts';
import type {
  SemaphoreAsk,
  SemaphoreLook,
  SemaphoreVerbs,
  TotalMismatch,
} from '../../spi/verbs/semaphore.ts';
import type { LineContext } from './line-context.ts';
import { lineTraits } from './line-traits.ts';
import { semaphoreLine } from './semaphore-line.ts';

/** What a store can do with a ticket that is to outlive the session of its client. */
export interface TicketLeases {
  /** From now on this ticket ends by itself: not sooner than so long from now, nor than it was to end before, and not with a session. */
  bind(line: LineName, id: OwnerId, leaseMs: number): Promise<'bound' | 'absent'>;
}

const KIND = 'permitSemaphore';

/**
 * K of N as one line, whose tickets end with the session of their client while they wait, and by a lease of their own once their owner is
 * in: another process may have the id of a permit, and use it when the one that took it has gone.
 *
 * The tempting alternative joins with that lease. It would run while the owner waits.
 */
export function permitLine(
  context: LineContext,
  leases: TicketLeases,
): HoldingProtocol<SemaphoreVerbs, SemaphoreLook> {
  const { acquire, release, ...line } = semaphoreLine(context, KIND);
  const traits: ProtocolTraits = protocolTraits({ ...lineTraits(context), clientEndsLeases: false });

  const grant = async (name: string, ask: SemaphoreAsk): Promise<Granted | Busy | TotalMismatch> => {
    const attempt = await acquire(name, ask);
    if (attempt.kind !== 'granted') return attempt;
    if ((await leases.bind({ kind: KIND, name }, ask.owner, ask.leaseMs)) === 'bound') return attempt;
    // Taken away before it was bound: the owner joins again.
    await release(name, ask);
    return { kind: 'busy', againInMs: 0 };
  };

  // A program that was handed the id of a permit may have no session yet: nothing that it does with the id asks for a ticket.
  const renew = async (name: string, id: OwnerId, leaseMs: number): Promise<Renewed> => {
    await context.session.open();
    const bound = await leases.bind({ kind: KIND, name }, id, leaseMs);
    return bound === 'bound' ? { kind: 'renewed', remainingMs: leaseMs } : { kind: 'gone' };
  };

  return {
    ...line,
    traits,
    acquire: grant,
    // By its id also a permit is released that this client looks after no more, or another one has taken.
    release: async (name, ask) => {
      await context.session.open();
      const released = await asPromise(release(name, ask));
      if (released.kind === 'released') return released;
      const left = await context.tickets.leave({ kind: KIND, name }, ask.owner);
      return left === 'left' ? { kind: 'released', others: 0 } : released;
    },
    renew: (name, { owner, leaseMs }) => renew(name, owner, leaseMs),
    renewMany: (renewals: readonly Renewal<{ readonly owner: OwnerId; readonly leaseMs: number }>[]) =>
      Promise.all(
        renewals.map(({ name, ask: { owner, leaseMs } }) =>
          renew(name, owner, leaseMs).catch((error: unknown): RenewalOutcome => ({ kind: 'failed', error })),
        ),
      ),
  };
}
