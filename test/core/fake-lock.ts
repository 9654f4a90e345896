import { Holdable, type HoldableProtocol } from '../../src/core/acquire/holdable.ts';
import type { Client } from '../../src/core/client.ts';
import { protocolTraits } from '../../src/spi/engine/protocol-traits.ts';

/** A lock "a" whose store is what the test says, and otherwise busy, silent about releases and without renewals. */
export function fakeLock(
  client: Client,
  protocol: Partial<HoldableProtocol> = {},
  kind = 'lock',
  name = 'a',
): Holdable {
  return new Holdable(client, kind, name, {
    acquire: () => ({ kind: 'busy', againInMs: 1 }),
    release: () => ({ kind: 'released', others: 0 }),
    watch: () => () => undefined,
    renewMany: () => [],
    traits: protocolTraits(),
    ...protocol,
  });
}
