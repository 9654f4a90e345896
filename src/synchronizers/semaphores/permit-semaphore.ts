import { checkLeaseMs } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import type { Gate } from '../../core/queues/gate.ts';
import type { Grant } from '../../core/grants/grant.ts';
import { argumentTypeError, LeaseLostError } from '../../spi/errors.ts';
import { protocolTraits } from '../../spi/engine/protocol-traits.ts';
import type { Permit, PermitSemaphore } from '../../spi/synchronizers.ts';
import { GrantHold } from '../hold.ts';
import { type PermitProtocol, Permits } from './permits.ts';
import { permitsArguments } from './semaphore.ts';

class PermitHold extends GrantHold implements Permit {
  readonly permits: number;

  constructor(grant: Grant, gate: Gate, permits: number) {
    super(grant, gate, grant.takeFence());
    this.permits = permits;
  }

  get id(): string {
    return this.grant.owner;
  }

  /** Never forgotten: a permit is released by its id as well, which is a text that any program may have. */
  override get gateIfForgotten(): undefined {
    return undefined;
  }
}

class PermitSemaphoreObject extends Permits<PermitHold> implements PermitSemaphore {
  async extend(id: string, ms: number): Promise<boolean> {
    this.#checkId(id);
    checkLeaseMs(ms, 'extend', this.subject);
    this.client.throwIfClosed(this.subject);
    const own = this.#own(id);
    if (own !== undefined) return falseIfLost(own.extend(ms));
    return (await this.protocol.renew(this.name, { owner: id, leaseMs: ms })).kind === 'renewed';
  }

  async release(id: string): Promise<boolean> {
    this.#checkId(id);
    this.client.throwIfClosed(this.subject);
    const own = this.#own(id);
    if (own === undefined) return (await this.protocol.release(this.name, { owner: id })).kind === 'released';
    return falseIfLost(own.release());
  }

  protected override hold(grant: Grant, gate: Gate, permits: number): PermitHold {
    return new PermitHold(grant, gate, permits);
  }

  /** A permit that this client looks after: given back by its id, its renewal must end too, or it would look like a loss. */
  #own(id: string): PermitHold | undefined {
    const holder = this.client.keeper.find(id)?.lossListener;
    return holder instanceof PermitHold ? holder : undefined;
  }

  #checkId(id: unknown): asserts id is string {
    if (typeof id === 'string' && id !== '') return;
    throw argumentTypeError(
      `${this.subject.resource}: a permit's id must be the string that its Permit has.`,
      this.subject,
    );
  }
}

/** By id, a permit that is gone is an answer, not an error. */
async function falseIfLost(done: Promise<void>): Promise<boolean> {
  try {
    await done;
    return true;
  } catch (error) {
    if (error instanceof LeaseLostError) return false;
    throw error;
  }
}

/** The semaphore of `locks.permitSemaphore(name, { permits })`. */
export function createPermitSemaphore(
  client: Client,
  protocol: PermitProtocol,
  name: string,
  options: unknown,
): PermitSemaphore {
  const checked = permitsArguments('permitSemaphore', name, options, client);
  return new PermitSemaphoreObject(
    client,
    protocol,
    'permitSemaphore',
    checked.name,
    checked.permits,
    checked.subject,
    // A permit may be released by its id, by another client than the one that acquired it.
    protocolTraits({ ...protocol.traits, survivesClose: true }),
  );
}
