import { checkName, checkOptions, checkSize, subjectOf } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import type { Gate } from '../../core/queues/gate.ts';
import type { Grant } from '../../core/grants/grant.ts';
import type { Semaphore, SemaphoreHold, SemaphoreOptions } from '../../spi/synchronizers.ts';
import { GrantHold } from '../hold.ts';
import { type PermitProtocol, Permits } from './permits.ts';

class PermitsHold extends GrantHold implements SemaphoreHold {
  readonly permits: number;
  /** Set while a `run` has it: it is not forgotten then, whether or not any code can reach it. */
  isInRun = false;

  constructor(grant: Grant, gate: Gate, permits: number) {
    super(grant, gate, grant.takeFence());
    this.permits = permits;
  }

  override get gateIfForgotten(): Gate | undefined {
    return this.isInRun ? undefined : super.gateIfForgotten;
  }
}

class SemaphoreObject extends Permits<PermitsHold> implements Semaphore {
  protected override hold(grant: Grant, gate: Gate, permits: number): PermitsHold {
    return new PermitsHold(grant, gate, permits);
  }

  override run<T>(fn: (hold: PermitsHold) => T | PromiseLike<T>, options?: SemaphoreOptions): Promise<T> {
    if (typeof fn !== 'function') return super.run(fn, options);
    return super.run((hold) => {
      hold.isInRun = true;
      return fn(hold);
    }, options);
  }
}

/** Checks the name and number that a semaphore was opened with. */
export function permitsArguments(kind: string, name: unknown, options: unknown, client: Client) {
  checkName(name, kind, client.label);
  const subject = subjectOf(kind, name, client.label);
  checkOptions(options ?? {}, ['permits'], subject);
  const { permits } = (options ?? {}) as { readonly permits?: unknown };
  return { name, subject, permits: checkSize(permits, 'permits', kind, subject) };
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
