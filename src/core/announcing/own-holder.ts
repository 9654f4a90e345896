import type { Holder } from '../../spi/api/hold.ts';
import type { Client } from '../client.ts';
import { withJsonForm } from '../json-form.ts';
import type { Blocked } from './holder-names.ts';

/** Kinds that have several holders: that this client is one of them does not tell the others. */
const SHARED: ReadonlySet<string> = new Set([
  'readLock',
  'writeLock',
  'semaphore',
  'permitSemaphore',
  'bareSemaphore',
]);

/**
 * The holder, where it is an owner of this very client. The keeper knows it without a request: an attempt that was refused inside the
 * process must not cost the store two of them.
 */
export function ownHolder(client: Client, { kind, name, protocol }: Blocked): Holder | undefined {
  if (SHARED.has(kind)) return undefined;
  const { clock, keeper, names } = client;
  const grant = keeper
    .kept()
    .find(({ holdable }) => holdable.protocol === protocol && holdable.name === name);
  if (grant?.open !== true) return undefined;
  const { owner, deadline, grantedAt, fencesTaken } = grant;
  const card = names.announcer?.card;
  const label = names.announcer?.labels.get(owner);
  return withJsonForm<Holder>({
    owner,
    fence: BigInt(grant.fenceAt(Math.max(0, fencesTaken - 1))),
    remainingMs: Math.max(0, deadline - clock.now()),
    program: 'holdfast',
    ...(card !== undefined && { client: card }),
    ...(label !== undefined && { label }),
    heldForMs: Math.round(clock.now() - grantedAt),
    inThisProcess: true,
  });
}
