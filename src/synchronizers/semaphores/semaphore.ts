import { checkCount, checkName, checkOptions, subjectOf } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import type { Gate } from '../../core/queues/gate.ts';
import type { Grant } from '../../core/acquire/grant.ts';
import type { Semaphore, SemaphoreHold } from '../../spi/synchronizers.ts';
import { GrantHold } from '../hold.ts';
import { type PermitProtocol, Permits } from './permits.ts';

class PermitsHold extends GrantHold implements SemaphoreHold {
  readonly permits: number;

  constructor(grant: Grant, gate: Gate, permits: number) {
    super(grant, gate, grant.takeFence());
    this.permits = permits;
  }
}

class SemaphoreObject extends Permits<PermitsHold> implements Semaphore {
  protected override hold(grant: Grant, gate: Gate, permits: number): PermitsHold {
    return new PermitsHold(grant, gate, permits);
  }
}

/** Checks the name and number that a semaphore was opened with. */
export function permitsArguments(kind: string, name: unknown, options: unknown, client: Client) {
  checkName(name, kind, client.label);
  const subject = subjectOf(kind, name, client.label);
  checkOptions(options ?? {}, ['permits'], subject);
  const { permits } = (options ?? {}) as { readonly permits?: unknown };
  return { name, subject, permits: checkCount(permits, 'permits', 1, subject) };
}

/** The semaphore of `locks.semaphore(name, { permits })`. */
export function createSemaphore(
  client: Client,
  protocol: PermitProtocol,
  name: string,
  options: unknown,
): Semaphore {
  return createSemaphoreOfKind(client, protocol, 'semaphore', name, options);
}

/** The same over a protocol of an engine's own. */
export function createSemaphoreOfKind(
  client: Client,
  protocol: PermitProtocol,
  kind: string,
  name: string,
  options: unknown,
): Semaphore {
  const checked = permitsArguments(kind, name, options, client);
  return new SemaphoreObject(client, protocol, kind, checked.name, checked.permits, checked.subject);
}
