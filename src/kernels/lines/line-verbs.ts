import type { Renewal, RenewalOutcome, Unwatch } from '../../spi/engine/protocol.ts';
import type { ProtocolTraits } from '../../spi/engine/protocol-traits.ts';
import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type {
  AcquireAsk,
  Busy,
  Granted,
  OwnerAsk,
  Released,
  RenewAsk,
  Renewed,
} from '../../spi/verbs/holding.ts';
import type { LineContext } from './line-context.ts';
import type { LineProtocol } from './line-protocol.ts';
import { lineTraits } from './line-traits.ts';

/** What every synchronizer of tickets leaves to its line. */
interface LineVerbs<Ask> {
  readonly traits: ProtocolTraits;
  acquire(name: string, ask: Ask): MaybeAsync<Granted | Busy>;
  release(name: string, ask: OwnerAsk): MaybeAsync<Released>;
  renew(name: string, ask: RenewAsk): Promise<Renewed>;
  renewMany(renewals: readonly Renewal<RenewAsk>[]): Promise<readonly RenewalOutcome[]>;
  watch(name: string, owner: OwnerId, heard: () => void): Unwatch;
}

/** The verbs of a line as a part of its protocol. A semaphore has an `acquire` of its own beside them. */
export function lineVerbs<Ask extends AcquireAsk>(
  context: LineContext,
  line: LineProtocol<Ask>,
): LineVerbs<Ask> {
  return {
    traits: lineTraits(context),
    // Only a semaphore is refused for its number of permits.
    acquire: (name, ask) => line.acquire(name, ask) as MaybeAsync<Granted | Busy>,
    release: (name, ask) => line.release(name, ask),
    renew: (name, ask) => line.renew(name, ask),
    renewMany: (renewals) => line.renewMany(renewals),
    watch: (name, owner, heard) => line.watch(name, owner, heard),
  };
}
