import type { LeaseLostError } from '../../spi/errors.ts';
import { isPending, mapAnswer, type MaybeAsync } from '../../spi/maybe-async.ts';
import type { Gate } from '../queues/gate.ts';
import type { Grant } from './grant.ts';
import { tellReleased } from './grant-events.ts';
import type { LossListener } from './loss.ts';
import { warnOfForgotten } from './warn-of-forgotten.ts';

/**
 * The holder of a renewed grant, which the keeper no longer keeps alive: a holder that no code can reach any more will never
 * release, and its lock would be renewed for as long as the process lives.
 *
 * Made at a renewal, so that a hold that is released before its first one pays nothing.
 */
export class WeakHolder implements LossListener {
  /** Weak as well: a grant whose holder came into use again leads to it, and the registry leads here for as long as that lives. */
  readonly #grant: WeakRef<Grant>;
  /** That of the hold of its holder that was found last: the hold that brought an earlier one may have been released. */
  gate: Gate;
  readonly #holder: WeakRef<LossListener>;

  constructor(grant: Grant, gate: Gate, holder: LossListener) {
    this.#grant = new WeakRef(grant);
    this.gate = gate;
    this.#holder = new WeakRef(holder);
  }

  lose(error: LeaseLostError): void {
    this.#holder.deref()?.lose(error);
  }

  isOf(holder: LossListener): boolean {
    return this.#holder.deref() === holder;
  }

  /**
   * The holder was collected. The grant may be another's by now: a release may have handed it to the next owner of this
   * process, and the object of the owner that left is collected some time later.
   */
  readonly releaseForgotten = (): void => {
    // An open grant is with the keeper.
    const grant = this.#grant.deref();
    if (grant === undefined || grant.lossListener !== this || !grant.open) return;
    const { client, subject } = grant.holdable;
    warnOfForgotten(subject, client);
    client.background(this.#release(grant));
  };

  /** Through its gate, as its holder would have: waiters of this process come before those of others. */
  #release(grant: Grant): MaybeAsync<void> {
    const { heldAt } = grant;
    const { client, kind, name } = grant.holdable;
    const tellTrouble = (error: unknown): void =>
      client.events.trouble.emit({ kind, name, engine: client.label, error });
    try {
      const left = this.gate.leave(grant);
      if (isPending(left)) return mapAnswer(left, () => tellReleased(grant, heldAt), tellTrouble);
      tellReleased(grant, heldAt);
    } catch (error) {
      tellTrouble(error);
    }
    return undefined;
  }
}

/**
 * A holder that is kept again, because it was re-entered, and weakened again at the next renewal has one of them all the time.
 * With a new one each time, a lock that is re-entered for days would have a registration for each renewal.
 */
const made = new WeakMap<LossListener, WeakHolder>();

/** A grant was renewed: its holder is kept weakly from now on, unless the holder may be in use without being reached. */
export function weakenHolder(grant: Grant): void {
  const { clock } = grant.holdable.client;
  const holder = grant.lossListener;
  const gate = holder?.gateIfForgotten;
  if (holder === undefined || gate === undefined || clock.whenCollected === undefined) return;
  const known = made.get(holder);
  const weak = known ?? new WeakHolder(grant, gate, holder);
  weak.gate = gate;
  grant.lossListener = weak;
  if (known !== undefined) return;
  made.set(holder, weak);
  clock.whenCollected(holder, weak.releaseForgotten);
}

/** The holder has come into use in a way that no reference shows: it is kept alive until a renewal finds otherwise. */
export function keepHolder(grant: Grant, holder: LossListener): void {
  if (grant.lossListener instanceof WeakHolder && grant.lossListener.isOf(holder))
    grant.lossListener = holder;
}
